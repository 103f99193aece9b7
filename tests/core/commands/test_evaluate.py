import json

import pytest

from core.evaluate.evaluation import evaluate


def test_json_holds_the_figures(command, translation_folder, translation_run):
    status, out, _ = command("evaluate", translation_folder, "--n", "12", "--seed", "4", "--json")
    figures = json.loads(out)
    assert status == 0
    assert figures == evaluate(translation_run, 12, 4)
    assert set(figures["pronoun"]) == {"accuracy", "n", "baselines"}
    assert set(figures["pronoun"]["baselines"]) == {"nearest_noun", "first_noun", "random_noun"}
    for head in figures["heads"]:
        assert set(head) == {"head", "score", "weight", "baseline", "silenced_accuracy"}


def test_text_names_the_quality_and_every_head(command, translation_folder):
    status, out, _ = command("evaluate", translation_folder, "--n", "12")
    assert status == 0
    assert "of 12 held-out samples" in out
    for site in ("encoder.0.self", "encoder.1.self", "decoder.0.cross"):
        assert f"{site}:0" in out
        assert f"{site}:1" in out


def test_text_of_a_task_without_pronouns_has_the_quality_alone(command, copy_folder):
    status, out, _ = command("evaluate", copy_folder, "--n", "5")
    assert status == 0
    assert out.count("\n") == 2


def test_the_run_folder_stays_as_it_is(command, copy_folder):
    before = sorted(path.name for path in copy_folder.rglob("*"))
    command("evaluate", copy_folder, "--n", "5")
    assert sorted(path.name for path in copy_folder.rglob("*")) == before


@pytest.mark.parametrize("n", ["0", "-3"])
def test_no_samples_cannot_be_measured(refused, copy_folder, n):
    assert f"--n is {n}, not 1 or more" in refused("evaluate", copy_folder, "--n", n)


def test_missing_run_is_named(refused, tmp_path):
    assert str(tmp_path / "none") in refused("evaluate", tmp_path / "none")
