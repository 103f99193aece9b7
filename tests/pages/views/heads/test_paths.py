import html
import math
from urllib.parse import parse_qsl

import numpy as np
import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_probabilities, path_study
from pages.frame.language import number, percent
from pages.views.heads import paths
from tests.pages.conftest import ROOT, said, send_from, unfold
from tests.pages.views.heads.conftest import assert_computed_again
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
GUIDED = Head.parse("encoder.2.self:0")
LOOKS = Head.parse("encoder.0.self:3")


@pytest.fixture
def open_paths(open_page):
    return lambda **query_params: open_page(
        "heads", trial="paths", **{"model": "translate-guided", **query_params}
    )


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def read(at):
    return html.unescape(said(at))


def seen(at):
    [line] = [line for line in read(at).splitlines() if "**What you see**" in line]
    return line


def pictures(at):
    """Return what the view shows: the row before and after, and the map below it."""
    return [unpack(each.proto.bytes) for each in at.get("bidi_component")]


def the_map(at):
    return pictures(at)[-1]


def frame(at):
    """Return the labels of the framed cell of the map."""
    shown = the_map(at)
    panel, row, column = shown.selected
    axes = shown.panels[panel].rows, shown.panels[panel].columns
    return tuple(axis.labels[at].text for axis, at in zip(axes, (row, column), strict=True))


@pytest.mark.parametrize("reads", Read)
@pytest.mark.parametrize("by", ["moved", "log_p"])
def test_the_map_is_what_each_direct_path_changes(open_paths, run, reads, by):
    at = open_paths(path_reads=reads, path_by=by)
    assert at.text_input(key="patch_with").value == WIDE
    effects = path_study(run, TIRED, WIDE, reads).effects
    changes_NN = effects.moved_NN
    if by == "log_p" or reads == Read.VALUE:
        changes_NN = path_probabilities(run, TIRED, WIDE, reads)
    [panel] = the_map(at).panels
    expected = changes_NN[effects.direct_NN]
    assert panel.values[panel.visible] == pytest.approx(expected, abs=1e-5)
    # Where only values are read, every row stays as it is.
    assert (len(pictures(at)) == 1) == (reads == Read.VALUE)


def test_it_opens_on_the_path_that_moves_most_and_says_so(open_paths, run):
    at = open_paths(path_by="moved")
    study = path_study(run, TIRED, WIDE, Read.QUERY)
    effects = study.effects
    row, column = effects.strongest(effects.moved_NN)
    place = row, column
    sender, receiver = effects.heads[row], effects.heads[column]
    writer = f"Head A (encoder layer {sender.layer}, head {sender.index}) writes what it finds at “"
    reader = f"head B (encoder layer {receiver.layer}, head {receiver.index}) looks from “"
    assert writer in seen(at) and f"Fed what A writes of “wide”, {reader}" in seen(at)
    before, after = (percent(float(each[place])) for each in (effects.before_NN, effects.after_NN))
    said = f"with **{after}** instead of {before}: where B looks changes, the output does not."
    assert said in seen(at)
    assert frame(at) == (
        f"encoder {sender.layer}.{sender.index}",
        f"encoder {receiver.layer}.{receiver.index}",
    )


def test_by_log_p_it_opens_on_the_head_that_tells_the_guided_head_where_it_looks(open_paths, run):
    at = open_paths(path_by="log_p")
    found = one_path(run, TIRED, WIDE, Read.QUERY, LOOKS, GUIDED)
    before, after = (
        percent(float(each[found.query, found.key])) for each in (found.before_QK, found.after_QK)
    )
    assert "writes what it finds at “tired” into “it”. " in seen(at)
    look = f"looks from “it” at “animal” with **{after}** instead of {before}."
    assert f"head B (encoder layer 2, head 0) {look}" in seen(at)
    before, after = (percent(math.exp(each)) for each in (found.before_log_p, found.after_log_p))
    assert before != after
    assert f"**Through B alone the output stays “il”** ({after}, before {before})." in seen(at)
    assert "**Through all readers of A it becomes “elle”.**" in seen(at)
    assert frame(at) == ("encoder 0.3", "encoder 2.0")


def test_the_baseline_is_the_median_of_all_paths(open_paths, run):
    at = unfold(open_paths(path_by="moved"), "paths_measured")
    study = path_study(run, TIRED, WIDE, Read.QUERY)
    effects = study.effects
    differs_NN = effects.direct_NN & effects.differs_N[:, None]
    middle = percent(np.median(effects.moved_NN[differs_NN]))
    links = f"{differs_NN.sum()} of the {effects.direct_NN.sum()} paths begin at a head"
    assert f"Baseline: {links} that writes something else for the second sentence" in read(at)
    assert f"the median of those is {middle}." in read(at)
    assert f"Measured at step {study.step}, where the two outputs part" in read(at)
    assert f"{number(study.clean_log_p)} nats in the first sentence" in read(at)


def test_a_clicked_cell_opens_its_path_and_stands_in_the_link(open_paths, run):
    at = open_paths(path_by="moved")
    proto = at.get("bidi_component")[-1].proto
    shown = unpack(proto.bytes)
    [panel] = shown.panels
    row = [each.text for each in panel.rows.labels].index("encoder 0.3")
    column = [each.text for each in panel.columns.labels].index("encoder 2.0")
    send_from(at, proto, "pick", {"panel": 0, "row": row, "column": column})
    assert frame(at) == ("encoder 0.3", "encoder 2.0")
    assert "looks from “it” at “animal”" in seen(at)
    assert at.query_params["path"] == f"{LOOKS},{GUIDED}"
    found = one_path(run, TIRED, WIDE, Read.QUERY, LOOKS, GUIDED)
    [row_panel] = pictures(at)[0].panels
    assert np.array_equal(row_panel.values[2], found.after_QK[found.query])
    # Another sentence has other paths.
    at.text_input(key="patch_with").set_value(TIRED.replace("tired", "old")).run()
    assert "path" not in at.query_params


