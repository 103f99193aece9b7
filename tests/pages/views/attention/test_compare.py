import html
import json
import shutil

import numpy as np
import pytest

from core.analysis.heads.comparison import compare, difference
from core.heads import Head, Site
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from pages.frame import export
from tests.pages.conftest import ROOT, component, said
from tests.pages.views.attention.conftest import run_lines
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
KINDS = {"encoder.self": "encoder self", "decoder.self": "decoder self", "decoder.cross": "cross"}
MODELS = {"view": "compare", "other": "two models"}


@pytest.fixture
def open_compare(open_view):
    """Return a function that opens the view, and gives the page, its `Taking` and its panels."""

    def opener(**query_params):
        at, taken = open_view("compare", **query_params)
        return at, taken, panels(at)

    return opener


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def texts(axis):
    return [label.text for label in axis.labels]


def underlined(axis):
    return [axis.labels[at].text for at in axis.differs]


def inspected(sentence, name="translate-guided", whole_words=False):
    found = inspect_sentence(load_run(ROOT / "gallery" / name), sentence)
    return merged(found) if whole_words else found


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_third_map_is_the_second_minus_the_first(open_compare, kind, words):
    sentence = "The old goat didn't cross the bridge."
    at, taken, shown = open_compare(
        kind=KINDS[kind],
        unit="whole words" if words else "tokens",
        layer="1",
        head="3",
        other_sentence=sentence,
    )
    both = inspected(TIRED, whole_words=words), inspected(sentence, whole_words=words)
    site = next(site for site in both[0].attention if site.attention == kind and site.layer == 1)
    found = difference(compare(*both), Head(site, 3), Head(site, 3))
    expected = [each.attention[site].weights_HQK[3] for each in both] + [found.values_qk]
    visible = [each.attention[site].visible_QK for each in both] + [found.visible_qk]
    for panel, values, seen in zip(shown, expected, visible, strict=True):
        assert np.array_equal(panel.values, values)
        assert np.array_equal(panel.visible, seen)
    assert [panel.scale for panel in shown] == ["weight", "weight", "signed"]
    assert [panel.limit for panel in shown] == [1.0, 1.0, found.end]
    numbers = taken.numbers()
    assert run_lines(taken.lines) == numbers["value"]
    assert len({len(column) for column in numbers.values()}) == 1
    for translation in (each.translation.text for each in both):
        assert translation.split()[-1].rstrip(".") in said(at)


def test_tokens_that_differ_are_underlined_and_read_first_and_second(open_compare):
    _, _, (first, second, between) = open_compare(kind="cross")
    assert (underlined(first.columns), underlined(second.columns)) == (["tired"], ["wide"])
    assert (underlined(first.rows), underlined(second.rows)) == (
        ["il", "fatigué"],
        ["elle", "large"],
    )
    assert underlined(between.columns) == ["tired | wide"]
    assert underlined(between.rows) == ["il | elle", "fatigué | large"]
    assert first.columns.links == second.columns.links == between.columns.links


def test_another_example_brings_the_one_that_is_most_like_it(open_compare):
    at, _, _ = open_compare()
    next(button for button in at.button if button.label == "wide").click().run()
    assert at.text_input(key="other_sentence").value == TIRED
    assert "“it” looks 1.00 more at “animal”" in said(at)
    at.text_input(key="other_sentence").set_value("The goat slept.").run()
    next(button for button in at.button if button.label == "tired").click().run()
    assert at.text_input(key="other_sentence").value == "The goat slept."


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
    assert run_lines(taken.lines) == taken.numbers()["value"]
    assert "copy" not in at.selectbox(key="other_model").options


