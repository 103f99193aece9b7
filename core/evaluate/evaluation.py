"""All figures of a run on held-out samples, as stored with it."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..batch import Pair, encode_samples
from ..decoding.bounds import PASSES
from ..labels import longest_side
from ..messages import error_text
from ..runs.run import Run, RunError
from ..tasks import CorpusError, Mixed, Sample, Task, task_named
from ..tasks.length_filter import fitting
from . import N_SAMPLES, SEED
from .metrics import Quality, measure, score_file
from .pronouns import PronounStudy, study_pronouns


def evaluate(
    run: Run, n: int = N_SAMPLES, seed: int = SEED, folder: Path | None = None
) -> dict[str, Any]:
    """Measure a run on up to `n` held-out samples that `seed` draws.

    If own pairs are learned beside a task's sentences, these samples are the task's.

    Args:
        run: Any run.
        n: Maximum number of samples.
        seed: Draws them.
        folder: The folder of its pairs; None for the run's own.

    Returns:
        The content of `evaluation.json`: exact_match, token_accuracy, loss, bleu, bleu_signature
        (sacrebleu's; tok:13a where it is missing), chrf, n, n_unfinished, seed, step; labels have
        no bleu and chrf; pronoun (accuracy, n, baselines) and heads, or None and an empty list
        where the task has no pronouns, or the model has one stack or a parallel decoder; passes, of
        a parallel decoder; own_pairs (exact_match, bleu, bleu_signature, chrf, n, n_unfinished)
        where own pairs are learned beside the task's sentences: the figures on half as many of
        these, compared with their targets as they are written.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    task = _task(run, folder)
    made = task.made if isinstance(task, Mixed) else task
    pairs = _those_that_fit(run, made.held_out_samples(n, seed))
    quality = measure(run.model, pairs, run.tokenizer, run.target_tokenizer)
    parallel = run.settings.model.is_parallel
    both = run.settings.model.is_encoder_decoder and not parallel
    study = study_pronouns(run.model, pairs) if both else None
    return {
        **_shared_figures(quality),
        "token_accuracy": quality.token_accuracy,
        "loss": quality.loss,
        "seed": seed,
        "step": run.step,
        **({"passes": PASSES} if parallel else {}),
        **_pronoun_figures(study),
        **(_own_figures(run, task, n, seed) if isinstance(task, Mixed) else {}),
    }


def held_out_pairs(run: Run, n: int, seed: int, *, aligned: bool = False) -> list[Pair]:
    """Return up to `n` held-out pairs of the run's task that fit the model's positions.

    Raises:
        RunError: The task's file of pairs cannot be used, or nothing fits.
    """
    return _those_that_fit(run, held_out_samples(run, n, seed), aligned=aligned)


def held_out_samples(run: Run, n: int, seed: int) -> list[Sample]:
    """Return up to `n` held-out samples of the run's task; of own pairs only those that fit.

    Raises:
        RunError: The task's file of pairs cannot be used.
    """
    return _task(run).held_out_samples(n, seed)


def _task(run: Run, folder: Path | None = None) -> Task:
    if not run.settings.has_pairs:
        raise RunError(
            "{path} was opened, and not trained here: it has no held-out samples. Measure it on a "
            "file of pairs (evaluate --file), or its heads on text (heads)",
            path=run.path,
        )
    try:
        task = task_named(run.settings.task, folder or run.path)
        return fitting(task, run.tokenizer, longest_side(run.settings.model, run.tokenizer))
    except CorpusError as error:
        raise RunError(
            "{path}: its task cannot be read: {why}", path=run.path, why=error_text(error)
        ) from error


def _those_that_fit(run: Run, samples: Sequence[Sample], *, aligned: bool = False) -> list[Pair]:
    longest = longest_side(run.settings.model, run.tokenizer)
    pairs = pairs_of(run, samples, aligned=aligned)
    short = [pair for pair in pairs if max(len(pair.source), len(pair.target) - 1) <= longest]
    if not short:
        raise RunError(
            "{path}: no held-out pair fits the model's {longest} positions",
            path=run.path,
            longest=longest,
        )
    return short


def pairs_of(run: Run, samples: Sequence[Sample], *, aligned: bool = False) -> list[Pair]:
    """Return samples as token ids of a run's model, special tokens included."""
    if not run.settings.is_opened:
        return encode_samples(run.tokenizer, samples, aligned=aligned)
    return encode_samples(
        run.tokenizer,
        samples,
        run.target_tokenizer,
        ((run.tokenizer.begins, run.tokenizer.ends), (run.begins, run.model.config.eos_ids[:1])),
        aligned=aligned,
    )


def _own_figures(run: Run, task: Mixed, n: int, seed: int) -> dict[str, Any]:
    """Measure a run on held-out pairs of the user's own."""
    samples = task.own_held_out_samples(n, seed)
    quality = measure(run.model, _those_that_fit(run, samples), run.tokenizer, run.target_tokenizer)
    figures = _shared_figures(quality)
    # One stack alone translates no lines.
    if run.settings.model.is_encoder_decoder:
        scores = score_file(run, samples)
        figures |= {
            "bleu": scores.bleu,
            "bleu_signature": scores.signature,
            "chrf": scores.chrf,
        }
    return {"own_pairs": figures}


def _shared_figures(quality: Quality) -> dict[str, Any]:
    """Return the metrics that are reported both for all pairs and for own pairs."""
    figures: dict[str, Any] = {"exact_match": quality.exact_match}
    if quality.bleu is not None:
        figures |= {"bleu": quality.bleu.score, "bleu_signature": quality.bleu.signature}
        figures["chrf"] = quality.chrf
    return figures | {"n": quality.n, "n_unfinished": quality.n_unfinished}


def _pronoun_figures(study: PronounStudy | None) -> dict[str, Any]:
    if study is None:
        return {"pronoun": None, "heads": []}
    return {
        "pronoun": {
            "accuracy": study.accuracy,
            "n": study.n,
            "baselines": asdict(study.baselines),
        },
        "heads": [
            {
                "head": str(each.head),
                "score": each.score,
                "weight": each.weight,
                "baseline": study.baselines.best,
                "silenced_accuracy": each.silenced_accuracy,
            }
            for each in study.heads
        ],
    }
