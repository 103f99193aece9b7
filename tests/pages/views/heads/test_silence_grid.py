import pytest

from core.evaluate.intervals import Difference
from core.heads import Head, Site
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from pages.views.heads import silence_grid
from tests.pages.conftest import ROOT

COPY = load_run(ROOT / "gallery" / "copy")
SURE, UNSURE = Difference(0.9, 0.6, -0.345, -0.25, 400), Difference(0.9, 0.88, -0.05, 0.01, 160)


@pytest.mark.parametrize(
    ("found", "by", "expected"),
    [
        (SURE, "exact_match", "−30"),
        (SURE, "loss", "−0.30"),
        (Difference(0.9, 0.855, -0.06, -0.03, 400), "pronoun", "−4.5"),
        (Difference(0.1, 1.35, 1.0, 1.5, 400), "loss", "1.25"),
        (UNSURE, "exact_match", "·"),
        (None, "exact_match", ""),
    ],
)
def test_a_cell_says_what_changes_or_that_nothing_was_found(found, by, expected):
    assert silence_grid.word(found, by) == expected


def test_whoever_points_at_a_cell_is_told_how_sure_it_is():
    detail = silence_grid.detail
    said = "95\u00a0% from −34.5 to −25.0, n = 400"
    assert detail(SURE, "exact_match", off=False) == said
    assert detail(SURE, "exact_match", off=True) == f"off; {said}"
    assert detail(SURE, "loss", off=False) == "95\u00a0% from −0.345 to −0.250, n = 400"
    assert (detail(None, "loss", off=True), detail(None, "loss", off=False)) == ("off", "")
    assert detail(UNSURE, "pronoun", off=False).endswith("n = 160: no change found")


def test_n_is_that_of_the_figure_that_is_shown():
    head = HeadEffect(Head(Site("encoder", 0, "self"), 0), SURE, SURE, UNSURE)
    effects = HeadEffects((head,), n=400, seed=7, step=1)
    said = {
        by: silence_grid.how_to_read(COPY, effects, by) for by in ("exact_match", "pronoun", "loss")
    }
    assert "in points, on 400 held-out rows of letters, seed 7." in said["exact_match"]
    assert "in points, on 160 ambiguous pronouns of held-out sentences, seed 7." in said["pronoun"]
    assert "in nats per token, on 400 held-out rows of letters" in said["loss"]
    assert all("“·”" in text for text in said.values())
