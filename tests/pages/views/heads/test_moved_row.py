import html

import numpy as np
import pytest

from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.overriding import moved, override_outcome
from pages.frame.typography import typeset
from tests.pages.conftest import ROOT, said
from tests.pages.views.heads.conftest import assert_computed_again
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."


GUIDED = Site("encoder", 2, "self")


@pytest.fixture
def open_override(open_page):
    return lambda **query_params: open_page("heads", trial="override", **query_params)


@pytest.fixture(scope="module")
def inspection():
    return inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)


def protos(at):
    return [each.proto for each in at.get("bidi_component")]


def pictures(at):
    """Return the map, and the row before and after where there is one."""
    return [unpack(proto.bytes) for proto in protos(at)]


def read(at):
    return html.unescape(said(at))


def test_all_weight_can_be_put_on_one_key(open_override):
    at = open_override(move="encoder.self,11,3", moved="all weight")
    assert "and at nothing else" in read(at)
    _, pair = pictures(at)
    assert pair.panels[0].values[1].tolist() == np.eye(14)[3].tolist()


@pytest.mark.parametrize(
    ("kind", "name", "row", "key"),
    [("decoder self", "decoder.self", 4, 0), ("cross", "decoder.cross", 2, 12)],
)
def test_every_kind_of_attention_can_be_overridden(open_override, inspection, kind, name, row, key):
    at = open_override(kind=kind, layer="1", head="1", move=f"{name},{row},{key}")
    site = next(site for site in inspection.attention if (site.attention, site.layer) == (name, 1))
    attention = inspection.attention[site]
    before_K = attention.weights_HQK[1, row]
    after_K = moved(before_K, int(before_K.argmax()), key, attention.visible_QK[row])
    run = load_run(ROOT / "gallery" / "translate-guided")
    found = override_outcome(run, TIRED, Head(site, 1), row, after_K)
    assert np.array_equal(pictures(at)[1].panels[0].values[1], after_K)
    assert typeset(found.after.translation.text, run).split()[0] in read(at)
    assert ("The translation stays" in read(at)) == found.same_text


@pytest.mark.parametrize("how", ["largest", "all"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_override, handed_over, inspection, how
):
    at = open_override(moved=how)
    columns = handed_over[-1].columns()
    of_map = [at for at, what in enumerate(columns["what"]) if what == "weight"]
    weights = inspection.attention[GUIDED].weights_HQK[0]
    assert [columns["before"][at] for at in of_map] == weights.reshape(-1).tolist()
    assert columns["what"].count("loss") == 1
    assert_computed_again(at, handed_over[-1], "before", "after")


def test_of_a_hidden_cell_the_map_is_taken_away(open_override, handed_over):
    at = open_override(kind="decoder self", layer="0", head="1", move="decoder.self,2,5")
    assert set(handed_over[-1].columns()["what"]) == {"weight"}
    assert_computed_again(at, handed_over[-1], "before", "after")
