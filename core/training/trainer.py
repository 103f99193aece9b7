"""A training from its run folder to its end, in one process or in several."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from core.batch import Batch, Pair, encode_samples
from core.config import ConfigError
from core.config.training import TrainConfig
from core.evaluate.evaluation import evaluate
from core.evaluate.metrics import Quality, measure
from core.jobs.job import Wish
from core.jobs.process import reason
from core.labels import longest_side
from core.model import Transformer, build
from core.runs.checkpoint import (
    kept_step,
    load_model,
    load_state,
    newest_checkpoint,
    step_of,
    weights_at,
)
from core.runs.folder import TRAINING, RunFolder
from core.runs.run import RunError, RunSettings, load_run, read_settings, read_tokenizer, read_words
from core.tasks import task_named
from core.tasks.length_filter import fitting
from core.tokenizer.tokenizer import Tokenizer
from core.training.batches import training_batches
from core.training.keeper import Keeper
from core.training.loop import TrainStep, make_optimizer, train
from core.training.rewards import Reward, reward_of
from core.training.workers import Workers, workers

EVALUATION_SAMPLES = 200
"""So many held-out samples are measured while training goes on."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A finished step, with the quality on held-out samples where it was measured."""

    train_step: TrainStep
    held_out: Quality | None


@dataclass(frozen=True, slots=True)
class _End:
    """How a training ended."""

    state: Literal["finished", "paused", "stopped"]
    """All steps are done or patience is at its end; asked to pause; asked to stop."""
    step: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class _Training:
    """All that a process needs to train."""

    config: TrainConfig
    model: Transformer
    optimizer: torch.optim.Optimizer
    tokenizer: Tokenizer
    batches: Iterator[Batch]
    reward: Reward | None
    held_out: list[Pair]
    first_step: int
    words: set[str]

    def measured(self) -> Quality:
        """Measure the model as it now stands."""
        return measure(self.model, self.held_out, self.tokenizer)


def train_run(path: Path) -> Generator[Progress]:
    """Train a prepared run to its end, from its newest checkpoint where there is one.

    Under `torchrun` all processes train it together. Whoever closes the generator, or asks for it
    by `core.training.process`, pauses the training after the step under way, and nothing of it is
    lost.

    Raises:
        RunError: The folder is no run, or another process is training it, or took its place.
        CorpusError: The task is a file of pairs that cannot be used.
        ConfigError: There are more processes than pairs in a batch.
        TrainingError: The loss is not a number.
        OSError: The folder cannot be written to, or the disk is full.
    """
    with workers() as (team, device), _held(path, team) as folder:
        yield from _train_run(folder, team, device, measures=False)


def complete_run(path: Path) -> Generator[Progress]:
    """Train a run as `train_run` does, and then measure it, unless it was paused."""
    with workers() as (team, device), _held(path, team) as folder:
        end = yield from _train_run(folder, team, device, measures=True)
        if team.leads and end.state != "paused":
            with _failures_noted(folder, lambda: end.step):
                run = load_run(path)
                run.model.to(device)
                folder.write_json("evaluation.json", evaluate(run))
            folder.write_status(end.state, end.step, end.message)


@contextmanager
def _held(path: Path, team: Workers) -> Iterator[RunFolder]:
    """Hold the run's folder, which only the first process does."""
    folder = RunFolder(path)
    if not team.leads:
        yield folder
        return
    read_settings(path)
    with folder.held():
        yield folder


def _train_run(
    folder: RunFolder, team: Workers, device: torch.device, *, measures: bool
) -> Generator[Progress, None, _End]:
    """Train; `measures` says that the trained model is to be measured next."""
    if not team.leads:
        with team.folder(folder.path, device) as copy:
            training = _begin(copy, team, device)
        return (yield from _followed(training, team))
    noted = _failures_noted(folder, lambda: kept_step(folder.path))
    with noted, team.folder(folder.path, device) as own:
        training = _begin(own, team, device)
    end = yield from _led(folder, training, team)
    # Whoever reads "finished" may count on the run's being measured.
    measured_next = measures and end.state != "paused"
    folder.write_status("evaluating" if measured_next else end.state, end.step, end.message)
    return end


def _led(folder: RunFolder, training: _Training, team: Workers) -> Generator[Progress, None, _End]:
    """Train, measure and keep."""
    config = training.config
    with _failures_noted(folder, lambda: training.first_step):
        keeper = Keeper(
            folder,
            training.model,
            training.optimizer,
            training.words,
            training.first_step,
            config.keep_checkpoints,
        )
    end = _End("finished", training.first_step)
    with _failures_noted(folder, lambda: keeper.step, paused=keeper.keep):
        for train_step in _steps(training, team):
            step = train_step.step
            due = step % config.evaluate_every == 0 or step == config.steps
            quality = training.measured() if due else None
            keeper.note(train_step, quality)
            end = _end(config, keeper, TRAINING.asked(folder.path))
            ends = end.state != "finished" or bool(end.message)
            if ends or step % config.checkpoint_every == 0 or step == config.steps:
                keeper.keep()
                folder.write_status("running", step)
            yield Progress(train_step, quality)
            if team.agreed(int(ends), training.model.device):
                break
        TRAINING.forget(folder.path)
        folder.drop_live()
    return end


def _end(config: TrainConfig, keeper: Keeper, wish: Wish | None) -> _End:
    """Return how training would end after this step; with a message where it must."""
    if wish is not None:
        return _End("paused" if wish == "pause" else "stopped", keeper.step)
    if 0 < config.patience <= keeper.evaluations_without_gain():
        return _End(
            "finished",
            keeper.step,
            f"stopped early: the held-out loss was not lower in {config.patience} evaluations",
        )
    return _End("finished", keeper.step)


def _followed(training: _Training, team: Workers) -> Generator[Progress, None, _End]:
    """Train only; the first process says when it ends."""
    step = training.first_step
    for train_step in _steps(training, team):
        step = train_step.step
        yield Progress(train_step, None)
        if team.agreed(0, training.model.device):
            break
    return _End("finished", step)


def _steps(training: _Training, team: Workers) -> Iterator[TrainStep]:
    return train(
        training.model,
        training.optimizer,
        training.batches,
        training.config,
        training.first_step,
        team,
        training.reward,
    )


@contextmanager
def _failures_noted(
    folder: RunFolder, step: Callable[[], int], paused: Callable[[], None] | None = None
) -> Iterator[None]:
    """Say in the folder's status why a training ended before its end.

    Args:
        folder: The run's.
        step: Returns how many steps are done.
        paused: What to do first where a generator was closed between two steps.
    """
    try:
        yield
    except GeneratorExit:
        if paused is not None:
            paused()
        folder.write_status("paused", step())
        raise
    except BaseException as error:
        state = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        # A full disk or a folder that is gone cannot be told so; the error itself says it.
        with suppress(OSError, RunError):
            folder.write_status(state, step(), reason(error))
        raise


def _begin(path: Path, team: Workers, device: torch.device) -> _Training:
    """Read all that training needs."""
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
    return _Training(
        config=config,
        model=model,
        optimizer=optimizer,
        tokenizer=tokenizer,
        batches=_noting_words(batches, tokenizer, words),
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


def _noting_words(
    batches: Iterator[Batch], tokenizer: Tokenizer, words: set[str]
) -> Iterator[Batch]:
    """Pass the batches on and add the words of their sources."""
    for batch in batches:
        for source in batch.sources:
            words.update(tokenizer.words(source))
        yield batch
