import json

import pytest

from core.evaluate.evaluation import evaluate
from core.evaluate.metrics import score_file
from core.tasks import Sample, task_named


def test_json_holds_the_figures(command, translation_folder, translation_run):
    status, out, _ = command("evaluate", translation_folder, "--n", "12", "--seed", "4", "--json")
    figures = json.loads(out)
    assert status == 0
    assert figures == evaluate(translation_run, 12, 4)
    assert set(figures["pronoun"]) == {"accuracy", "n", "baselines"}
    assert set(figures["pronoun"]["baselines"]) == {"nearest_noun", "first_noun", "random_noun"}
    for head in figures["heads"]:
        assert set(head) == {"head", "score", "weight", "baseline", "silenced_accuracy"}


PAIRS = [Sample(f"{a} b {c}", f"{c} {a}") for a in "kdaf" for c in "qz"]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("".join(f"{each.source}\t{each.target}\n" for each in PAIRS))
    return path


def test_a_file_of_pairs_is_measured_with_a_signature(command, copy_folder, copy_run, pairs):
    status, out, _ = command("evaluate", copy_folder, "--file", pairs, "--beam", "2", "--json")
    assert status == 0
    scores = score_file(copy_run, PAIRS, 2)
    assert json.loads(out) == {
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "n": 8,
        "signature": scores.signature,
        "beam": 2,
        "n_cut": 0,
        "n_unfinished": scores.n_unfinished,
    }
    assert "tok:13a" in scores.signature
    _, out, _ = command("evaluate", copy_folder, "--file", pairs)
    assert out.startswith("of 8 pairs, ")


def test_held_out_samples_are_scored_with_a_beam(command, copy_folder, copy_run, tmp_path):
    asked = ("evaluate", copy_folder, "--beam", "2", "--json")
    status, out, _ = command(*asked, "--n", "4")
    assert status == 0
    samples = task_named("copy").held_out_samples(4)
    (tmp_path / "same.tsv").write_text(
        "".join(f"{each.source}\t{each.target}\n" for each in samples)
    )
    assert json.loads(out) == json.loads(command(*asked, "--file", tmp_path / "same.tsv")[1])
