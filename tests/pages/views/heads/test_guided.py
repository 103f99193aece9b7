import html
import json
import shutil

import numpy as np
import pytest

from core.analysis.effects.effects_file import store_effects
from core.analysis.effects.head_effects import HeadEffect, HeadEffects
from core.analysis.effects.silencing import every_head
from core.analysis.heads.findings import best_pronoun_head
from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.views.heads.guided import BEST, SAME, WHICH
from tests.pages.conftest import ROOT, UNMEASURED, component, said, tick_rows
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
GUIDED = Head(Site("encoder", 2, "self"), 0)
BESTS = {"translate": Head(Site("encoder", 0, "self"), 1), "translate-guided": GUIDED}


@pytest.fixture
def open_guided(open_page, own_runs):
    return lambda **query_params: open_page("heads", trial="guided", **query_params)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def titles(at):
    return [panel.title for panel in panels(at)]


def read(at):
    return html.unescape(said(at))


def tick(at, row):
    [found] = at.dataframe
    tick_rows(at, found, row)


@pytest.mark.parametrize("model", BESTS)
def test_the_guided_head_is_shown_in_both_runs_whichever_is_chosen(open_guided, model):
    at = open_guided(model=model)
    shown = panels(at)
    assert [panel.title for panel in shown] == [
        "translate: Encoder layer 2, self-attention head 0",
        "translate-guided: Encoder layer 2, self-attention head 0",
    ]
    site, head = GUIDED.site, GUIDED.index
    for panel, name in zip(shown, BESTS, strict=True):
        inspection = inspect_sentence(load_run(ROOT / "gallery" / name), TIRED)
        assert np.array_equal(panel.values, inspection.attention[site].weights_HQK[head])
        assert [panel.rows.labels[at].text for at in panel.rows.differs] == ["it"]
    assert at.segmented_control(key=WHICH).value == SAME


def test_what_silencing_the_same_head_does_is_said_of_each_run(open_guided):
    text = read(open_guided(sentence=WIDE))
    free, guided = (line for line in text.splitlines() if line.startswith("**translate"))
    where = "encoder layer 2, self-attention head 0"
    assert free.strip() == f"**translate** (free), without {where}: the translation stays."
    assert guided.startswith(f"**translate-guided** (guided), without {where}: L'animal")
    assert "parce **qu'elle** était trop large. → L'animal" in guided
    assert "parce **qu'il** était trop large." in guided
    free, guided = (
        line for line in text.splitlines() if line.startswith(":small[") and "→" in line
    )
    assert "No probability changes by 0.01 or more." in free
    assert "no change was found: exact match 99.5\xa0% → 99.5\xa0%" in free
    assert "Most changed: “elle” 1.00 → 0." in guided
    for effects, line in zip(map(effects_of, BESTS), (free, guided), strict=True):
        for name, found in (("exact match", effects.exact_match), ("right", effects.pronoun)):
            low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in (found.low, found.high))
            assert f"[{low},\xa0{high}], n\xa0=\xa0{found.n}" in line.partition(name)[2]


def effects_of(name):
    """Read what silencing the guided head costs, out of the file itself."""
    stored = json.loads((ROOT / "gallery" / name / "heads.json").read_text())
    [found] = [
        each
        for each in stored["heads"]
        if (each["site"], each["head"]) == (str(GUIDED.site), GUIDED.index)
    ]
    return HeadEffect(
        GUIDED,
        **{key: Difference(**found["effect"][key]) for key in ("exact_match", "loss", "pronoun")},
    )


def test_a_ticked_row_shows_its_head_in_both_runs(open_guided):
    at = open_guided(guided=BEST)
    assert titles(at) == [
        "translate: Encoder layer 0, self-attention head 1",
        "translate-guided: Encoder layer 2, self-attention head 0",
    ]
    assert at.selectbox(key="layer").disabled
    found = at.dataframe[0].value
    assert found["which"].tolist() == ["best", "needed most", "best, needed most"]
    tick(at, 1)
    where = "Decoder layer 1, cross-attention head 0"
    assert titles(at) == [f"translate: {where}", f"translate-guided: {where}"]
    assert at.segmented_control(key=WHICH).value == SAME
    assert at.segmented_control(key="kind").value == "decoder.cross"
    found = at.dataframe[0].value
    names = [*zip(found["run"], found["which"], strict=True)]
    assert names == [
        ("translate", "shown, needed most"),
        ("translate", "best"),
        ("translate-guided", "shown"),
        ("translate-guided", "best, needed most"),
    ]


