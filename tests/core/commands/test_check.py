from tests.core.library.folders import write_folder


def test_a_sound_run_has_no_fault(command, copy_folder):
    status, out, _ = command("check", copy_folder)
    assert status == 0
    assert "no fault" in out
    assert "✓ future leak" in out


def test_a_fault_is_named_and_ends_with_status_1(command, copy_folder, monkeypatch):
    monkeypatch.setattr(
        "core.model.transformer.decoder_mask", lambda ids_BT, *_, **__: (ids_BT >= 0)[:, None]
    )
    status, out, _ = command("check", copy_folder)
    assert status == 1
    assert "✗ future leak: decoder.0.self_attention sees later tokens" in out


def test_a_folder_of_hugging_face_is_checked(command, tmp_path):
    write_folder(tmp_path / "gpt2", "gpt2")
    status, out, _ = command("check", tmp_path / "gpt2")
    assert (status, out.partition("\n")[0]) == (0, "GPT2LMHeadModel: no fault in what was tried")


def test_a_folder_of_something_else_is_refused(refused, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert "neither a run nor a folder of Hugging Face" in refused("check", tmp_path)
