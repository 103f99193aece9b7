import html

import pytest

from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.path_patching import Read, path_study
from pages.frame.language import percent
from tests.pages.conftest import ROOT, said, send_from
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
GUIDED = Head.parse("encoder.2.self:0")


@pytest.fixture
def open_path(open_page):
    return lambda **query_params: open_page("heads", trial="patch", patched="path", **query_params)


@pytest.fixture(scope="module")
def study():
    run = load_run(ROOT / "gallery" / "translate-guided")
    return path_study(run, TIRED, WIDE, Read.ALL, GUIDED)


def seen(at):
    read = html.unescape(said(at))
    [line] = [line for line in read.splitlines() if "**What you see**" in line]
    return line


def test_it_says_what_was_exchanged_and_what_that_changes(open_path, study):
    at = open_path()
    assert at.selectbox(key="path_reader").value == str(GUIDED)
    path, outcomes = study.path, study.outcomes
    before, after = (
        percent(float(each[path.query, path.key])) for each in (path.before_QK, path.after_QK)
    )
    chances = [percent(each.chance) for each in (outcomes.path, outcomes.clean)]
    assert (
        "B (encoder 2.0) is given what A (encoder 0.3) writes of “wide”. **Through B alone the "
        f"output stays “il”** ({chances[0]}, before {chances[1]}). **Through all readers of A it "
        f"becomes “elle”.** B looks from “it” at “animal” with **{after}** instead of {before}."
    ) in seen(at)


def test_a_click_chooses_the_sender_and_another_sentence_forgets_it(open_path):
    at = open_path()
    [proto] = [each.proto for each in at.get("bidi_component")]
    assert unpack(proto.bytes).selected == (0, 0, 3)
    send_from(at, proto, "pick", {"panel": 0, "row": 1, "column": 1})
    assert at.query_params["path"] == f"encoder.1.self:1,{GUIDED}"
    assert "what A (encoder 1.1) writes" in seen(at)
    at.text_input(key="patch_with").set_value(TIRED.replace("tired", "old")).run()
    assert "path" not in at.query_params


@pytest.mark.parametrize("path", ["", "x", f"{GUIDED},{GUIDED}", "encoder.9.self:0,x", ","])
def test_a_link_to_a_path_that_is_none_opens_the_strongest(open_path, path):
    assert "what A (encoder 0.3) writes" in seen(open_path(path=path))


def test_the_same_sentence_twice_is_refused(open_path):
    [info] = open_path(patch_with=TIRED).info
    assert "same to the model" in html.unescape(info.value)


def test_values_move_no_weight(open_path):
    assert seen(open_path(path_reads="value")).endswith("B looks where it did.")
