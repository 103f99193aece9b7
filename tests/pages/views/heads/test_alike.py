from itertools import permutations

import numpy as np
import pytest

from core.heads import Kind
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.likeness import head_likeness
from pages.views.heads.alike import numbers
from tests.pages.conftest import ROOT, said, send_from
from tests.pages.views.heads.conftest import assert_computed_again
from viz.plane.matrices import unpack

COPY = ROOT / "gallery" / "copy"


@pytest.fixture(scope="module")
def cross():
    return head_likeness(load_run(COPY), Kind.CROSS)


@pytest.fixture(scope="module")
def run_of_copy():
    return load_run(COPY)


def test_what_is_taken_away_names_both_heads_in_the_one_text_form(cross):
    columns = numbers(cross)
    names = list(map(str, cross.heads))
    assert columns["head"] == [name for name in names for _other in names]
    assert columns["other_head"] == names * len(names)


def open_alike(open_page, **query_params):
    opened = {"model": "copy", "sentence": "a b c", "alike_of": "cross", **query_params}
    return open_page("heads", trial="alike", **opened)


def named(head):
    return f"decoder layer {head.site.layer}, cross-attention head {head.index}"


def protos(at):
    """Return both heads' own maps, and the map of heads × heads."""
    return [each.proto for each in at.get("bidi_component")]


def shown(at):
    return unpack(protos(at)[-1].bytes)


def test_beside_it_stand_the_maps_of_both_heads(open_page, cross, run_of_copy):
    at = open_alike(open_page)
    panels = unpack(protos(at)[0].bytes).panels
    inspection = inspect_sentence(run_of_copy, "a b c")
    for panel, at_head in zip(panels, cross.most_alike, strict=True):
        np.testing.assert_allclose(
            panel.values, inspection.weights_of(cross.heads[at_head]), atol=1e-6
        )


def test_the_map_is_how_alike_the_heads_are(open_page, cross):
    maps = shown(open_alike(open_page))
    [panel] = maps.panels
    assert np.array_equal(panel.values, cross.likeness_NN.astype(np.float32))
    assert (panel.scale, panel.limit) == ("weight", 1.0)
    names = [f"{head.layer}.{head.index}" for head in cross.heads]
    assert [label.text for label in panel.rows.labels] == names
    assert [label.text for label in panel.columns.labels] == names


def test_it_opens_on_the_most_alike_pair_and_says_which_is_loneliest(open_page, cross):
    at = open_alike(open_page)
    one, other = cross.most_alike
    assert shown(at).selected == (0, one, other)
    pairs = [cross.likeness_NN[a, b] for a, b in permutations(range(len(cross.heads)), 2)]
    first, second = (cross.heads[each] for each in (one, other))
    assert (
        f"Most alike are {named(first)} ↔ {named(second)}: **{max(pairs):.2f}**; "
        f"mean of all pairs: {np.mean(pairs):.2f}." in said(at)
    )
    lonely = cross.heads[cross.loneliest]
    site, head = lonely.site, lonely.index
    assert f"The most distinctive head is {site.layer}.{head}" in said(at)
    assert (
        f"Rows: {cross.n_rows:,}, of {cross.n_sentences} held-out rows of letters, seed 0"
        in said(at)
    )


def test_a_clicked_cell_names_both_heads_and_leads_to_their_maps(open_page, cross):
    at = open_alike(open_page)
    send_from(at, protos(at)[-1], "pick", {"panel": 0, "row": 1, "column": 6})
    assert shown(at).selected == (0, 1, 6)
    assert (
        "Decoder layer 0, cross-attention head 1 ↔ Decoder layer 1, cross-attention head 2: "
        f"**{cross.likeness_NN[1, 6]:.2f}** alike; mean of all pairs: " in said(at)
    )
    queries = [each.proto.query_string for each in at.get("page_link")]
    assert ["layer=0" in q and "head=1" in q and "kind=decoder.cross" in q for q in queries] == [
        True,
        False,
    ]
    assert "layer=1" in queries[1]
    assert "head=2" in queries[1]


def test_a_head_is_wholly_like_itself(open_page):
    at = open_alike(open_page, pair="3,3")
    assert "wholly like itself" in said(at)
    assert len(at.get("page_link")) == 1


@pytest.mark.parametrize("cell", ["", "1", "1,0,0", "99,0", "0,99", "-1,0", "a,b", "²,1", "9" * 99])
def test_a_link_to_a_cell_that_is_not_there_falls_back(open_page, cross, cell):
    assert shown(open_alike(open_page, pair=cell)).selected == (0, *cross.most_alike)


def test_a_pair_does_not_outlive_its_kind_of_attention(open_page, run_of_copy):
    at = open_alike(open_page, pair="1,6")
    at.segmented_control(key="alike_of").set_value("encoder.self").run()
    assert not at.exception
    assert shown(at).selected == (0, *head_likeness(run_of_copy, Kind.ENCODER_SELF).most_alike)


def test_a_single_head_is_compared_with_none(open_page, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at = open_alike(open_page, model="runs/random")
    assert shown(at).panels[0].values.tolist() == [[1.0]]
    assert "one head only" in said(at)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_page, cross, handed_over
):
    at = open_alike(open_page)
    found = [each for each in handed_over[-1].columns()["likeness"] if each is not None]
    assert found == cross.likeness_NN.reshape(-1).tolist()
    assert_computed_again(at, handed_over[-1], "likeness", "weight")
