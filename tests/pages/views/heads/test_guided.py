import html

import numpy as np
import pytest

from core.analysis.heads.findings import best_pronoun_head, most_needed_pronoun_head
from core.analysis.heads.largest_weights import sharpest_head
from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.tasks import TASKS
from pages.views.heads.guided import BEST, SAME, WHICH
from tests.pages.conftest import ROOT, component, said, tick_rows
from tests.pages.views.heads.conftest import assert_computed_again
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
GUIDED = Head(Site("encoder", 2, "self"), 0)
BESTS = {
    name: best_pronoun_head(load_run(ROOT / "gallery" / name)).head
    for name in ("translate", "translate-guided")
}


@pytest.fixture
def open_guided(open_page, own_runs):
    return lambda **query_params: open_page("heads", trial="guided", **query_params)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def titles(at):
    return [panel.title for panel in panels(at)]


def read(at):
    return html.unescape(said(at))


def named(head):
    stack, sublayer = head.site.stack.capitalize(), head.site.sublayer
    return f"{stack} layer {head.layer}, {sublayer}-attention head {head.index}"


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


def test_a_ticked_row_shows_its_head_in_both_runs(open_guided):
    at = open_guided(guided="best head of each")
    best, needed = (
        find(load_run(ROOT / "gallery" / "translate")).head
        for find in (best_pronoun_head, most_needed_pronoun_head)
    )
    assert titles(at) == [
        f"translate: {named(best)}",
        "translate-guided: Encoder layer 2, self-attention head 0",
    ]
    assert at.selectbox(key="layer").disabled
    found = at.dataframe[0].value
    assert found["which"].tolist() == ["best", "needed most", "best, needed most"]
    tick(at, 1)
    where = named(needed)
    assert titles(at) == [f"translate: {where}", f"translate-guided: {where}"]
    assert at.segmented_control(key=WHICH).value == SAME
    assert at.segmented_control(key="kind").value == needed.kind.value
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
    assert titles(at)[0].startswith("translate: Decoder layer ")
    # Its heads never see the source: nothing was measured of antecedents.
    assert "shown" not in at.dataframe[0].value["which"].tolist()
    at.segmented_control(key="kind").set_value("encoder.self").run()
    assert titles(at)[0] == "translate: Encoder layer 2, self-attention head 0"


def test_a_link_opens_its_head_and_what_there_is_not_falls_back(open_guided):
    at = open_guided(kind="cross", layer="1", head="3")
    assert titles(at)[1] == "translate-guided: Decoder layer 1, cross-attention head 3"
    at = open_guided(guided="both", kind="cross", layer="2", head="x")
    assert at.segmented_control(key=WHICH).value == SAME
    run = load_run(ROOT / "gallery" / "translate-guided")
    best = sharpest_head(inspect_sentence(run, TASKS["translate"].examples[0].source), Kind.CROSS)
    where = f"Decoder layer {best.layer}, cross-attention head {best.index}"
    assert titles(at)[1] == f"translate-guided: {where}"


def test_why_not_to_believe_a_head_is_said_with_the_runs_name(open_guided):
    best = best_pronoun_head(load_run(ROOT / "gallery" / "translate"), Kind.CROSS).head
    text = read(open_guided(kind="cross", layer=str(best.layer), head=str(best.index)))
    assert "translate: No head of its kind finds antecedents more often than this one" in text
    assert "translate-guided: No head of its kind" not in text


def test_a_sentence_without_a_pronoun_is_shown_and_said_so(open_guided):
    at = open_guided(sentence="The goat slept.")
    assert len(panels(at)) == 2
    assert "no pronoun that could be ambiguous" in read(at)


@pytest.mark.parametrize("which", [SAME, BEST])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_guided, handed_over, which
):
    at = open_guided(which_heads=which, sentence=WIDE)
    columns = handed_over[-1].numbers()
    weights = [value for value in columns["weight"] if value is not None]
    assert weights == [value for panel in panels(at) for value in panel.values.reshape(-1)]
    assert len(at.dataframe[0].value) == columns["what"].count("held_out")
    assert_computed_again(at, handed_over[-1], "weight", "score", "before", "after")


@pytest.mark.parametrize(
    ("older", "name"), [("same head", SAME), ("best head of each", BEST), ("true", SAME)]
)
def test_an_older_link_calls_the_choice_guided_as_the_training_page_calls_another(
    open_guided, older, name
):
    at = open_guided(guided=older)
    assert at.segmented_control(key=WHICH).value == name
    # The choice of the training page stays what it is.
    assert ("guided" in at.session_state["_drawers"]["address"]["visit"].chosen) == (
        older == "true"
    )
    at.segmented_control(key=WHICH).set_value(SAME).run()
    assert at.segmented_control(key=WHICH).value == SAME