def test_a_head_of_another_layer_may_be_chosen_and_follows_the_first_again(open_compare):
    at, taken, shown = open_compare(
        other="two models", other_model="translate", other_layer="0", other_head="1"
    )
    expected = inspected(TIRED, "translate").attention[Site.parse("encoder.0.self")]
    assert np.array_equal(shown[1].values, expected.weights_HQK[1])
    assert shown[1].title == "Encoder layer 0, self-attention head 1: translate"
    between = "translate layer 0 head 1 − translate-guided layer 2 head 0"
    assert shown[2].title == taken.title == f"Difference, encoder self: {between}"
    assert run_lines(taken.lines) == taken.numbers()["value"]
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
    said_so = "has no encoder layer 1, self-attention head 1: its last layer is 0, its last head 0."
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


MANY = " ".join("abcd"[i % 4] for i in range(600))


@pytest.mark.parametrize(
    ("sentence", "other", "kind"),
    [
        *(("a", "b", kind) for kind in KINDS.values()),
        ("a", MANY, "decoder self"),
        (MANY, MANY.replace("c", "b"), "cross"),
        ("x" * 60, "שלום עולם", "encoder self"),
        ("a a a a", "a a", "encoder self"),
    ],
)
def test_odd_sentences_of_odd_models_can_be_compared(
    open_compare, own_random, own_runs, sentence, other, kind
):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    _, taken, shown = open_compare(
        model="runs/random", kind=kind, sentence=sentence, other_sentence=other
    )
    assert run_lines(taken.lines, own_runs.parent) == taken.numbers()["value"]
    assert max(max(panel.values.shape) for panel in shown) <= 512


def test_a_model_of_many_heads_can_be_compared_with_itself(open_compare, own_random, own_runs):
    own_random(n_encoder_layers=12, n_decoder_layers=12, n_heads=16)
    _, taken, shown = open_compare(
        model="runs/random",
        kind="cross",
        sentence="a b c",
        layer="11",
        head="15",
        other="two models",
        other_model="runs/random",
        other_layer="0",
        other_head="2",
    )
    assert shown[1].title == "Decoder layer 0, cross-attention head 2: runs/random"
    assert shown[2].title == "runs/random, cross: layer 0 head 2 − layer 11 head 15"
    assert run_lines(taken.lines, own_runs.parent) == taken.numbers()["value"]


def test_a_run_that_fits_is_offered_under_its_own_name(open_compare, own_runs):
    shutil.copytree(ROOT / "gallery" / "translate", own_runs / "mine")
    at, taken, _ = open_compare(other="two models", other_model="runs/mine")
    assert at.selectbox(key="other_model").value == "runs/mine"
    assert "runs/mine" in taken.lines


def test_a_sentence_with_quotes_stands_in_the_lines_as_it_was_typed(open_compare):
    odd = 'The "old" goat\'s \\ {bridge}.'
    _, taken, _ = open_compare(other_sentence=odd)
    assert json.dumps(odd) in taken.lines
    assert run_lines(taken.lines) == taken.numbers()["value"]


def test_files_say_what_was_compared(open_compare):
    at, taken, _ = open_compare(kind="encoder self", layer="1", head="3")
    assert taken.about == {
        "head": "Encoder layer 1, self-attention head 3",
        "second_head": "Encoder layer 1, self-attention head 3",
        "second_sentence": WIDE,
        "second_translation": inspected(WIDE).translation.text,
    }
    facts = {"model": "m", "step": 1, "sentence": "s", "translation": "t"}
    assert "<dt>Second sentence</dt>" in export.page(taken, facts)
    _, taken, _ = open_compare(other="two models", other_layer="0", other_head="1")
    assert taken.about["second_model"] == "translate"
    assert taken.about["second_head"] == "Encoder layer 0, self-attention head 1"
    assert taken.about["second_translation"] == inspected(TIRED, "translate").translation.text


def test_a_model_of_another_task_brings_another_second_sentence(open_compare):
    at, _, _ = open_compare()
    assert at.text_input(key="other_sentence").value == WIDE
    at.selectbox(key="model").set_value("copy").run()
    first = at.text_input(key="sentence").value
    assert at.text_input(key="other_sentence").value not in (WIDE, TIRED, first)
