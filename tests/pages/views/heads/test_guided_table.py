import html
import shutil

import pytest

from core.analysis.effects.effects_file import store_effects
from core.analysis.effects.head_effects import HeadEffect, HeadEffects
from core.analysis.effects.silencing import every_head
from core.analysis.heads.findings import best_pronoun_head, most_needed_pronoun_head
from core.evaluate.intervals import Difference
from core.runs.run import load_run
from pages.frame.language import percent
from pages.views.heads.guided import BEST
from tests.pages.conftest import ROOT, UNMEASURED, said


@pytest.fixture
def open_guided(open_page, own_runs):
    return lambda **query_params: open_page("heads", trial="guided", **query_params)


def read(at):
    return html.unescape(said(at))


@pytest.mark.usefixtures("unmeasured_gallery")
def test_the_table_holds_the_stored_evaluation(open_guided):
    at = open_guided(which_heads=BEST)
    found = at.dataframe[0].value
    assert found["run"].tolist() == ["translate", "translate", "translate-guided"]
    free, guided = (load_run(ROOT / "gallery" / name) for name in ("translate", "translate-guided"))
    heads = [best_pronoun_head(free), most_needed_pronoun_head(free), best_pronoun_head(guided)]
    for (_, row), head in zip(found.iterrows(), heads, strict=True):
        assert (row["layer"], row["head"]) == (head.head.layer, head.head.index)
        assert row["on_antecedent"].startswith(percent(head.score))
    evaluation = free.evaluation["pronoun"]
    assert set(found["n"]) == {evaluation["n"]}
    assert found["pronouns_right"][2].startswith(
        f"100\xa0% → {percent(heads[2].silenced_accuracy)}"
    )
    assert set(found["best_rule"]) == {percent(max(evaluation["baselines"].values()))}
    assert "seed 0" in read(at)
    assert "exact_match" not in found
    assert read(at).count("What it costs on held-out sentences was not measured") == 2


@pytest.fixture
def own_guided(own_runs):
    """A run of one's own: the gallery's guided run under another name."""
    guided = ROOT / "gallery" / "translate-guided"
    return shutil.copytree(guided, own_runs / "mine", ignore=UNMEASURED)


@pytest.mark.usefixtures("unmeasured_gallery")
def test_what_was_measured_of_every_head_stands_in_the_table(open_guided, own_guided):
    run = load_run(own_guided)
    figure = Difference(before=0.9, after=0.5, low=-0.45, high=-0.35, n=400)
    effects = tuple(
        HeadEffect(head, exact_match=figure, loss=figure, pronoun=None)
        for head in every_head(run.model)
    )
    store_effects(own_guided, HeadEffects(effects, 400, 0, run.step))
    found = open_guided(model="runs/mine").dataframe[0].value
    assert found["exact_match"].tolist() == [
        *["not measured"] * (len(found) - 1),
        "90\xa0% → 50\xa0%",
    ]
