import base64
import html
import json
import re
import shutil

import numpy as np
import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.weights import stops
from pages.frame import language
from pages.views.training.look_back import figures
from tests.pages import pseudo_locale
from tests.pages.conftest import ROOT, component, said, send_from
from tests.pages.conftest import shown as maps
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.training.conftest import KEPT
from viz.component.payload import unframed


def scrubber_json(at):
    return component(at, "scrubber").bytes.decode("utf-8", errors="ignore")


def weights_at(path, step, sentence):
    inspection = inspect_sentence(load_run(path, step), sentence)
    sites = [site for site in inspection.attention if site.attention == "decoder.cross"]
    return np.stack([inspection.attention[site].weights_HQK for site in sites])


@pytest.mark.parametrize("step", [0, *KEPT, 850])
def test_the_maps_are_those_of_the_step_in_the_link(open_view, kept, step):
    shown = maps(open_view("look_back", kept, step=str(step), sentence="a b c"))
    expected = weights_at(kept, step, "a b c")
    assert np.abs(shown.weights - expected).max() <= 0.5 / 255 + 1e-6
    assert np.array_equal(shown.weights[shown.selected], expected[shown.selected])


def test_it_opens_at_the_end_of_the_training(open_view, kept):
    at = open_view("look_back", kept)
    assert at.selectbox(key="step").value == 850
    assert at.selectbox(key="step").options == ["0", "1", "10", "200", "850"]


def test_moving_the_handle_shows_that_snapshot(open_view, kept):
    at = open_view("look_back", kept, sentence="a b c")
    send_from(at, component(at, "scrubber"), "pick", {"step": 10})
    assert at.selectbox(key="step").value == 10
    assert '"chosen":10' in scrubber_json(at).replace(" ", "")
    shown = maps(at)
    expected = weights_at(kept, 10, "a b c")
    assert np.array_equal(shown.weights[shown.selected], expected[shown.selected])


def test_a_step_that_is_no_longer_kept_gives_way_to_the_last(open_view, kept):
    at = open_view("look_back", kept, step="200")
    (kept / "snapshots" / "step-00000200.safetensors").unlink()
    at.run()
    assert not at.exception
    assert at.selectbox(key="step").value == 850


def test_a_step_that_was_never_kept_gives_way_to_the_last(open_view, kept):
    assert open_view("look_back", kept, step="77").selectbox(key="step").value == 850


def test_the_final_translation_stands_beside_that_of_the_snapshot(open_view, kept):
    at = open_view("look_back", kept, step="200", sentence="k d a f")
    assert maps(at).translation == inspect_sentence(load_run(kept, 200), "k d a f").translation.text
    assert "at the end: k d a f<" in at.get("html")[-1].proto.body


def test_the_file_to_take_away_is_in_the_language_of_the_page(
    open_page, own_copy, tmp_path, monkeypatch
):
    written = {}

    def noted(label, *, data, **_others):
        written[label] = data

    monkeypatch.setattr("streamlit.download_button", noted)
    pseudo_locale.write(tmp_path / "locales")
    monkeypatch.setattr(language, "LOCALES", tmp_path / "locales")
    at = open_page("training", model="runs/mine", training="look_back", lang="qps")
    page = written["HTML"]()
    assert '<html lang="qps">' in page
    assert f"<dt>{html.escape(pseudo_locale.marked('Training step'))}</dt>" in page
    loss, maps = re.findall(r'<script type="text/plain" id="payload-\d">([^<]*)</script>', page)
    for found, name in ((loss, "scrubber"), (maps, "attention_maps")):
        packed, shown = unframed(base64.b64decode(found))[0], unframed(component(at, name).bytes)[0]
        assert packed["locale"] == "qps"
        assert packed["texts"] == shown["texts"]


def test_a_run_without_snapshots_says_so_and_shows_beginning_and_end(open_view, own_copy):
    path = own_copy
    shutil.rmtree(path / "snapshots", ignore_errors=True)
    at = open_view("look_back", path, step="0", sentence="a b")
    assert stops(path) == (0, 850)
    line = at.get("html")[-1].proto.body
    assert "step 0: before training. " in line
    assert "Only the beginning and the newest weights were kept." in line
    assert "nowrap" not in line
    shown = maps(at)
    assert np.array_equal(shown.weights[shown.selected], weights_at(path, 0, "a b")[shown.selected])


