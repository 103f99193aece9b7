"""Figures of a run, against each pair by itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sacrebleu import corpus_bleu, corpus_chrf

from core.batch import Pair
from core.config import ModelConfig
from core.decoding.sentence import translate
from core.evaluate.evaluation import evaluate, held_out_pairs
from core.evaluate.loss import token_loss
from core.evaluate.metrics import measure, score_file
from core.evaluate.pronouns import study_pronouns
from core.model import build
from core.runs.run import RunError, load_run
from core.tasks import TASKS, Sample
from tests.core.conftest import GALLERY


@pytest.fixture(scope="module")
def run():
    """A run that is right now and then."""
    return load_run(GALLERY / "translate-guided", 100)


@pytest.fixture(scope="module")
def pairs(run):
    """Held-out pairs; every third target is what the model writes."""
    found = held_out_pairs(run, 24, seed=1)
    own = [translate(run, pair.text).target_ids for pair in found]
    return [
        Pair(pair.source, (pair.target[0], *ids, *run.model.config.eos_ids), text=pair.text)
        if at % 3 == 0
        else pair
        for at, (pair, ids) in enumerate(zip(found, own, strict=True))
    ]


@pytest.mark.slow
def test_figures_are_those_of_each_pair_by_itself(run, pairs):
    quality = measure(run.model, pairs, run.tokenizer)
    found = [translate(run, pair.text) for pair in pairs]
    true = [run.tokenizer.decode(pair.target) for pair in pairs]
    right = [
        each.finished and each.target_ids == pair.target[1:-1]
        for each, pair in zip(found, pairs, strict=True)
    ]
    assert quality.exact_match == sum(right) / len(pairs)
    assert 0 < sum(right) < len(pairs)
    assert quality.n_unfinished == sum(not each.finished for each in found)
    texts = [each.text for each in found]
    assert quality.bleu.score == pytest.approx(corpus_bleu(texts, [true]).score)
    assert quality.chrf == pytest.approx(corpus_chrf(texts, [true]).score)
    n_right, losses = 0, []
    for pair in pairs:
        with torch.inference_mode():
            [logits_TV] = run.model(
                *(torch.tensor([ids]) for ids in (pair.source, pair.target[:-1]))
            )
        labels_T = torch.tensor(pair.target[1:])
        n_right += int((logits_TV.argmax(dim=-1) == labels_T).sum())
        losses += (-logits_TV.log_softmax(dim=-1)[range(len(labels_T)), labels_T]).tolist()
    assert quality.token_accuracy == n_right / len(losses)
    assert quality.loss == pytest.approx(sum(losses) / len(losses), rel=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_a_model_is_measured_without_dropout_and_left_in_its_mode(run, pairs, training):
    config = ModelConfig(run.tokenizer.vocab_size, 1, 1, d_model=8, d_ff=8, n_heads=2, dropout=0.5)
    model = build(config).train(training)
    first = measure(model, pairs, run.tokenizer)
    assert model.training is training
    assert measure(model, pairs, run.tokenizer) == first


def test_figures_of_a_file_are_sacrebleus_on_what_the_run_writes(run):
    texts = ["The dog slept.", "The old horse didn't see it.", "They left."]
    written = [translate(run, text).text for text in texts]
    # One right, the others not: the figures are neither 0 nor 100.
    true = [written[0], f"{written[1]} aujourd’hui", "Ils sont partis."]
    counts = []
    samples = [Sample(*pair) for pair in zip(texts, true, strict=True)]
    scores = score_file(run, samples, tell=counts.append)
    assert scores.bleu == pytest.approx(corpus_bleu(written, [true]).score)
    assert scores.chrf == pytest.approx(corpus_chrf(written, [true]).score)
    assert (scores.n, scores.n_cut, scores.beam) == (3, 0, 1)
    assert "nrefs:1|case:mixed" in scores.signature
    assert counts[-1] == 3


KEYS = {"exact_match", "token_accuracy", "loss", "bleu", "bleu_signature", "chrf"}
KEYS |= {"n", "n_unfinished", "seed", "step", "pronoun", "heads"}


def changed(run, **settings):
    return replace(run, settings=replace(run.settings, **settings))


def test_a_task_without_pronouns_has_quality_alone(copy_run):
    figures = evaluate(copy_run, n=20, seed=3)
    assert set(figures) == KEYS
    assert (figures["n"], figures["seed"], figures["step"]) == (20, 3, 30)
    assert (figures["pronoun"], figures["heads"]) == (None, [])


def test_figures_of_pronouns_and_heads_are_those_of_the_study(translation_run):
    figures = evaluate(translation_run, n=30, seed=1)
    study = study_pronouns(translation_run.model, held_out_pairs(translation_run, 30, 1))
    pronoun = figures["pronoun"]
    assert (pronoun["accuracy"], pronoun["n"]) == (study.accuracy, study.n)
    assert pronoun["baselines"] == {
        "nearest_noun": study.baselines.nearest_noun,
        "first_noun": study.baselines.first_noun,
        "random_noun": study.baselines.random_noun,
    }
    assert len(figures["heads"]) == 6
    for stored, head in zip(figures["heads"], study.heads, strict=True):
        assert stored == {
            "head": str(head.head),
            "score": head.score,
            "weight": head.weight,
            "baseline": study.baselines.best,
            "silenced_accuracy": head.silenced_accuracy,
        }


def test_pairs_beyond_the_models_positions_are_left_out(copy_run):
    short = changed(copy_run, model=replace(copy_run.settings.model, max_positions=9))
    pairs = held_out_pairs(short, 60, seed=0)
    # A row of n symbols is n tokens and EOS for the encoder, BOS and n for the decoder.
    fitting = [s for s in TASKS["copy"].held_out_samples(60) if len(s.source.split()) + 1 <= 9]
    assert [pair.text for pair in pairs] == [sample.source for sample in fitting]
    assert 0 < len(pairs) < 60


def test_nothing_that_fits_is_an_error_that_names_the_positions(copy_run):
    tiny = changed(copy_run, model=replace(copy_run.settings.model, max_positions=3))
    with pytest.raises(RunError, match=r"copy: no held-out pair fits the model's 3 positions"):
        evaluate(tiny, n=10)


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_loss_is_the_cross_entropy_with_the_smoothed_distribution(smoothing):
    logits_BTV = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = [[3, 4, 2], [1, 2, 0]]
    # (1 − ε) on the true token, ε / 5 on each of the five; the padded place is left out.
    losses = []
    for sentence, row in enumerate(labels):
        for place, label in enumerate(row):
            if label != 0:
                wanted = np.full(5, smoothing / 5)
                wanted[label] += 1 - smoothing
                logs = log_softmax(logits_BTV[sentence, place].numpy().astype(np.float64))
                losses.append(-(wanted * logs).sum())
    loss = token_loss(logits_BTV, torch.tensor(labels), smoothing)
    assert loss.item() == pytest.approx(np.mean(losses), rel=1e-6)
    assert len(losses) == 5
