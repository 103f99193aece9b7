from dataclasses import replace
from importlib import import_module

import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.opening.opening import open_model
from pages.frame import notes
from pages.frame.needs import Need, why_not
from tests.core.families.folders import write_folder
from tests.pages.conftest import ROOT, said
from tests.pages.every_view import PAGES, each_view_of, query_of

KINDS = ["bert", "bert without a head", "gpt2", "llama3", "t5", "marian"]
SENTENCE = "The street was too tired."
LACKS = {
    "bert": {Need.WRITING, Need.BOTH, Need.TASK, Need.SCALED_TOKENS},
    "bert without a head": {
        Need.WRITING,
        Need.BOTH,
        Need.TASK,
        Need.SCALED_TOKENS,
    },
    "gpt2": {Need.SOURCE, Need.BOTH, Need.TASK, Need.SCALED_TOKENS},
    "llama3": {
        Need.SOURCE,
        Need.BOTH,
        Need.TASK,
        Need.SCALED_TOKENS,
        Need.LAYER_NORM,
    },
    "t5": {Need.TASK, Need.TEXTS, Need.SCALED_TOKENS, Need.LAYER_NORM, Need.SCALED_SCORES},
    "marian": {Need.TASK, Need.TEXTS},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Tiny models of every family, as runs of one's own."""
    path = tmp_path_factory.mktemp("opened")
    for name in KINDS:
        write_folder(path / "models" / name, name)
        list(open_model(str(path / "models" / name), path / "runs" / name.replace(" ", "-")))
    return path / "runs"


@pytest.mark.parametrize("name", KINDS)
def test_what_a_model_lacks_is_said_in_a_sentence(opened, name):
    run = load_run(opened / name.replace(" ", "-"))
    lacks = {need for need in Need if why_not(run, [need])}
    assert lacks == LACKS[name] | {Need.PARALLEL, Need.POINTER}
    assert all(why_not(run, [need]).endswith(".") for need in lacks)


def test_lines_of_text_are_not_said_to_help_where_pairs_are_needed(opened):
    said = {name: why_not(load_run(opened / name), [Need.TASK]) for name in ("bert", "marian")}
    assert "one stack of layers" in said["bert"]
    assert "give it some" not in said["bert"]
    assert "give it some of your own" in said["marian"]


def test_a_model_trained_here_lacks_nothing_but_what_it_was_not_made_with():
    causal, parallel, copying = (
        load_run(ROOT / "gallery" / name) for name in ("copy", "parallel", "copying")
    )
    assert {need for need in Need if why_not(causal, [need])} == {Need.PARALLEL, Need.POINTER}
    assert {need for need in Need if why_not(parallel, [need])} == {Need.NEXT, Need.POINTER}
    # It reads and writes words by more than their own vectors.
    assert {need for need in Need if why_not(copying, [need])} == {Need.OWN_VECTORS, Need.PARALLEL}


VIEWS = [
    (page, view)
    for page in PAGES
    if page not in ("experiments", "training", "runs")
    for view in import_module(f"pages.{page}").VIEWS
]


@pytest.fixture
def shown_or_said(opened, elsewhere, open_page, taken):
    """Return a function that opens a view of a model: what it said, and whether it drew."""
    elsewhere("OWN", opened)

    def look(page, view, folder):
        query = query_of(page, view.name) | {"model": f"runs/{folder}", "sentence": SENTENCE}
        at = open_page(page, **query)
        return [each.value for each in [*at.info, *at.error]], bool(taken)

    return look


@pytest.mark.parametrize(("name", "page", "view"), each_view_of(KINDS, VIEWS))
def test_every_view_works_for_an_opened_model_or_says_why_not(
    opened, shown_or_said, page, view, name
):
    folder = name.replace(" ", "-")
    said, drew = shown_or_said(page, view, folder)
    why = why_not(load_run(opened / folder), view.needs)
    assert said == [why] if why else drew or said


@pytest.mark.parametrize(
    ("page", "view"),
    [each for each in VIEWS if Need.TASK not in each[1].needs and Need.BOTH not in each[1].needs],
    ids=lambda each: getattr(each, "name", each),
)
def test_what_a_decoder_alone_writes_is_not_called_a_translation(
    opened, elsewhere, open_page, page, view
):
    elsewhere("OWN", opened)
    query = query_of(page, view.name) | {"model": "runs/gpt2", "sentence": SENTENCE}
    at = open_page(page, **query)
    assert "ranslat" not in said(at)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_nothing_is_said_of_a_training_that_nobody_knows(opened, name):
    run = load_run(opened / name)
    assert notes.about_sentence(run, inspect_sentence(run, SENTENCE)) == []


@pytest.mark.parametrize(
    ("changes", "need", "sentence"),
    [
        ({"decoder_mixing": "gru"}, Need.DECODER_SELF, "has no decoder self-attention"),
        ({"norm_kind": "batch"}, Need.LAYER_NORM, "norms over the features of a whole batch"),
        ({"norm_kind": "rms"}, Need.LAYER_NORM, "divides by the root of the mean square"),
        ({"scores": "additive"}, Need.DOT_PRODUCTS, "has additive attention"),
        ({"scores": "linear"}, Need.DOT_PRODUCTS, "has linear attention"),
        ({"scores": "linear"}, Need.SCALED_SCORES, "does not divide its scores"),
    ],
)
def test_what_a_model_has_in_the_place_of_the_usual_is_named(changes, need, sentence):
    copy_run = load_run(ROOT / "gallery" / "copy")
    assert not why_not(copy_run, [need])
    model = replace(copy_run.settings.model, **changes)
    run = replace(copy_run, settings=replace(copy_run.settings, model=model))
    assert sentence in why_not(run, [need])
