"""What a model does with heads changed, against decoding and computations of its own."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.batch import Pair, collate, pad
from core.config import ConfigError
from core.decoding.generate import decode_steps, generate
from core.decoding.sentence import SentenceError, model_input, translate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure
from core.evaluate.metrics import measure, sorted_batches
from core.evaluate.pronouns import study_pronouns
from core.heads import Head, Site
from core.model import Record, Silence, Step
from core.model.probes import Freeze, Uniform
from core.runs.run import load_run
from core.studies.effects import ablation
from core.studies.effects.ablation import (
    Intervention,
    Silenceable,
    ablate_sentence,
    average_mixed,
    before_after,
    first_changed,
    outcome,
)
from core.vocabulary import EOS

GALLERY = Path(__file__).parents[4] / "gallery"


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def pairs(run):
    return held_out_pairs(run, 40, 7)


@pytest.fixture(scope="module")
def silenceable(run, pairs):
    return Silenceable(run.model, pairs)


SILENT = [
    [],
    [("decoder.1.cross", 0)],
    [("encoder.2.self", 0), ("decoder.1.cross", 2)],
    [("decoder.1.self", 2)],
    [("decoder.0.cross", 1), ("decoder.0.cross", 0)],
    [("decoder.0.cross", head) for head in range(4)],
]


@pytest.mark.parametrize("names", SILENT)
def test_right_is_what_decoding_with_the_same_heads_silent_writes(run, pairs, silenceable, names):
    heads = [Head(Site.parse(site), head) for site, head in names]
    found = silenceable.figures(heads)
    batches = list(sorted_batches(pairs))
    written = [
        target == pair.target[1:]
        for batch in batches
        for target, pair in zip(
            generate(run.model, pad([p.source for p in batch]), probe=Silence.of(heads)),
            batch,
            strict=True,
        )
    ]
    assert found.right_N.tolist() == written
    # The claim is tested on sentences that are right and on such that are not.
    assert names in (SILENT[0], SILENT[-1]) or 0 < sum(written) < len(written)


def test_with_all_heads_the_figures_are_those_of_the_evaluation(run, pairs, silenceable):
    found, quality = silenceable.figures(), measure(run.model, pairs, run.tokenizer)
    assert found.exact_match == quality.exact_match
    assert found.loss == pytest.approx(quality.loss, abs=2e-6)
    assert found.pronoun_right_R.mean() == study_pronouns(run.model, pairs).accuracy


def test_pronouns_are_those_of_the_pronoun_study_for_every_head(run, pairs, silenceable):
    for each in study_pronouns(run.model, pairs).heads:
        right_R = silenceable.figures([each.head]).pronoun_right_R
        assert right_R.mean() == pytest.approx(each.silenced_accuracy)


def test_losses_equal_a_computation_in_float64_sentence_by_sentence(run, pairs, silenceable):
    head = Head(Site("encoder", 1, "self"), 1)
    found = silenceable.figures([head])
    ordered = [pair for batch in sorted_batches(pairs) for pair in batch]
    for index in (0, 17, 39):
        batch = collate([ordered[index]])
        with torch.no_grad():
            logits_TV = run.model(batch.source_BS, batch.fed_BT, Silence.of([head]))[0]
        logits_TV = logits_TV.double().numpy()
        shifted_TV = logits_TV - logits_TV.max(axis=1, keepdims=True)
        normed_TV = shifted_TV - np.log(np.exp(shifted_TV).sum(axis=1, keepdims=True))
        labels = batch.labels_BT[0].numpy()
        expected = -normed_TV[np.arange(len(labels)), labels].sum()
        assert found.loss_N[index] == pytest.approx(expected, rel=1e-3, abs=1e-4)
        assert found.n_tokens_N[index] == len(labels)


def test_a_target_beyond_the_limit_of_decoding_is_never_right(run, monkeypatch):
    [pair] = held_out_pairs(run, 1, 7)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [True]
    n_tokens = len(pair.target) - 1
    monkeypatch.setattr(ablation, "length_limit", lambda model, length: n_tokens - 1)
    assert Silenceable(run.model, [pair]).figures().right_N.tolist() == [False]


def test_a_task_without_pronouns_has_none(copy_run):
    pairs = [Pair(pair.source, pair.target) for pair in held_out_pairs(copy_run, 3, 0)]
    assert len(Silenceable(copy_run.model, pairs).figures().pronoun_right_R) == 0


def test_a_parallel_decoder_is_refused_for_its_rows_are_fed_what_they_are_to_predict(parallel_run):
    pairs = held_out_pairs(parallel_run, 4, 0)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        Silenceable(parallel_run.model, pairs)
    with pytest.raises(ConfigError, match="fills in all words at once"):
        exposure(parallel_run.model, pairs)


@pytest.mark.parametrize("silent", SILENT[:2])
def test_of_several_right_targets_whichever_is_written_counts(silent):
    run = load_run(GALLERY / "either")
    pairs = held_out_pairs(run, 60, 3)
    heads = [Head(Site.parse(site), index) for site, index in silent]
    found = Silenceable(run.model, pairs).figures(heads)
    order = [pair for group in sorted_batches(pairs) for pair in group]
    said = [
        generate(run.model, torch.tensor([pair.source]), probe=Silence.of(heads))[0]
        for pair in order
    ]
    assert found.right_N.tolist() == [
        pair.is_right(one) for pair, one in zip(order, said, strict=True)
    ]
    # The one that is shown is a fair coin's.
    shown = [one == pair.target[1:] for pair, one in zip(order, said, strict=True)]
    assert 0 < sum(shown) < found.right_N.sum()


SENTENCE = "The animal didn't cross the street because it was too tired."


GUIDED, BEFORE = Head(Site("encoder", 2, "self"), 0), Head(Site("encoder", 1, "self"), 1)


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


def test_no_text_cannot_be_translated(run):
    with pytest.raises(SentenceError):
        before_after(run, " ", Silence.of([]))


@pytest.mark.parametrize("target", ["", "L'animal n'a pas traversé la rue."])
def test_an_ablated_sentence_is_fed_its_own_translation_and_its_loss_is_the_targets(run, target):
    found = ablate_sentence(run, SENTENCE, "silence", (GUIDED, BEFORE), target)
    probe, own = Silence.of([GUIDED, BEFORE]), translate(run, SENTENCE).target_ids
    asked = run.tokenizer.encode(target).ids or own
    assert found.before == outcome(run, SENTENCE, own, None)
    assert found.after == outcome(run, SENTENCE, own, probe)
    assert found.loss_after == outcome(run, SENTENCE, asked, probe).loss
    table = found.table()
    assert table["word"] == [each.token.text for each in found.before.own]
    assert table["after"] == [each.probability for each in found.after.reference]
    same = ablate_sentence(run, SENTENCE, "freeze", (), target)
    assert same.before == same.after and same.loss_before == same.loss_after


def test_the_first_sentence_that_changes_is_one_whose_translation_differs(run):
    probe, asked = Silence.of([GUIDED]), ("silence", [GUIDED])
    wide = SENTENCE.replace("tired", "wide")
    differing = [
        each
        for each in ("The cat slept.", SENTENCE, wide)
        if not before_after(run, each, probe).same_text
    ]
    assert first_changed(run, ("The cat slept.", SENTENCE, wide), *asked) == differing[0]
    assert first_changed(run, ("The cat slept.",), *asked) == ""


def test_of_a_decoder_alone_the_first_that_changes_is_one_that_goes_on_differently(opened_path):
    run, prompts = load_run(opened_path("gpt2")), ("it was too tired", "the animal", "a street")
    every = [head for site in run.model.sites() for head in site.heads(run.model.config.n_heads)]
    for heads in (every, every[:1], ()):
        probe = Silence.of(heads)
        differing = [each for each in prompts if goes_on(run, each) != goes_on(run, each, probe)]
        assert first_changed(run, prompts, "silence", heads) == (differing[0] if differing else "")


def goes_on(run, prompt, probe=None):
    """What is written after a prompt, token by token."""
    found = decode_steps(run.model, None, model_input(run, prompt).prompt, probe=probe)
    return [step.chosen for step in found]
