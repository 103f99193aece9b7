import json
from dataclasses import replace

import pytest
import torch

from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.stored import HEADS, store_effects
from core.studies.heads.findings import best_pronoun_head
from pages.frame import cached, notes
from tests.pages.conftest import ROOT, said, shown

NO_CHANGE = "No change was found when this head is silenced"
NO_BETTER = "no better than a rule"


def store(path, useless, step=None):
    """Store effects in which for one head only no change was found."""
    run = load_run(path)
    nothing = Difference(0.9, 0.89, -0.02, 0.01, 100)
    less = Difference(0.9, 0.5, -0.5, -0.3, 100)
    effects = tuple(
        HeadEffect(head, *[nothing if head == useless else less] * 2, None)
        for head in every_head(run.model)
    )
    store_effects(path, HeadEffects(effects, 100, 7, run.step if step is None else step))


def test_a_head_whose_silencing_changes_nothing_is_said_with_n_and_seed(open_app, own_copy):
    store(own_copy, Head(Site("encoder", 0, "self"), 1))
    at = open_app(model="runs/mine", kind="encoder self", layer="0", head="1")
    assert (
        f"{NO_CHANGE}: exact match 90\u00a0% → 89\u00a0% (95 % interval of the change: −2.00 to "
        "1.00 points, on 100 held-out rows of letters, seed 7)." in said(at)
    )
    at.selectbox(key="head").set_value(2).run()
    assert NO_CHANGE not in said(at)


def test_where_nothing_is_stored_nothing_is_said_and_nothing_measured(open_app, own_copy):
    at = open_app(model="runs/mine", kind="encoder self", layer="0", head="1")
    assert NO_CHANGE not in said(at)
    assert not (own_copy / HEADS).exists()


def test_what_is_measured_meanwhile_is_said_at_the_next_look(open_app, own_copy):
    place = Head(Site("encoder", 0, "self"), 1)
    at = open_app(model="runs/mine", kind="encoder self", layer="0", head="1")
    assert NO_CHANGE not in said(at)
    store(own_copy, place)
    assert NO_CHANGE in said(at.run())
    store(own_copy, Head(place.site, 2))
    assert NO_CHANGE not in said(at.run())


def test_what_was_measured_on_other_weights_is_not_said(open_app, own_copy):
    store(own_copy, Head(Site("encoder", 0, "self"), 1), step=1)
    at = open_app(model="runs/mine", kind="encoder self", layer="0", head="1")
    assert NO_CHANGE not in said(at)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"step": 1}', "\x00"])
def test_a_damaged_file_of_effects_says_nothing(open_app, own_copy, content):
    (own_copy / HEADS).write_text(content)
    at = open_app(model="runs/mine", kind="encoder self", layer="0", head="1")
    assert NO_CHANGE not in said(at)


def test_effects_of_the_newest_weights_are_not_said_of_others(own_copy):
    store(own_copy, Head(Site("encoder", 0, "self"), 1))
    run = load_run(own_copy)
    assert notes.about_head(run, Head(Site("encoder", 0, "self"), 1)) != []
    older = replace(run, step=run.step - 1)
    assert notes.about_head(older, Head(Site("encoder", 0, "self"), 1)) == []


def test_the_best_finder_of_antecedents_that_is_no_better_than_a_rule_is_said(open_app):
    run = load_run(ROOT / "gallery" / "translate")
    kinds = {"encoder.self": "encoder self", "decoder.cross": "cross"}
    found = {}
    for kind, name in kinds.items():
        best = best_pronoun_head(run, Kind(kind))
        place = {"kind": name, "layer": str(best.head.layer), "head": str(best.head.index)}
        at = open_app(model="translate", **place)
        assert (NO_BETTER in said(at)) is not best.beats_baseline
        if not best.beats_baseline:
            assert f"n = {best.n}, seed {best.seed}" in said(at)
        found[kind] = best.beats_baseline
    assert not all(found.values())


