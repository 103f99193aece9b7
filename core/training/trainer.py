"""A training from its run folder to its end, in one process or in several."""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Literal, Self

import torch

from ..batch import Batch, Pair, encode_samples
from ..config import ConfigError
from ..config.training import TrainConfig
from ..evaluate.evaluation import evaluate
from ..evaluate.metrics import Quality, measure
from ..jobs.process import reason
from ..labels import longest_side
from ..model import Transformer, build
from ..runs.checkpoint import (
    is_snapshot_step,
    kept_step,
    load_model,
    load_state,
    newest_checkpoint,
    step_of,
    weights_at,
)
from ..runs.folder import TRAINING, RunFolder
from ..runs.metrics import BLEU_KEYS, read_rows
from ..runs.run import RunError, RunSettings, load_run, read_settings, read_tokenizer, read_words
from ..tasks import task_named
from ..tasks.length_filter import fitting
from ..tokenizer.tokenizer import Tokenizer
from .batches import noting_words, training_batches
from .loop import TrainStep, make_optimizer, train
from .rewards import Reward, reward_of
from .workers import Workers, workers

EVALUATION_SAMPLES = 200
"""Number of held-out samples that are evaluated during training."""
METRICS_EVERY = 10
"""Steps per line of metrics.jsonl, which has their mean losses."""
SECONDS_BETWEEN_LIVE = 2.0
"""Minimum seconds between writing weights for a watching page …"""
SHARE_FOR_LIVE = 0.05
"""… and maximum share of the time spent on it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A finished step, with the quality on held-out samples where it was measured."""

    train_step: TrainStep
    held_out: Quality | None


def train_run(path: Path, *, evaluates: bool = False) -> Generator[Progress]:
    """Train a prepared run to its end, resuming from its newest checkpoint if there is one.

    Under `torchrun` all processes train it together. Closing the generator, or asking for it
    by `core.training.process`, pauses the training after the current step; nothing of it is lost.

    Args:
        path: The run's folder.
        evaluates: Whether the trained run is evaluated, unless it was paused.

    Raises:
        RunError: The folder is no run, or another process is training it, or took its place.
        CorpusError: The task is a file of pairs that cannot be used.
        ConfigError: There are more processes than pairs in a batch.
        TrainingError: The loss is not a number.
        OSError: The folder cannot be written to, or the disk is full.
    """
    with workers() as (team, device):
        if team.leads:
            read_settings(path)
        folder = RunFolder(path)
        # Only the first process writes into the folder.
        with (
            folder.held() if team.leads else nullcontext(),
            _Writer(folder) if team.leads else nullcontext() as writer,
        ):
            with team.folder(path, device) as own:
                training = begin(own, team, device)
            if writer is not None:
                writer.begin(training)
            steps = train(
                training.model,
                training.optimizer,
                training.batches,
                training.config,
                training.first_step,
                team,
                training.reward,
            )
            for step in steps:
                yield Progress(step, None) if writer is None else writer.write(step)
                if team.agreed(int(writer is not None and writer.ends), device):
                    break
            if writer is not None:
                writer.end(device, evaluates=evaluates)


def complete_run(path: Path) -> Generator[Progress]:
    """Train a run as `train_run` does, and then evaluate it, unless it was paused."""
    yield from train_run(path, evaluates=True)


@dataclass(frozen=True, slots=True)
class Training:
    """Everything a process needs to train."""

    config: TrainConfig
    model: Transformer
    optimizer: torch.optim.Optimizer
    tokenizer: Tokenizer
    batches: Iterator[Batch]
    reward: Reward | None
    held_out: list[Pair]
    first_step: int
    words: set[str]
    """Source words of the batches so far."""


