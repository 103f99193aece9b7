import json

import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.studies.heads.comparison import compare, difference
from core.studies.lessons.embeddings import sentence_cosine
from pages.frame import session, view
from pages.frame.language import number
from tests.pages.conftest import ROOT, component, said
from tests.pages.views.attention.conftest import run_lines, seen
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
KINDS = {"encoder.self": "encoder self", "decoder.self": "decoder self", "decoder.cross": "cross"}
MODELS = {"view": "compare", "other": "two models"}


@pytest.fixture
def open_compare(open_view):
    """Return a function that opens the view, and gives the page, its `Shown` and its panels."""

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
    for panel, values, visible_QK in zip(shown, expected, visible, strict=True):
        assert np.array_equal(panel.values, values)
        assert np.array_equal(panel.visible, visible_QK)
    assert [panel.scale for panel in shown] == ["weight", "weight", "signed"]
    assert [panel.limit for panel in shown] == [1.0, 1.0, found.end]
    numbers = taken.columns()
    assert run_lines(taken.snippet()) == numbers["value"]
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
    assert run_lines(taken.snippet(), own_runs.parent) == taken.columns()["value"]
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
    assert run_lines(taken.snippet(), own_runs.parent) == taken.columns()["value"]


def test_a_sentence_with_quotes_stands_in_the_lines_as_it_was_typed(open_compare):
    odd = 'The "old" goat\'s \\ {bridge}.'
    _, taken, _ = open_compare(other_sentence=odd)
    assert json.dumps(odd) in taken.snippet()
    assert run_lines(taken.snippet()) == taken.columns()["value"]


def test_files_say_what_was_compared(open_compare):
    at, taken, _ = open_compare(kind="encoder self", layer="1", head="3")
    assert taken.about == {
        "head": "Encoder layer 1, self-attention head 3",
        "second_head": "Encoder layer 1, self-attention head 3",
        "second_sentence": WIDE,
        "second_translation": inspected(WIDE).translation.text,
    }
    facts = {"model": "m", "step": 1, "sentence": "s", "translation": "t"}
    assert "<dt>Second sentence</dt>" in view.page(taken, facts | taken.about)
    _, taken, _ = open_compare(other="two models", other_layer="0", other_head="1")
    assert taken.about["second_model"] == "translate"
    assert taken.about["second_head"] == "Encoder layer 0, self-attention head 1"
    assert taken.about["second_translation"] == inspected(TIRED, "translate").translation.text


def test_what_is_seen_is_the_largest_difference_said_once(open_compare):
    at, taken, (_, _, between) = open_compare(layer="1", head="3")
    row, column = np.unravel_index(np.abs(between.values).argmax(), between.values.shape)
    query, key = texts(between.rows)[row], texts(between.columns)[column]
    found = f"{abs(float(between.values[row, column])):.3g}"
    assert seen(at).startswith(f"“{query}” looks ")
    assert f"“{key}”" in seen(at)
    assert found in seen(at)
    assert seen(at).endswith("Differs: **tired | wide**.")
    assert said(at).count("Differs: ") == 1
    assert taken.instead == ""


def test_the_same_sentence_twice_says_so_and_offers_another(open_compare):
    at, taken, _ = open_compare(other_sentence=TIRED)
    assert seen(at) == "No weight differs. The tokens are the same."
    assert taken.instead == WIDE


@pytest.mark.parametrize(("kind", "told"), [("bert without a head", True), ("bert", False)])
def test_of_an_encoder_that_guesses_no_words_the_cosine_of_both_sentences_is_said(
    open_page, elsewhere, opened_path, kind, told
):
    path = opened_path(kind)
    elsewhere("OWN", path.parent)
    one, other = "the animal slept", "it was too tired"
    sentences = {session.SENTENCE: one, session.OTHER_SENTENCE: other}
    at = open_page("attention", view="compare", model=f"runs/{kind}", **sentences)
    cosine = sentence_cosine(load_run(path), one, other)
    assert (f"have cosine **{number(cosine, 2)}**" in said(at)) == told
