import re
import shutil
from html import unescape

import numpy as np
import pytest

from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.checkpoint import stops
from core.runs.run import load_run
from core.studies.heads.evenness import evenness
from core.studies.heads.forming import SHARP
from core.studies.heads.largest_weights import sharpest_head
from core.tasks import TASKS
from pages.views.training.look_back import figures
from tests.pages.conftest import ROOT, chart_rows, said, send
from tests.pages.conftest import shown as maps
from tests.pages.views.training.conftest import KEPT
from tests.viz.unpacked import unpack_matrices

GUIDED = ROOT / "gallery" / "translate-guided"


def weights_at(path, step, sentence):
    inspection = inspect_sentence(load_run(path, step), sentence)
    sites = [site for site in inspection.attention if site.attention == "decoder.cross"]
    return np.stack([inspection.attention[site].weights_HQK for site in sites])


@pytest.mark.parametrize("step", [0, KEPT[1], 850])
def test_the_maps_are_those_of_the_step_in_the_link(open_view, kept, step):
    shown = maps(open_view("look_back", kept, step=str(step), sentence="a b c"))
    expected = weights_at(kept, step, "a b c")
    assert np.abs(shown.weights - expected).max() <= 0.5 / 255 + 1e-6
    assert np.array_equal(shown.weights[shown.selected], expected[shown.selected])


def test_it_opens_midway_and_moving_the_handle_shows_that_snapshot(open_view, kept):
    at = open_view("look_back", kept, sentence="a b c")
    assert at.select_slider(key="step").options == [*map(str, [0, *KEPT, 850])]
    assert at.select_slider(key="step").value == 10
    at.select_slider(key="step").set_value(200).run()
    assert "(loss 0" in unescape(said(at))
    shown = maps(at)
    expected = weights_at(kept, 200, "a b c")
    assert np.array_equal(shown.weights[shown.selected], expected[shown.selected])


def test_a_step_that_is_not_kept_gives_way_to_the_usual(open_view, kept):
    at = open_view("look_back", kept, step="200")
    (kept / "snapshots" / "step-00000200.safetensors").unlink()
    at.run()
    assert at.select_slider(key="step--1").value == 10
    assert open_view("look_back", kept, step="77").select_slider(key="step").value == 10


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
    assert max(spread[850]) > SHARP and "are sharp" not in shown.seen
    assert "At step 10 the decoder, given “" in shown.seen


def test_the_step_from_which_heads_are_sharp_is_said(open_page, taken):
    open_page("training", training="look_back", model="copy", sentence=None, kind="decoder.cross")
    assert "From step **200** on all heads of decoder layer 0 cross-attention" in taken[-1].seen


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


def test_a_weight_that_shrinks_is_not_called_learned(open_page, taken):
    query = {"model": "copy", "kind": "encoder.self", "layer": "0", "head": "2", "step": "50"}
    open_page("training", training="look_back", sentence=None, **query)
    assert taken[-1].seen.startswith("**The largest weight shrinks**: at step 50 “f” looks most")


def test_before_training_no_text_is_shown_that_nobody_can_read(open_page):
    at = open_page("training", training="look_back", model="translate-guided", step="0")
    assert maps(at).translation == "(no readable text)"


def test_the_final_translation_stands_beside_that_of_the_snapshot(open_view, kept):
    at = open_view("look_back", kept, step="200", sentence="k d a f")
    assert maps(at).translation == inspect_sentence(load_run(kept, 200), "k d a f").translation.text
    assert "The text at the end&#58; k d a f" in said(at)
    assert said(at).count("rounded to 8 bits") == 1


def test_a_run_without_snapshots_says_so_and_shows_beginning_and_end(open_view, own_copy):
    shutil.rmtree(own_copy / "snapshots", ignore_errors=True)
    at = open_view("look_back", own_copy, step="0", sentence="a b")
    line = unescape(said(at))
    assert "The text at step 0, before training:" in line
    assert "Only the beginning and the newest weights were kept." in line
    shown = maps(at)
    expected = weights_at(own_copy, 0, "a b")
    assert np.array_equal(shown.weights[shown.selected], expected[shown.selected])


def test_a_damaged_snapshot_is_named_and_the_others_go_on(open_view, kept):
    (kept / "snapshots" / "step-00000010.safetensors").write_bytes(b"nothing")
    at = open_view("look_back", kept, step="10", sentence="a b c")
    assert ["step-00000010" in error.value.replace("&#45;", "-") for error in at.error] == [True]
    at.select_slider(key="step").set_value(200).run()
    assert not at.error
    assert maps(at).weights.shape[1] == 4
    assert {row["x"] for row in chart_rows(at, -1)} == {0, 1, 200, 850}


def test_a_deleted_folder_is_named(open_view, kept):
    at = open_view("look_back", kept)
    shutil.rmtree(kept)
    at.run()
    assert not at.exception
    assert len(at.error) == 1


def test_an_empty_sentence_is_asked_for(open_view, kept):
    at = open_view("look_back", kept)
    at.text_input(key="sentence").set_value("").run()
    assert "Type a sentence" in said(at)


def test_it_opens_on_the_best_head_of_a_kind(open_view):
    at = open_view("look_back", GUIDED, step="100")
    shown = maps(at)
    assert (shown.kind, tuple(shown.selected)) == ("encoder.self", (2, 0))
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    example = TASKS["translate"].examples[0].source
    best = sharpest_head(inspect_sentence(load_run(GUIDED), example), Kind.CROSS)
    chosen = (at.selectbox(key="layer").value, at.selectbox(key="head").value)
    assert chosen == (best.layer, best.index)


def test_what_was_measured_far_from_a_step_does_not_speak_for_it():
    rows = [
        {"step": 100, "loss": 2.0},
        {"step": 250, "loss": 1.0, "held_out_loss": 1.5, "held_out_exact_match": 0.5},
    ]
    assert figures(rows, 100) == "loss 2"
    assert figures(rows, 200) == "loss 1 · held out 1.5 · exact match 50\u00a0% (step 250)"
    assert figures(rows, 250) == "loss 1 · held out 1.5 · exact match 50\u00a0%"
    assert figures(rows, 20) == figures([], 20) == ""
    rows = [{"step": 200, "loss": 2.0}, {"step": 210, "held_out_loss": 1.5}]
    assert figures(rows, 200) == "loss 2 · held out 1.5 (step 200, 210)"
