"""Heads of one stack in texts: against each text read alone, with loops over rows and keys."""

import shutil

import pytest

from core.runs.own_text import give_text
from core.runs.run import RunError, load_run
from core.studies.heads import texts
from core.studies.heads.roles import roles_of_heads
from core.studies.heads.texts import pairs_read

LINES = ["the animal and the street", "did not cross it, did not", "it was tired"]


@pytest.fixture(scope="module", params=["bert", "gpt2", "llama"])
def run(request, opened_path, tmp_path_factory):
    """An opened model with lines of its own; some have a token that fills up, some have none."""
    path = tmp_path_factory.mktemp("texts") / request.param
    shutil.copytree(opened_path(request.param), path)
    give_text(path, "\n".join(LINES).encode(), "lines")
    return load_run(path)


# ---- which texts


def test_lines_of_one_token_are_refused_with_a_reason(opened_path, tmp_path):
    shutil.copytree(opened_path("gpt2"), tmp_path / "gpt2")
    give_text(tmp_path / "gpt2", b"a\nb", "lines")
    with pytest.raises(RunError, match="No line has two tokens"):
        pairs_read(load_run(tmp_path / "gpt2"), 10, 0)


# ---- what is found in them


def test_what_fills_up_a_batch_changes_no_score(run, monkeypatch):
    together = roles_of_heads(run).heads
    monkeypatch.setattr(texts, "sorted_batches", lambda pairs: ([pair] for pair in pairs))
    for one, other in zip(together, roles_of_heads(run).heads, strict=True):
        for role, score in one.scores.items():
            alike = other.scores[role]
            assert (score.n, score.rule_offset) == (alike.n, alike.rule_offset)
            assert score.value == pytest.approx(alike.value)
            assert score.baseline == pytest.approx(alike.baseline)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-6)
        assert one.offset == other.offset