def test_a_head_that_beats_its_baseline_is_not_warned_of(open_app):
    assert NO_BETTER not in said(open_app(model="translate-guided"))


def test_an_untrained_run_is_said(open_app, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    settings["training"]["steps"] *= 2
    (own_copy / "run.json").write_text(json.dumps(settings))
    assert "Training has done" in said(open_app(model="runs/mine"))


def test_a_damaged_evaluation_is_a_warning_and_the_model_can_be_looked_at(open_app, own_copy):
    (own_copy / "evaluation.json").write_text("{")
    at = open_app(model="runs/mine")
    assert not at.error
    assert "evaluation" in said(at)
    assert "figures are left out" in said(at)
    assert shown(at).weights.size


def test_a_nearly_uniform_head_is_said(own_copy):
    run = cached.loaded(own_copy)
    inspection = inspect_sentence(run, "a b c d")
    site = Site("encoder", 0, "self")
    attention = inspection.attention[site]
    attention.weights_HQK[0] = 1 / attention.weights_HQK.shape[-1]
    assert any("nearly uniform" in line for line in notes.about_map(run, inspection, Head(site, 0)))


def test_a_sentence_is_cut_where_a_model_has_no_more_positions(run_of_kind):
    run = load_run(run_of_kind("odd width"))
    found = notes.about_sentence(run, inspect_sentence(run, "a b c d " * 30))
    assert any("The sentence was cut" in line for line in found)


TROPHY = "The trophy didn't fit in the suitcase because it was too big."
OTHER_KIND = "Measured on sentences of another kind than this one"


@pytest.mark.parametrize("model", ["translate-guided", "everyday"])
def test_what_was_measured_is_not_said_to_hold_for_another_kind_of_sentence(model):
    run = cached.loaded(ROOT / "gallery" / model)
    best = best_pronoun_head(run)
    tired = cached.task(run.path).examples[0].source
    for sentence, other in ((tired, False), (TROPHY, True)):
        text = notes.pronoun_head(run, sentence, ["it"], best, best)
        # Before the claim.
        assert text.startswith(OTHER_KIND) == other


@pytest.mark.parametrize(
    ("model", "sentence", "said"),
    [
        ("everyday", TROPHY, True),
        ("everyday", "I love you.", True),
        ("everyday", "It has been raining since Monday.", True),
        ("everyday", "The animal didn't cross the street because it was too tired.", False),
        ("translate", TROPHY, False),
    ],
)
def test_the_quality_on_everyday_sentences_stands_where_the_grammar_s_does_not_hold(
    model, sentence, said
):
    run = cached.loaded(ROOT / "gallery" / model)
    found = notes.about_sentence(run, inspect_sentence(run, sentence))
    about = "On 1,000 held-out everyday sentences the model’s BLEU is 45.2."
    assert any(about in line for line in found) == said


def test_heads_that_share_keys_and_values_are_named(opened_path):
    run = load_run(opened_path("llama3"))
    config = run.settings.model
    assert config.n_key_value_sets < config.n_heads
    n_sharing = config.n_heads // config.n_key_value_sets
    site = run.model.sites()[0]
    attention = run.model.block(site)[0]
    x_BKD = torch.randn(1, 3, config.d_model)
    keys = attention.keys_values(x_BKD).key_BHKE
    assert keys.shape[1] == config.n_key_value_sets
    for index in range(config.n_heads):
        others = [
            each
            for each in range(config.n_heads)
            if each // n_sharing == index // n_sharing and each != index
        ]
        [said] = [line for line in notes.about_head(run, Head(site, index)) if "shares" in line]
        assert f"with head{'s' * (len(others) > 1)} {', '.join(map(str, others))}:" in said
    plain = load_run(ROOT / "gallery" / "copy")
    assert not any("shares" in line for line in notes.about_head(plain, Head(site, 0)))