def test_that_snapshots_are_rounded_is_said_once(open_view, kept):
    assert said(open_view("look_back", kept)).count("rounded to 8 bits") == 1


def test_a_damaged_snapshot_is_named_and_the_others_go_on(open_view, kept):
    (kept / "snapshots" / "step-00000010.safetensors").write_bytes(b"nothing")
    at = open_view("look_back", kept, step="10", sentence="a b c")
    assert ["step-00000010" in error.value.replace("&#45;", "-") for error in at.error] == [True]
    at.selectbox(key="step").set_value(200).run()
    assert not at.error
    assert maps(at).weights.shape[1] == 4


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
    assert at.get("bidi_component")


def test_a_layer_that_another_kind_does_not_have_gives_way(open_view):
    at = open_view("look_back", ROOT / "gallery" / "translate", kind="encoder self", layer="2")
    assert maps(at).selected[0] == 2
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    assert not at.exception
    assert maps(at).selected[0] < 2


def test_what_was_measured_far_from_a_step_does_not_speak_for_it():
    rows = [
        {"step": 100, "loss": 2.0},
        {"step": 250, "loss": 1.0, "held_out_loss": 1.5, "held_out_exact_match": 0.5},
    ]
    assert figures(rows, 100) == "loss 2"
    assert figures(rows, 200) == "loss 1 · held out 1.5 · exact match 50\u00a0% (step 250)"
    assert figures(rows, 250) == "loss 1 · held out 1.5 · exact match 50\u00a0%"
    assert figures(rows, 20) == figures([], 20) == ""


def test_figures_of_two_measurements_name_both_steps():
    rows = [{"step": 200, "loss": 2.0}, {"step": 210, "held_out_loss": 1.5}]
    assert figures(rows, 200) == "loss 2 · held out 1.5 (step 200, 210)"


def test_the_step_stands_in_the_picture_of_the_course(open_view, kept):
    text = scrubber_json(open_view("look_back", kept, step="1"))
    header = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert header["stops"] == [0, 1, 10, 200, 850]
    assert header["chosen"] == 1


def test_it_opens_on_the_head_that_finds_antecedents(open_view):
    at = open_view("look_back", ROOT / "gallery" / "translate-guided", step="100")
    shown = maps(at)
    assert (shown.kind, tuple(shown.selected)) == ("encoder.self", (2, 0))


def test_the_python_computes_the_weights_that_are_shown(open_page, taken):
    open_page("training", training="look_back", model="translate-guided", step="200", layer="1")
    [shown] = taken
    numbers = shown.columns()
    assert numbers["weight"] == run_lines(shown.snippet())
    assert len({len(column) for column in numbers.values()}) == 1
    run = load_run(ROOT / "gallery" / "translate-guided", 200)
    inspection = inspect_sentence(run, shown.about["sentence"])
    assert set(numbers["head"]) == {"encoder.1.self:0"}
    assert numbers["query_token"][-1] == inspection.source_tokens[-1].text
    assert [bool(picture.packed()) for picture in shown.pictures] == [True, True]


def test_a_view_with_nothing_to_show_offers_nothing(open_page, taken):
    open_page("training", training="look_back", model="copy", sentence=" ")
    assert not taken


def test_the_line_says_where_a_row_looks_at_that_step(open_page, kept, taken):
    open_page(
        "training", training="look_back", model="runs/mine", step="200", sentence="a b c", layer="1"
    )
    seen = taken[-1].seen
    row = re.search(
        r"fed \*\*(.+?)\*\* to write .+ looks most at \*\*(.+?)\*\*: \*\*([\d.]+)", seen
    )
    columns = taken[-1].columns()
    rows = {}
    for at, weight in zip(columns["query"], columns["weight"], strict=True):
        rows.setdefault(at, []).append(weight)
    texts = dict(zip(columns["query"], columns["query_token"], strict=True))
    keys = dict(zip(columns["key"], columns["key_token"], strict=True))
    largest = {
        (keys[int(np.argmax(weights))], f"{max(weights):.2f}")
        for at, weights in rows.items()
        if texts[at] == row[1]
    }
    assert (row[2], row[3]) in largest
    assert seen.endswith(f"has {1 / len(keys):.2f}.")
