import pytest

from core.decoding.sentence import SentenceError
from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.compared import has_head, numbers_with_heads
from core.studies.heads.findings import best_pronoun_head
from tests.pages.conftest import ROOT

NAMES = ("translate-guided", "copy")
RUNS = [(name, ROOT / "gallery" / name) for name in NAMES]
HEAD = Head.parse("encoder.2.self:1")


def rows_of(head):
    return list(
        zip(*numbers_with_heads([], RUNS, "The cat sat.", head).table().values(), strict=True)
    )


def test_the_weights_are_those_of_the_inspection():
    weights_QK = inspect_sentence(load_run(dict(RUNS)["copy"]), "The cat sat.").weights_of(
        Head.parse("encoder.1.self:1")
    )
    rows = [row for row in rows_of(Head.parse("encoder.1.self:1")) if row[:2] == ("weight", "copy")]
    assert [row[4] for row in rows] == weights_QK.reshape(-1).tolist()
    assert rows[1][2:4] == ("encoder.1.self:1", "0, 1")


def test_a_run_without_the_head_has_no_weights():
    assert {row[1] for row in rows_of(HEAD) if row[0] == "weight"} == {"translate-guided"}
    assert not has_head(load_run(dict(RUNS)["copy"]), HEAD)
    assert not has_head(load_run(dict(RUNS)["copy"]), Head.parse("encoder.1.self:4"))


def test_the_best_pronoun_head_comes_with_its_figures():
    best = best_pronoun_head(load_run(dict(RUNS)["translate-guided"]))
    found = {row[2]: row[3:] for row in rows_of(HEAD) if row[0] == "pronoun head"}
    assert found["score"] == (str(best.head), best.score)
    assert found["n"] == (str(best.head), best.n)


def test_without_text_there_are_no_weights():
    with pytest.raises(SentenceError):
        numbers_with_heads([], RUNS, " ", HEAD)