def begin(path: Path, team: Workers, device: torch.device) -> Training:
    """Read everything that training needs from a run folder.

    Raises:
        RunError: The folder is no run, or damaged.
        CorpusError: The task is a file of pairs that cannot be used.
        ConfigError: There are more processes than pairs in a batch.
    """
    settings = read_settings(path)
    config = settings.training
    if not config.batch_tokens and config.batch_size < team.count * config.accumulate:
        raise ConfigError(
            "a batch of {batch_size} pairs cannot be split among {count} processes "
            "with {accumulate} parts each",
            batch_size=config.batch_size,
            count=team.count,
            accumulate=config.accumulate,
        )
    tokenizer = read_tokenizer(path, settings.model)
    longest = longest_side(settings.model, tokenizer)
    task = fitting(task_named(settings.task, path), tokenizer, longest)
    model, optimizer, first_step, words = _start_or_go_on(path, settings, device)
    batches = training_batches(task, tokenizer, config, first_step, settings.model)
    return Training(
        config=config,
        model=model,
        optimizer=optimizer,
        tokenizer=tokenizer,
        batches=noting_words(batches, tokenizer, words),
        reward=reward_of(config, tokenizer),
        held_out=encode_samples(tokenizer, task.held_out_samples(EVALUATION_SAMPLES, 1, "valid")),
        first_step=first_step,
        words=words,
    )


def _start_or_go_on(
    path: Path, settings: RunSettings, device: torch.device
) -> tuple[Transformer, torch.optim.Optimizer, int, set[str]]:
    """Return model, optimizer, finished steps and words seen."""
    checkpoint = newest_checkpoint(path)
    if checkpoint is None:
        start = weights_at(path, 0)
        model = (
            build(settings.model, settings.training.seed)
            if start is None
            else load_model(start, settings.model)
        ).to(device)
        return model, make_optimizer(model, settings.training), 0, read_words(path)
    model = load_model(checkpoint, settings.model).to(device)
    optimizer = make_optimizer(model, settings.training)
    load_state(optimizer, checkpoint.with_suffix(".state.safetensors"))
    return model, optimizer, step_of(checkpoint), read_words(path)


