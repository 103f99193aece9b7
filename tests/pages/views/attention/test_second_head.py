import html
import shutil

import numpy as np
import pytest

from core.heads import Site
from tests.pages.conftest import ROOT, said
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.attention.test_compare import TIRED, WIDE, inspected, panels


@pytest.fixture
def open_compare(open_view):
    """Return a function that opens the view, and gives the page, its `Shown` and its panels."""

    def opener(**query_params):
        at, taken = open_view("compare", **query_params)
        return at, taken, panels(at)

    return opener


@pytest.mark.parametrize("name", ["translate", "translate-guided"])
def test_two_models_begin_with_each_other(open_compare, name):
    partner = {"translate": "translate-guided", "translate-guided": "translate"}[name]
    at, taken, shown = open_compare(model=name, other="two models")
    assert at.selectbox(key="other_model").value == partner
    assert shown[0].title.endswith(f": {name}")
    head = shown[0].title.removesuffix(f": {name}")
    assert shown[2].title == f"{head}: {partner} − {name}"
    layer, chosen = at.selectbox(key="layer").value, at.selectbox(key="head").value
    assert (at.selectbox(key="other_layer").value, at.selectbox(key="other_head").value) == (
        layer,
        chosen,
    )
    assert run_lines(taken.snippet()) == taken.columns()["value"]
    assert "copy" not in at.selectbox(key="other_model").options


def test_a_guided_run_of_ones_own_begins_with_a_free_one(open_compare, own_runs):
    shutil.copytree(ROOT / "gallery" / "translate-guided", own_runs / "mine")
    at, _, _ = open_compare(model="runs/mine", other="two models")
    assert at.selectbox(key="other_model").value == "translate"


def test_a_head_of_another_layer_may_be_chosen_and_follows_the_first_again(open_compare):
    at, taken, shown = open_compare(
        other="two models", other_model="translate", other_layer="0", other_head="1"
    )
    expected = inspected(TIRED, "translate").attention[Site.parse("encoder.0.self")]
    assert np.array_equal(shown[1].values, expected.weights_HQK[1])
    assert shown[1].title == "Encoder layer 0, self-attention head 1: translate"
    between = "translate layer 0 head 1 − translate-guided layer 2 head 0"
    assert shown[2].title == taken.title == f"Difference, encoder self: {between}"
    assert run_lines(taken.snippet()) == taken.columns()["value"]
    at.selectbox(key="head").set_value(3).run()
    assert at.selectbox(key="other_head").value == 3
    assert at.selectbox(key="other_layer").value == 0


def test_models_change_places_where_the_first_becomes_the_second(open_compare):
    at, _, _ = open_compare(other="two models")
    at.selectbox(key="model").set_value("translate").run()
    assert at.selectbox(key="other_model").value == "translate-guided"
    assert panels(at)[2].title.endswith(": translate-guided − translate")


def test_no_sentence_to_compare_with_is_said_so(open_view):
    at, taken = open_view("compare", other_sentence=" ")
    assert "Type another sentence to compare with." in said(at)
    assert taken is None


def test_a_damaged_run_to_compare_with_is_said_so(open_view, own_copy):
    for weights in (own_copy / "checkpoints").glob("*.safetensors"):
        weights.write_bytes(weights.read_bytes()[:100])
    at, taken = open_view("compare", model="copy", other="two models", other_model="runs/mine")
    assert [error.value for error in at.error]
    assert "mine" in at.error[0].value
    assert taken is None


def test_a_run_without_settings_is_not_offered(open_compare, own_copy):
    (own_copy / "run.json").write_text("{")
    at, _, _ = open_compare(model="copy", other="two models", other_model="runs/mine")
    assert at.selectbox(key="other_model").options == ["copy", "copy-learned"]


def test_where_the_other_model_has_no_such_head_it_is_said_so(open_compare, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at, taken, shown = open_compare(
        model="copy",
        kind="encoder self",
        layer="1",
        head="1",
        other="two models",
        other_model="runs/random",
    )
    said_so = "Not in runs/random: Encoder layer 1, self-attention head 1. Its last layer is 0, its"
    assert said_so in html.unescape(said(at))
    assert shown[1].title == "Encoder layer 0, self-attention head 0: runs/random"


@pytest.mark.parametrize(
    "wrong",
    [
        {"other": "three"},
        {"other": "two models", "other_model": "nothing"},
        {"other": "two models", "other_layer": "7", "other_head": "x"},
    ],
)
def test_what_a_link_cannot_mean_falls_back(open_compare, wrong):
    _, taken, shown = open_compare(**wrong)
    assert len(shown) == 3
    assert taken is not None


def test_a_run_that_fits_is_offered_under_its_own_name(open_compare, own_runs):
    shutil.copytree(ROOT / "gallery" / "translate", own_runs / "mine")
    at, taken, _ = open_compare(other="two models", other_model="runs/mine")
    assert at.selectbox(key="other_model").value == "runs/mine"
    assert "runs/mine" in taken.snippet()


def test_another_example_brings_the_one_that_is_most_like_it(open_compare):
    at, _, _ = open_compare()
    next(button for button in at.button if button.label == "wide").click().run()
    assert at.text_input(key="other_sentence").value == TIRED
    assert "“it” looks 1.00 more at “animal”" in said(at)
    at.text_input(key="other_sentence").set_value("The goat slept.").run()
    next(button for button in at.button if button.label == "tired").click().run()
    assert at.text_input(key="other_sentence").value == "The goat slept."


def test_a_model_of_another_task_brings_another_second_sentence(open_compare):
    at, _, _ = open_compare()
    assert at.text_input(key="other_sentence").value == WIDE
    at.selectbox(key="model").set_value("copy").run()
    first = at.text_input(key="sentence").value
    assert at.text_input(key="other_sentence").value not in (WIDE, TIRED, first)