def test_another_kind_of_attention_opens_on_a_head_of_it_and_back_on_the_guided_one(open_guided):
    at = open_guided(model="translate")
    at.segmented_control(key="kind").set_value("decoder.self").run()
    assert titles(at)[0] == "translate: Decoder layer 0, self-attention head 0"
    # Its heads never see the source: nothing was measured of antecedents.
    assert "shown" not in at.dataframe[0].value["which"].tolist()
    at.segmented_control(key="kind").set_value("encoder.self").run()
    assert titles(at)[0] == "translate: Encoder layer 2, self-attention head 0"


def test_a_link_opens_its_head_and_what_there_is_not_falls_back(open_guided):
    at = open_guided(kind="cross", layer="1", head="3")
    assert titles(at)[1] == "translate-guided: Decoder layer 1, cross-attention head 3"
    at = open_guided(guided="both", kind="cross", layer="2", head="x")
    assert at.segmented_control(key=WHICH).value == SAME
    best = best_pronoun_head(load_run(ROOT / "gallery" / "translate-guided"), Kind.CROSS)
    where = f"Decoder layer {best.head.layer}, cross-attention head {best.head.index}"
    assert titles(at)[1] == f"translate-guided: {where}"


@pytest.mark.usefixtures("unmeasured_gallery")
def test_the_table_holds_the_stored_evaluation(open_guided):
    at = open_guided(guided=BEST)
    found = at.dataframe[0].value
    assert found["run"].tolist() == ["translate", "translate", "translate-guided"]
    assert found.iloc[1][["attention", "layer", "head"]].tolist() == ["cross", 1, 0]
    evaluation = load_run(ROOT / "gallery" / "translate").evaluation["pronoun"]
    assert set(found["n"]) == {evaluation["n"]}
    on, silenced = found["on antecedent"], found["pronouns right, silenced"]
    assert [each.split("\xa0")[0] for each in on] == ["39", "34.9", "100"]
    assert silenced[2] == "100\xa0% → 49.1\xa0% [45.7, 52.6]"
    assert set(found["best rule"]) == {"51.3\xa0%"}
    assert "seed 0" in read(at)
    assert "exact match, silenced" not in found
    assert read(at).count("What it costs on held-out sentences was not measured") == 2


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


def test_a_run_that_was_never_measured_is_shown_and_says_so(open_guided, own_guided):
    (own_guided / "evaluation.json").unlink()
    at = open_guided(model="runs/mine")
    assert [title.split(":")[0] for title in titles(at)] == ["translate", "runs/mine"]
    assert set(at.dataframe[0].value["run"]) == {"translate"}
    at.segmented_control(key=WHICH).set_value(BEST).run()
    assert "This run was never measured" in read(at)
    assert [title.split(":")[0] for title in titles(at)] == ["translate"]


def test_a_guided_head_that_the_model_does_not_have_opens_cross_attention(open_guided, own_guided):
    (own_guided / "evaluation.json").unlink()
    file = own_guided / "run.json"
    file.write_text(file.read_text().replace("encoder.2.self:0", "encoder.9.self:0"))
    where = "Decoder layer 0, cross-attention head 0"
    assert titles(open_guided(model="runs/mine")) == [f"translate: {where}", f"runs/mine: {where}"]


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
    assert found["exact match, silenced"].tolist() == [
        *["not measured"] * (len(found) - 1),
        "90\xa0% → 50\xa0% [−45.0,\xa0−35.0], n\xa0=\xa0400",
    ]


def test_why_not_to_believe_a_head_is_said_with_the_runs_name(open_guided):
    text = read(open_guided(guided=BEST))
    assert "translate: No head of its kind finds antecedents more often than this one" in text
    assert "translate-guided: No head of its kind" not in text


def test_a_sentence_without_a_pronoun_is_shown_and_said_so(open_guided):
    at = open_guided(sentence="The goat slept.")
    assert len(panels(at)) == 2
    assert "no pronoun that could be ambiguous" in read(at)
