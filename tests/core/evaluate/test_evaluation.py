from dataclasses import replace

import pytest

from core.evaluate.evaluation import evaluate, held_out_pairs
from core.evaluate.pronouns import study_pronouns
from core.runs.run import RunError
from core.tasks import TASKS

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
