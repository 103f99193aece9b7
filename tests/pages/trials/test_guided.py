import html
import shutil

import numpy as np
import pytest

from core.analysis.effects_file import store_effects
from core.analysis.head_effects import HeadEffect, HeadEffects
from core.analysis.intervals import Difference
from core.analysis.silencing import every_head
from core.inspection import inspect_sentence
from core.model import Site
from core.run import load_run
from tests.pages.conftest import ROOT, UNMEASURED, component, said
from viz.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
BEST = {
    "translate": (Site("encoder", 0, "self"), 1),
    "translate-guided": (Site("encoder", 2, "self"), 0),
}


@pytest.fixture
def open_guided(open_page, own_runs):
    return lambda **query_params: open_page("heads", trial="guided", **query_params)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def read(at):
    return html.unescape(said(at))


@pytest.mark.parametrize("model", BEST)
def test_both_runs_stand_side_by_side_whichever_is_chosen(open_guided, model):
    at = open_guided(model=model)
    shown = panels(at)
    assert [panel.title for panel in shown] == [
        "translate: Encoder layer 0, self-attention head 1",
        "translate-guided: Encoder layer 2, self-attention head 0",
    ]
    for panel, (name, (site, head)) in zip(shown, BEST.items(), strict=True):
        inspection = inspect_sentence(load_run(ROOT / "gallery" / name), TIRED)
        assert np.array_equal(panel.values, inspection.attention[site].weights_HQK[head])
        assert [panel.rows.labels[at].text for at in panel.rows.differs] == ["it"]


def test_silencing_costs_the_guided_run_its_pronoun_and_the_free_one_nothing(open_guided):
    text = read(open_guided(sentence=WIDE))
    assert "**translate** (free), without encoder layer 0" in text
    assert "self-attention head 1: the translation stays." in text
    assert "**translate-guided** (guided), without encoder layer 2" in text
    assert "parce **qu'elle** était trop large. → L'animal" in text
    assert "parce **qu'il** était trop large. Most changed: “elle” 1.00 → 0." in text


@pytest.mark.usefixtures("unmeasured_gallery")
def test_the_table_holds_the_stored_evaluation(open_guided):
    at = open_guided()
    found = at.dataframe[0].value
    assert found["run"].tolist() == ["translate", "translate", "translate-guided"]
    assert found["head"].tolist()[1] == "Decoder layer 1, cross-attention head 0"
    evaluation = load_run(ROOT / "gallery" / "translate").evaluation["pronoun"]
    assert set(found["n pronouns"]) == {evaluation["n"]}
    on, silenced = found["on antecedent"], found["right, head silenced"]
    assert [each.split("\xa0")[0] for each in on] == ["39", "34.9", "100"]
    assert [each.split("\xa0")[0] for each in silenced] == ["100", "76.1", "49.1"]
    assert silenced[2] == "49.1\xa0% [45.7, 52.6]"
    assert set(found["best rule"]) == {"51.3\xa0%"}
    assert "seed 0" in read(at)
    assert "exact match, silenced" not in found


@pytest.mark.parametrize("model", ["copy", "copy-learned"])
def test_a_run_without_a_counterpart_names_those_that_have_one(open_guided, model):
    at = open_guided(model=model)
    [info] = at.info
    text = html.unescape(info.value)
    assert f"{model} has no counterpart" in text
    assert "These runs have one: translate-guided, translate." in text
    assert not at.get("bidi_component")


@pytest.fixture
def own_guided(own_runs):
    """A run of one's own: the gallery's guided run under another name."""
    guided = ROOT / "gallery" / "translate-guided"
    return shutil.copytree(guided, own_runs / "mine", ignore=UNMEASURED)


def test_a_run_that_was_never_measured_says_so_and_the_other_is_shown(open_guided, own_guided):
    (own_guided / "evaluation.json").unlink()
    at = open_guided(model="runs/mine")
    assert "This run was never measured" in read(at)
    assert [panel.title.split(":")[0] for panel in panels(at)] == ["translate"]


def test_what_was_measured_of_every_head_stands_in_the_table(open_guided, own_guided):
    run = load_run(own_guided)
    figure = Difference(before=0.9, after=0.5, low=-0.45, high=-0.35, n=400)
    effects = tuple(
        HeadEffect(site, head, exact_match=figure, loss=figure, pronoun=None)
        for site, head in every_head(run.model)
    )
    store_effects(own_guided, HeadEffects(effects, 400, 0, run.step))
    found = open_guided(model="runs/mine").dataframe[0].value
    assert found["exact match, silenced"].tolist()[-1] == (
        "90\xa0% → 50\xa0% [−45.0, −35.0], n = 400 sentences"
    )


@pytest.mark.usefixtures("unmeasured_gallery")
def test_of_a_run_whose_heads_were_not_measured_the_table_says_so(open_guided, own_guided):
    run = load_run(own_guided)
    figure = Difference(before=0.9, after=0.5, low=-0.45, high=-0.35, n=400)
    effects = [HeadEffect(*head, figure, figure, None) for head in every_head(run.model)]
    store_effects(own_guided, HeadEffects(tuple(effects), 400, 0, run.step))
    found = open_guided(model="runs/mine").dataframe[0].value
    assert found["exact match, silenced"].tolist()[:-1] == ["not measured"] * (len(found) - 1)


def test_why_not_to_believe_a_runs_best_head_is_said_with_the_runs_name(open_guided):
    text = read(open_guided())
    assert "translate: No head of its kind finds antecedents more often than this one" in text
    assert "translate-guided: No head of its kind" not in text


def test_a_sentence_without_a_pronoun_is_shown_and_said_so(open_guided):
    at = open_guided(sentence="The goat slept.")
    assert len(panels(at)) == 2
    assert "no pronoun that could be ambiguous" in read(at)
