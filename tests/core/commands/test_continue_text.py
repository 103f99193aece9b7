def test_the_first_step_follows_the_whole_prompt(command, opened_path):
    run = opened_path("llama")
    status, out, _ = command("continue", run, "The street", "--steps")
    first = next(line for line in out.splitlines() if "→" in line)
    _, translated, _ = command("translate", run, "The street", "--steps")
    assert status == 0
    assert out == translated
    # BOS is not counted, and all of the prompt stands before what is written.
    assert int(first.split()[0]) >= 2


def test_an_own_run_translates(refused, copy_folder):
    assert "has an encoder" in refused("continue", copy_folder, "a b")
