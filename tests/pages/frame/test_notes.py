from dataclasses import replace

import pytest

from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.files import HEADS
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.question import heads_of
from pages.frame import cached, notes
from pages.frame.selection import inspecting
from tests.pages.conftest import ROOT, said

NO_CHANGE = "Silencing this head makes no measurable difference"
NO_BETTER = "no better than a rule"


def store(path, useless):
    """Store effects in which for one head only no change was found."""
    run = load_run(path)
    nothing = Difference(0.9, 0.89, -0.02, 0.01, 100)
    less = Difference(0.9, 0.5, -0.5, -0.3, 100)
    effects = tuple(
        HeadEffect(head, *[nothing if head == useless else less] * 2, None)
        for head in heads_of(run.model)
    )
    store_effects(run, HeadEffects(effects, 100, 7, run.step))


@pytest.mark.parametrize(("kind", "n_around"), [("gpt2", 0), ("bert", 2), ("marian", 1)])
def test_the_tokens_of_a_cut_text_are_counted_without_what_stands_around_them(
    run_of_kind, elsewhere, kind, n_around
):
    elsewhere("OWN", run_of_kind(kind).parent)
    run = load_run(run_of_kind(kind))
    found = inspect_sentence(run, "the street " * 400)
    # A decoder alone writes after its text.
    read = [token for token in found.source_tokens or found.fed_tokens[: found.n_typed]]
    [sentence] = [each for each in notes.about_reading(run, found) if "cut" in each]
    assert f"cut after {len(read) - n_around} tokens" in sentence


@pytest.mark.parametrize("kind", ["gpt2", "bert", "marian"])
def test_the_end_of_a_long_text_is_read_on_request(run_of_kind, elsewhere, kind):
    elsewhere("OWN", run_of_kind(kind).parent)
    usual = load_run(run_of_kind(kind))
    run = replace(usual, truncates_left=True)
    text = "the street " * 400 + "was wide"
    found = inspect_sentence(run, text)
    ids = found.translation.source_ids or found.translation.fed_ids[: found.n_typed]
    begins, ends = run.tokenizer.begins, run.tokenizer.ends if found.source_tokens else ()
    words = run.tokenizer.encode(text).ids
    n = len(ids) - len(begins) - len(ends)
    assert ids == (*begins, *words[-n:], *ends)
    assert len(ids) == len(inspect_sentence(usual, text).source_tokens or ids)
    assert any("Only the last" in each for each in notes.about_reading(run, found))


USELESS = Head(Site("encoder", 0, "self"), 1)
QUERY = {"model": "runs/mine", "kind": "encoder self", "layer": "0", "head": "1"}


def test_a_head_whose_silencing_changes_nothing_is_named_as_soon_as_it_is_measured(
    open_app, own_copy
):
    at = open_app(**QUERY)
    assert NO_CHANGE not in said(at)
    # Nothing is measured for it.
    assert not (own_copy / HEADS).exists()
    store(own_copy, USELESS)
    assert (
        f"{NO_CHANGE}: exact match 90\u00a0% → 89\u00a0% (95 % interval of the change: −2.0 to "
        "1.0 points, on 100 held-out rows of letters, seed 7)." in said(at.run())
    )
    at.selectbox(key="head").set_value(2).run()
    assert NO_CHANGE not in said(at)


def test_the_best_finder_of_antecedents_that_is_no_better_than_a_rule_is_named():
    found = {}
    for model in ("translate", "translate-guided"):
        run = load_run(ROOT / "gallery" / model)
        for kind in (Kind.ENCODER_SELF, Kind.CROSS):
            best = best_pronoun_head(run, kind)
            lines = [line for line in notes.about_head(run, best.head) if NO_BETTER in line]
            assert len(lines) == (not best.beats_baseline)
            assert all(f"n = {best.n}, seed {best.seed}" in line for line in lines)
            found[model, kind] = best.beats_baseline
    assert {*found.values()} == {True, False}


def test_a_nearly_uniform_head_is_said(own_copy):
    run = cached.loaded(own_copy)
    inspection = inspect_sentence(run, "a b c d")
    site = Site("encoder", 0, "self")
    attention = inspection.attention[site]
    attention.weights_HQK[0] = 1 / attention.weights_HQK.shape[-1]
    assert any("nearly uniform" in line for line in notes.about_map(run, inspection, Head(site, 0)))


TROPHY = "The trophy didn't fit in the suitcase because it was too big."


@pytest.mark.parametrize(
    ("model", "sentence", "about"),
    [
        (
            "translate-guided",
            TROPHY,
            "Training used a sentence of the grammar; this is something else",
        ),
        ("everyday", "The anmial slept.", "spelled like “anmial”: animal"),
        (
            "copy",
            "a dog",
            "4 to 16 letters from a to z with spaces between them; this is something else",
        ),
    ],
)
def test_how_a_sentence_differs_from_those_of_training_is_named(model, sentence, about):
    run = cached.loaded(ROOT / "gallery" / model)
    usual = cached.task(run.path).examples[0].source
    for text, differs in ((sentence, True), (usual, False)):
        lines = notes.about_sentence(run, inspecting(run.path, text).result())
        assert any(about in line for line in lines) == differs


@pytest.mark.parametrize("n_letters", [40, 600])
def test_a_wrong_copy_is_called_so_however_long_it_is(n_letters):
    run = cached.loaded(ROOT / "gallery" / "copy")
    letters = "abcdef" * (n_letters // 6)
    for text, is_wrong in ((letters, True), ("abcdef", False)):
        lines = notes.about_sentence(run, inspecting(run.path, " ".join(text)).result())
        assert any("differs from the reference from word" in line for line in lines) == is_wrong
