"""What a model writes with heads changed, against computations of its own."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.batch import pad
from core.decoding.sentence import SentenceError, given_text, translate
from core.decoding.step import DecodeOptions, decode_steps
from core.evaluate.evaluation import held_out_pairs
from core.heads import Head, Site
from core.model import Record, Silence, Step
from core.model.probes import Freeze, Uniform
from core.runs.run import load_run
from core.studies.effects.interventions import (
    Intervention,
    average_mixed,
    averaged_over,
    before_after,
    first_changed,
    outcome,
)
from core.vocabulary import EOS

GALLERY = Path(__file__).parents[4] / "gallery"
SENTENCE = "The animal didn't cross the street because it was too tired."
GUIDED, BEFORE = Head(Site("encoder", 2, "self"), 0), Head(Site("encoder", 1, "self"), 1)


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


def test_each_kind_makes_its_probe():
    heads = frozenset({GUIDED, BEFORE})
    averages = {site: torch.arange(8.0).view(4, 2) for site in {head.site for head in heads}}
    assert Intervention("silence", heads).probe() == Silence(heads)
    assert Intervention("uniform", heads).probe() == Uniform(heads)
    frozen = Intervention("freeze", heads).probe(averages)
    assert isinstance(frozen, Freeze)
    assert {head: mixed.tolist() for head, mixed in frozen.mixed.items()} == {
        GUIDED: [0.0, 1.0],
        BEFORE: [2.0, 3.0],
    }


def test_freezing_without_averages_is_refused():
    with pytest.raises(ValueError, match="average must be known"):
        Intervention("freeze", frozenset({GUIDED})).probe()


def test_averages_are_over_every_token_of_every_sentence_and_no_padding(translation_run):
    run, n = translation_run, 9
    found = average_mixed(run, n, seed=5)
    mixed = {site: [] for site in run.model.sites()}
    for each in held_out_pairs(run, n, seed=5):
        record = Record(frozenset({Step.MIXED}))
        with torch.no_grad():
            run.model(pad([each.source]), pad([each.target[:-1]]), record)
        for site, values in mixed.items():
            values.append(record.tensors[site, Step.MIXED][0].double().numpy())
    assert set(found) == set(mixed)
    for site, values in mixed.items():
        expected_HE = np.concatenate(values, axis=1).mean(axis=1)
        np.testing.assert_allclose(found[site].numpy(), expected_HE, atol=1e-6)


@pytest.mark.parametrize("kind", ["silence", "uniform", "freeze"])
def test_what_is_written_is_what_whole_passes_over_growing_prefixes_say(run, kind):
    probe = Intervention(kind, frozenset({GUIDED, BEFORE})).probe(average_mixed(run, 20))
    reference = translate(run, SENTENCE).target_ids
    found = outcome(run, SENTENCE, reference, probe)
    source_1S = pad([found.translation.source_ids])
    written = [*found.translation.target_ids, EOS]
    for fed, chances in ((written, found.own), (reference + (EOS,), found.reference)):
        with torch.no_grad():
            logits_TV = run.model(source_1S, pad([[1, *fed[:-1]]]), probe)[0].double().numpy()
        logits_TV[:, :2] = -np.inf
        p_TV = np.exp(logits_TV - logits_TV.max(axis=1, keepdims=True))
        p_TV /= p_TV.sum(axis=1, keepdims=True)
        expected_T = p_TV[np.arange(len(fed)), list(fed)]
        found_T = [each.probability for each in chances]
        np.testing.assert_allclose(found_T, expected_T, atol=1e-4)
        assert [each.best for each in chances] == list(
            run.tokenizer.describe(p_TV.argmax(axis=1).tolist())
        )
        assert [each.token for each in chances] == list(run.tokenizer.describe(fed))
    assert all(each.token == each.best for each in found.own)
    expected = -np.mean(np.log([each.probability for each in found.reference]))
    assert found.loss == pytest.approx(expected, abs=1e-5)


def test_before_is_the_models_own_translation_and_stands_beside_after(run):
    found = before_after(run, SENTENCE, Silence.of([GUIDED, BEFORE]))
    assert found.before.translation == translate(run, SENTENCE)
    assert [each.token for each in found.before.own] == [e.token for e in found.after.reference]
    assert found.after.loss > 10 * found.before.loss


def test_a_whole_layer_silenced_changes_the_text_and_no_head_does_not(run):
    heads = Site("decoder", 1, "cross").heads(run.settings.model.n_heads)
    assert not before_after(run, SENTENCE, Silence.of(heads)).same_text
    nothing = before_after(run, SENTENCE, Silence.of([]))
    assert nothing.same_text
    assert nothing.after.loss == pytest.approx(nothing.before.loss, abs=1e-5)


def test_a_given_reference_is_read_instead_of_the_translation(run):
    given = "L'animal n'a pas traversé la rue parce qu'elle était trop large."
    found = before_after(run, SENTENCE, Silence.of([GUIDED]), given)
    texts = [each.token.text for each in found.before.reference]
    assert texts[10] == "elle"
    assert texts[-1] == "EOS"
    assert found.before.reference[10].best.text == "il"
    assert found.before.reference[10].best_probability > 0.9
    assert found.after.reference[10].probability > found.before.reference[10].probability


def test_a_reference_beyond_the_models_positions_is_cut(copy_run):
    found = before_after(copy_run, "a b", Silence.of([]), "a " * 200)
    assert len(found.before.reference) == copy_run.settings.model.max_positions


def test_an_end_that_was_never_written_is_not_part_of_the_reference(translation_run):
    # Hardly trained, it writes on until the limit.
    found = before_after(translation_run, "The dog sleeps.", Silence.of([]))
    assert not found.before.translation.finished
    for each in (found.before, found.after):
        texts = [chance.token.text for chance in each.reference]
        assert texts == [chance.token.text for chance in found.before.own]
        assert "EOS" not in texts
        expected = -np.mean(np.log([chance.probability for chance in each.reference]))
        assert each.loss == pytest.approx(expected, rel=1e-5)
    given = before_after(translation_run, "The dog sleeps.", Silence.of([]), "Le chien dort.")
    assert given.before.reference[-1].token.text == "EOS"


def test_averages_are_said_to_be_over_as_many_sentences_as_there_are(translation_run):
    assert averaged_over(translation_run, 7) == 7


def test_no_text_cannot_be_translated(run):
    with pytest.raises(SentenceError):
        before_after(run, " ", Silence.of([]))


def test_the_first_sentence_that_changes_is_one_whose_translation_differs(run):
    probe, wide = Silence.of([GUIDED]), SENTENCE.replace("tired", "wide")
    differing = [
        each
        for each in ("The cat slept.", SENTENCE, wide)
        if not before_after(run, each, probe).same_text
    ]
    assert first_changed(run, ("The cat slept.", SENTENCE, wide), probe) == differing[0]
    assert first_changed(run, ("The cat slept.",), probe) == ""


def test_of_a_decoder_alone_the_first_that_changes_is_one_that_goes_on_differently(opened_path):
    run, prompts = load_run(opened_path("gpt2")), ("it was too tired", "the animal", "a street")
    every = [head for site in run.model.sites() for head in site.heads(run.model.config.n_heads)]
    for heads in (every, every[:1], ()):
        probe = Silence.of(heads)
        differing = [each for each in prompts if goes_on(run, each) != goes_on(run, each, probe)]
        assert first_changed(run, prompts, probe) == (differing[0] if differing else "")


def goes_on(run, prompt, probe=None):
    """What is written after a prompt, token by token."""
    options = DecodeOptions(probe=probe, watch=False)
    found = decode_steps(run.model, None, options, given_text(run, prompt).prompt)
    return [step.chosen for step in found]