class _Writer:
    """Writes a training into its run folder: metrics, checkpoints, snapshots, the best weights.

    On exit it records in the status if and why training ended early.
    """

    training: Training

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.step = self._kept = kept_step(folder.path)
        self.state: Literal["finished", "paused", "stopped"] = "finished"
        self.message = ""
        """Why the training ends early."""
        self._unwritten: list[TrainStep] = []

    def begin(self, training: Training) -> None:
        """Remove what was written after the step from which training resumes."""
        self.training = training
        self.folder.clear_torn()
        self.folder.forget_after(self.step)
        rows = read_rows(self.folder.path)
        self._seconds = next((float(row["seconds"]) for row in rows[::-1] if "seconds" in row), 0.0)
        self._held_out_losses = [row["held_out_loss"] for row in rows if "held_out_loss" in row]
        self._next_live = time.perf_counter() + SECONDS_BETWEEN_LIVE
        self.folder.write_status("running", self.step)

    @property
    def ends(self) -> bool:
        """Whether training ends early, after this step."""
        return self.state != "finished" or bool(self.message)

    def write(self, step: TrainStep) -> Progress:
        """Evaluate and write what is due after a step."""
        config, model = self.training.config, self.training.model
        self.step = step.step
        self._seconds += step.seconds
        self._unwritten.append(step)
        quality = None
        if self._is_due(config.evaluate_every):
            quality = measure(model, self.training.held_out, self.training.tokenizer)
            if quality.loss < min(self._held_out_losses, default=float("inf")):
                self.folder.keep_best(model, self.step)
            self._held_out_losses.append(quality.loss)
        if self.step % METRICS_EVERY == 0 or quality is not None:
            self._write_metrics(quality)
        if is_snapshot_step(self.step):
            self.folder.snapshot(model, self.step, self.training.words)
        self._write_live()
        self._note_early_end()
        if self.ends or self._is_due(config.checkpoint_every):
            self._write_checkpoint()
            self.folder.write_status("running", self.step)
        return Progress(step, quality)

    def end(self, device: torch.device, *, evaluates: bool) -> None:
        """Evaluate the trained run if requested, and record how the training ended."""
        TRAINING.forget(self.folder.path)
        self.folder.drop_live()
        if evaluates and self.state != "paused":
            # A finished run has been evaluated.
            self.folder.write_status("evaluating", self.step, self.message)
            run = load_run(self.folder.path)
            run.model.to(device)
            self.folder.write_json("evaluation.json", evaluate(run))
        self.folder.write_status(self.state, self.step, self.message)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Record in the status why the training ended early."""
        if isinstance(error, GeneratorExit):
            self._write_checkpoint()
            self.folder.write_status("paused", self.step)
        elif error is not None:
            state = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            # Impossible on a full disk or in a deleted folder; the error itself says so.
            with suppress(OSError, RunError):
                self.folder.write_status(state, self.step, reason(error))

    def _is_due(self, every: int) -> bool:
        return self.step % every == 0 or self.step == self.training.config.steps

    def _note_early_end(self) -> None:
        wish, patience = TRAINING.asked(self.folder.path), self.training.config.patience
        losses = self._held_out_losses
        if wish is not None:
            self.state = "paused" if wish == "pause" else "stopped"
        elif losses and 0 < patience <= len(losses) - 1 - losses.index(min(losses)):
            self.message = (
                f"stopped early: the held-out loss was not lower in {patience} evaluations"
            )

    def _write_checkpoint(self) -> None:
        """Write a checkpoint from which training can resume, unless it exists."""
        if self._unwritten:
            self._write_metrics(None)
        if self.step > self._kept:
            training = self.training
            self.folder.checkpoint(
                training.model,
                training.optimizer,
                self.step,
                training.words,
                training.config.keep_checkpoints,
            )
            self._kept = self.step

    def _write_live(self) -> None:
        """Write the current weights, if a page watches and the last ones are old."""
        now = time.perf_counter()
        if now < self._next_live or not TRAINING.is_watched(self.folder.path):
            return
        self.folder.keep_live(self.training.model, self.step, self.training.words)
        took = time.perf_counter() - now
        self._next_live = now + max(SECONDS_BETWEEN_LIVE, took / SHARE_FOR_LIVE)

    def _write_metrics(self, quality: Quality | None) -> None:
        self.folder.add_metrics(_metrics(self._unwritten, self._seconds, quality))
        self._unwritten.clear()


def _metrics(
    steps: Sequence[TrainStep], seconds: float, quality: Quality | None
) -> dict[str, float]:
    """Return one line of metrics: the means of some steps, and the quality after the last."""
    # The mean reward if that is maximised, else the mean loss.
    rewards = [step.reward for step in steps if step.reward is not None]
    record: dict[str, float] = {
        "step": steps[-1].step,
        "seconds": round(seconds, 3),
        **({"reward": fmean(rewards)} if rewards else {"loss": fmean(each.loss for each in steps)}),
        "learning_rate": steps[-1].learning_rate,
        "tokens_per_second": sum(step.n_tokens for step in steps)
        / sum(step.seconds for step in steps),
    }
    guide_losses = [step.guide_loss for step in steps if step.guide_loss is not None]
    if guide_losses:
        record["guide_loss"] = fmean(guide_losses)
    if quality is not None:
        record["held_out_loss"] = quality.loss
        record["held_out_exact_match"] = quality.exact_match
        record["held_out_token_accuracy"] = quality.token_accuracy
        if quality.bleu is not None and quality.chrf is not None:
            record[BLEU_KEYS[quality.bleu.tokens]] = quality.bleu.score
            record["held_out_chrf"] = quality.chrf
        record["held_out_n"] = quality.n
        record["held_out_n_unfinished"] = quality.n_unfinished
    return record