def test_a_link_opens_a_path(open_paths):
    at = open_paths(path=f"{LOOKS},{GUIDED}", path_reads="all")
    assert frame(at) == ("encoder 0.3", "encoder 2.0")
    queries = [each.proto.query_string for each in at.get("page_link")]
    assert any("layer=0" in query and "head=3" in query for query in queries)
    assert any("layer=2" in query and "head=0" in query for query in queries)


@pytest.mark.parametrize(
    "path", ["", "x", f"{GUIDED},{LOOKS}", f"{GUIDED}", "encoder.9.self:0,encoder.2.self:0", ","]
)
def test_a_link_to_a_path_that_is_none_opens_the_strongest(open_paths, path):
    at = open_paths(path=path)
    assert frame(at) == ("encoder 0.3", "encoder 2.0")


@pytest.mark.parametrize(("reads", "by"), [("query", "nothing"), ("thought", "moved")])
def test_a_link_to_what_is_not_offered_falls_back(open_paths, reads, by):
    at = open_paths(path_reads=reads, path_by=by)
    assert at.segmented_control(key="path_reads").value == Read.QUERY
    # One path changes what is written: that says more than where a head looks.
    assert at.segmented_control(key="path_by").value == ("moved" if by == "moved" else "log_p")


def test_where_a_path_changes_little_a_clearer_example_is_offered(open_paths):
    at = open_paths(model="everyday", path_reads="all")
    assert "**Through B alone the output stays “il”**" in seen(at)
    assert "looks nearly where it did" in seen(at)
    [offered] = [each.proto for each in at.get("page_link") if "clearer" in each.proto.label]
    query = dict(parse_qsl(offered.query_string))
    assert query.pop("trial") == "paths"
    other = open_paths(**query)
    assert not [each for each in other.get("page_link") if "clearer" in each.proto.label]


def test_what_values_carry_moves_no_weight(open_paths):
    at = open_paths(path_reads="value")
    assert "B looks where it did, but takes other values from there" in seen(at)
    assert at.segmented_control(key="path_by").options == ["log p"]


def test_who_writes_the_same_in_both_sentences_changes_nothing(open_paths):
    at = open_paths(path="decoder.0.self:0,decoder.0.cross:1")
    assert "Whatever head A (decoder layer 0, head 0) writes" in seen(at)


def test_the_same_sentence_twice_is_refused_in_one_sentence(open_paths):
    at = open_paths(patch_with=TIRED)
    [info] = at.info
    complaint = "Both sentences are the same to the model: every head writes the same in both."
    assert html.unescape(info.value) == complaint
    assert not at.get("bidi_component")


def test_sentences_that_are_translated_alike_are_measured_where_most_changes(open_paths):
    at = unfold(open_paths(patch_with=TIRED.replace("didn't", "did not")), "paths_measured")
    assert "where most changes, after the same words" in read(at)


def test_with_many_paths_log_p_is_that_of_the_chosen_one_alone(open_paths, monkeypatch):
    monkeypatch.setattr(paths, "MOST_MEASURED", 200)
    at = unfold(open_paths(path_by="log_p"), "paths_measured")
    assert at.segmented_control(key="path_by").options == ["its weights"]
    assert at.segmented_control(key="path_reads").options == ["query", "key", "all"]
    assert "“il” keeps its chance" in said(at)


def test_letters_of_the_copy_task_have_paths(open_paths):
    at = open_paths(model="copy", sentence="k d a f q z", patch_with="k d a f q w")
    at = unfold(at, "paths_measured")
    assert "the output stays “z”" in seen(at)
    assert "It is the strongest of" in read(at)
    assert "“z” keeps its chance" in said(at)


def test_a_model_of_one_layer_has_paths_from_self_attention_to_cross_attention(
    open_paths, own_random
):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=2)
    of_one_layer = {"model": "runs/random", "sentence": "a b c", "patch_with": "d q z"}
    at = open_paths(**of_one_layer, path_reads="query")
    labels = [label.text for label in the_map(at).panels[0].columns.labels]
    assert labels == ["cross 0.0", "cross 0.1"]
    assert "looks where it did" in seen(at)
    at.segmented_control(key="path_reads").set_value("key").run()
    assert "Head A (encoder layer 0, head" in seen(at)
    # More than one word differs.
    assert "Fed what A writes in the second sentence, head B (" in seen(at)


@pytest.mark.parametrize("by", ["moved", "log_p"])
@pytest.mark.parametrize("reads", [Read.QUERY, Read.ALL])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_paths, handed_over, reads, by
):
    at = open_paths(path_reads=reads, path_by=by)
    handed = handed_over[-1]
    [panel] = the_map(at).panels
    name = "moved" if by == "moved" else "log_p_change"
    assert handed.columns()[name] == pytest.approx(panel.values[panel.visible].tolist(), abs=1e-6)
    names = ["moved"] if by == "moved" else ["moved", "log_p_change"]
    assert_computed_again(at, handed, *names)


def test_the_view_begins_with_the_model_that_shows_most_and_keeps_another_that_was_chosen(
    open_page,
):
    at = open_page("heads", trial="paths", model=None)
    assert at.selectbox(key="model").value == paths.TELLING
    # Other views begin with the first model, so that the address has to name this one.
    assert at.query_params["model"] == paths.TELLING
    at.segmented_control(key="trial").set_value("silence").run()
    assert at.selectbox(key="model").value == "everyday"
    at = open_page("heads", trial="paths", model="everyday")
    assert at.selectbox(key="model").value == "everyday"
