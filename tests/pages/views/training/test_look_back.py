import re
import shutil
from html import unescape

import numpy as np
import pytest

from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.checkpoint import stops
from core.runs.run import load_run
from core.studies.heads.largest_weights import evenness
from core.studies.heads.maps import SHARP
from core.tasks import TASKS
from tests.pages.conftest import ROOT, chart_rows, said, send
from tests.pages.views.training.conftest import KEPT
from tests.viz.unpacked import unpack_matrices, unpack_whole

GUIDED = ROOT / "gallery" / "translate-guided"


def weights_at(path, step, sentence):
    inspection = inspect_sentence(load_run(path, step), sentence)
    sites = [site for site in inspection.attention if site.attention == "decoder.cross"]
    return np.stack([inspection.attention[site].weights_HQK for site in sites])


def weights_shown(at):
    """Return the weights of cross-attention in the pass that is on the page."""
    whole = unpack_whole(at.get("bidi_component")[-1].proto.bytes)
    crossing = [each for each in whole.sublayers if each.keys not in (None, each.side)]
    return np.stack([each.weights_HQK for each in crossing])


def test_the_map_of_a_head_of_the_decoder_is_that_of_the_step(open_view, kept):
    head = {"kind": "decoder.cross", "layer": "1", "head": "2"}
    at = open_view("look_back", kept, step="0", sentence="a b c", **head)
    [panel] = unpack_matrices(at.get("bidi_component")[0].proto.bytes).panels
    weights_QK = weights_at(kept, 0, "a b c")[1, 2]
    # An untrained model writes on: the map has no more rows than at the end.
    n = len(weights_at(kept, 850, "a b c")[1, 2])
    np.testing.assert_allclose(panel.values, weights_QK[:n], atol=1e-6)
    assert len(panel.rows.labels) == len(panel.rows.then) == n


@pytest.mark.parametrize("step", [KEPT[1], 850])
def test_the_pass_is_that_of_the_step_in_the_link(open_view, kept, step):
    shown = weights_shown(open_view("look_back", kept, step=str(step), sentence="a b c"))
    np.testing.assert_allclose(shown, weights_at(kept, step, "a b c"), atol=1e-5)


@pytest.mark.slow
def test_the_heads_of_the_layer_are_followed_through_all_snapshots(open_page, kept, taken):
    at = open_page(
        "training", training="forming", model="runs/mine", sentence="a b c", layer="1", step="10"
    )
    found = {(row["x"], row["series"]): row["y"] for row in chart_rows(at, -1)}
    assert len(found) == len(stops(kept)) * 4
    spread = {}
    for step in stops(kept):
        inspection = inspect_sentence(load_run(kept, step), "a b c")
        site = [site for site in inspection.attention if site.attention == "decoder.cross"][1]
        attention = inspection.attention[site]
        spread[step] = [evenness(each, attention.even_QK) for each in attention.weights_HQK]
        for head, expected in enumerate(spread[step]):
            assert found[step, f"head {head}"] == pytest.approx(expected)
    [shown] = taken
    assert max(spread[850]) > SHARP and "looks at few words" not in shown.seen
    assert "At step 10 the decoder, given “" in shown.seen


@pytest.mark.slow
def test_one_word_is_followed_from_the_chosen_snapshot_to_the_end(open_page, taken):
    open_page("training", training="look_back", model="translate-guided", step="100")
    runs = [load_run(GUIDED, step) for step in (100, max(stops(GUIDED)))]
    sentence = TASKS["translate"].examples[0].source
    at_100, last = (inspect_sentence(run, sentence) for run in runs)
    head = Head(Site("encoder", 2, "self"), 0)
    seen = taken[-1].seen
    query = re.match(r"\*\*Not yet at step 100\*\*: “(\w+)” looks most at ", seen)[1]
    row = [token.text for token in last.source_tokens].index(query)
    before, after = (
        each.source_tokens[int(each.weights_of(head)[row].argmax())].text for each in (at_100, last)
    )
    assert f"looks most at {before} (" in seen
    assert f"At the end it looks most at **{after}** (" in seen


def test_it_opens_where_something_is_still_to_be_learned_and_a_click_chooses_a_snapshot(open_page):
    at = open_page("training", training="look_back", model="translate-guided", step=None)
    assert at.select_slider(key="step").value == 100
    [panel] = unpack_matrices(at.get("bidi_component")[0].proto.bytes).panels
    assert [label.text for label in panel.rows.labels] == ["0", "100", "200", "5,000"]
    sentence, head = TASKS["translate"].examples[0].source, Head(Site("encoder", 2, "self"), 0)
    inspections = [inspect_sentence(load_run(GUIDED, step), sentence) for step in stops(GUIDED)]
    row = [token.text for token in inspections[0].source_tokens].index("it")
    expected = np.stack([each.weights_of(head)[row] for each in inspections])
    np.testing.assert_allclose(panel.values, expected, atol=1e-6)
    send(at, "pick", {"panel": 0, "row": 2, "column": 0})
    assert at.query_params["step"] == "200"


def test_a_run_without_snapshots_says_so_and_shows_beginning_and_end(open_view, own_copy):
    shutil.rmtree(own_copy / "snapshots", ignore_errors=True)
    at = open_view("look_back", own_copy, step="0", sentence="a b")
    line = unescape(said(at))
    assert "Before training the model writes:" in line
    assert "Only the beginning and the newest weights were kept." in line
    np.testing.assert_allclose(weights_shown(at), weights_at(own_copy, 0, "a b"), atol=1e-5)


def test_a_damaged_snapshot_is_named_and_the_others_go_on(open_view, kept):
    (kept / "snapshots" / "step-00000010.safetensors").write_bytes(b"nothing")
    at = open_view("look_back", kept, step="10", sentence="a b c")
    assert ["step-00000010" in error.value.replace("&#45;", "-") for error in at.error] == [True]
    at.select_slider(key="step").set_value(200).run()
    assert not at.error
    assert weights_shown(at).shape[1] == 4
    assert {row["x"] for row in chart_rows(at, -1)} == {0, 1, 200, 850}
