import html
import math
from urllib.parse import parse_qsl

import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import one_path, path_senders
from pages.frame.language import percent
from pages.views.heads import paths
from tests.pages.conftest import ROOT, said, unfold
from tests.pages.takeable import assert_takeable, computed, numbers_of
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
    """Return the rows of both ends."""
    return [unpack(each.proto.bytes) for each in at.get("bidi_component")]


def is_path(at, sender, receiver):
    """Return whether a path is the one that is drawn and said."""
    ends = (f"Head A ({named(sender)})", f"ead B ({named(receiver)})")
    return all(each in seen(at) for each in ends)


def named(head):
    return f"{head.kind.stack} layer {head.layer}, head {head.index}"


def test_it_opens_on_the_path_that_changes_most_and_another_reader_has_others(open_paths, run):
    at = open_paths(path_by="moved")
    assert at.text_input(key="patch_with").value == WIDE
    for reader in (GUIDED, Head.parse("encoder.1.self:1")):
        at.selectbox(key="path_reader").set_value(str(reader)).run()
        study = path_senders(run, TIRED, WIDE, Read.QUERY, reader)
        assert is_path(at, study.senders[int(study.moved_N.argmax())], reader)


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
    assert is_path(at, LOOKS, GUIDED)


def test_another_sentence_has_other_paths(open_paths):
    at = open_paths(path=f"encoder.1.self:1,{GUIDED}")
    assert is_path(at, Head.parse("encoder.1.self:1"), GUIDED)
    at.text_input(key="patch_with").set_value(TIRED.replace("tired", "old")).run()
    assert "path" not in at.query_params


def test_a_link_opens_a_path(open_paths):
    at = open_paths(path=f"{LOOKS},{GUIDED}", path_reads="all")
    assert is_path(at, LOOKS, GUIDED)
    queries = [each.proto.query_string for each in at.get("page_link")]
    assert any("layer=0" in query and "head=3" in query for query in queries)
    assert any("layer=2" in query and "head=0" in query for query in queries)


@pytest.mark.parametrize(
    "path", ["", "x", f"{GUIDED},{LOOKS}", f"{GUIDED}", "encoder.9.self:0,encoder.2.self:0", ","]
)
def test_a_link_to_a_path_that_is_none_opens_the_strongest(open_paths, path):
    at = open_paths(path=path)
    assert is_path(at, LOOKS, GUIDED)


@pytest.mark.parametrize(("reads", "by"), [("query", "nothing"), ("thought", "moved")])
def test_a_link_to_what_is_not_offered_falls_back(open_paths, reads, by):
    at = open_paths(path_reads=reads, path_by=by)
    assert at.segmented_control(key="path_reads").value == Read.QUERY
    # One path changes what is written: that says more than where a head looks.
    assert at.segmented_control(key="path_by").value == ("moved" if by == "moved" else "log_p")


def test_where_a_path_changes_little_a_clearer_example_is_offered(open_paths):
    at = open_paths(model="everyday", path_reads="all")
    assert "**Through B alone the output stays “il”**" in seen(at)
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


def test_letters_of_the_copy_task_have_paths(open_paths):
    at = open_paths(model="copy", sentence="k d a f q z", patch_with="k d a f q w")
    at = unfold(at, "paths_measured")
    assert "the output stays “z”" in seen(at)
    assert "It is the strongest of" in read(at)
    assert "“z” keeps its chance" in said(at)


@pytest.mark.parametrize("reads", [Read.QUERY, Read.VALUE])
def test_what_is_taken_away_is_what_is_measured_and_can_be_computed_again(
    open_paths, handed_over, run, reads
):
    at = open_paths(path_reads=reads)
    handed = handed_over[-1]
    found = path_senders(run, TIRED, WIDE, reads, GUIDED)
    assert handed.numbers() == found.table()
    assert_takeable(at, handed)
    assert computed(handed) == numbers_of(handed, *found.table())


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
