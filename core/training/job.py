"""A training from its settings to its run folder."""

import itertools
import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import torch

from core.batch import Batch, encode_samples, fitting, training_batches
from core.checkpoint import load_model, load_state
from core.config import ConfigError, TrainConfig
from core.model import Transformer, build
from core.run import (
    PAIRS,
    RunError,
    RunSettings,
    checkpoint_step,
    newest_checkpoint,
    read_settings,
    read_words,
)
from core.tasks import TASKS, Task, held_out_samples, task_named, training_samples
from core.tokenizer import Tokenizer
from core.training.loop import TrainStep, make_optimizer, parse_head, train
from core.training.metrics import Quality, measure
from core.training.presets import Preset
from core.training.rundir import RunFolder, versions

TOKENIZER_SAMPLES = 20_000
"""So many training samples the tokenizer learns its pieces from."""
EVALUATION_SAMPLES = 200
"""So many held-out samples are measured while training goes on."""
METRICS_EVERY = 10
"""So many steps make one line of metrics.jsonl, with their mean losses."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A finished step, with the quality on held-out samples where it was measured."""

    train_step: TrainStep
    held_out: Quality | None


def prepare_run(
    path: Path, task_name: str, preset_name: str, preset: Preset, config: TrainConfig, command: str
) -> None:
    """Make a run folder with settings and tokenizer, ready for `train_run`.

    Raises:
        FileExistsError: The folder holds something already.
        ConfigError: The guided head does not exist in the model, or the task has no pronouns.
        CorpusError: The task is a file of pairs that cannot be used.
    """
    task = task_named(task_name)
    tokenizer = _train_tokenizer(task, preset.vocab_size, config.seed)
    model = preset.sized(tokenizer.vocab_size)
    fitting(task, tokenizer, model.max_positions)
    if config.guide:
        _check_guide(config.guide, task, build(model))
    RunFolder(path).begin(
        RunSettings(
            task=task_name if task_name in TASKS else PAIRS,
            preset=preset_name,
            model=model,
            training=config,
            versions=versions(),
            command=command,
        ),
        tokenizer,
        pairs=b"" if task_name in TASKS else Path(task_name).read_bytes(),
    )


def train_run(path: Path) -> Generator[Progress]:
    """Train a prepared run to its end, from its newest checkpoint where there is one.

    Whoever closes the generator stops the training after the step that was yielded last, and
    nothing of it is lost.

    Raises:
        RunError: The folder is no run, or another process is training it.
        CorpusError: The task is a file of pairs that cannot be used.
        TrainingError: The loss is not a number.
    """
    settings = read_settings(path)
    with RunFolder(path).held():
        yield from _train(path, settings)


def _train(path: Path, settings: RunSettings) -> Iterator[Progress]:
    tokenizer = _read_tokenizer(path)
    task = fitting(task_named(settings.task, path), tokenizer, settings.model.max_positions)
    model, optimizer, first_step, words = _start_or_go_on(path, settings)
    keeper = _Keeper(RunFolder(path), model, optimizer, words, first_step)
    held_out = encode_samples(tokenizer, held_out_samples(task, EVALUATION_SAMPLES, seed=1))
    config = settings.training
    batches = _noting_words(
        training_batches(task, tokenizer, config.batch_size, config.seed, first_step),
        tokenizer,
        words,
    )
    keeper.begin()
    try:
        for train_step in train(model, optimizer, batches, config, first_step):
            step = train_step.step
            due = step % config.evaluate_every == 0 or step == config.steps
            quality = measure(model, held_out) if due else None
            keeper.note(train_step, quality)
            if step % config.checkpoint_every == 0 or step == config.steps:
                keeper.keep("running")
            yield Progress(train_step, quality)
    except GeneratorExit:
        # Stopped between two steps: all that was learned is whole.
        keeper.keep("stopped")
        raise
    except BaseException:
        keeper.folder.write_status("stopped", keeper.step)
        raise
    keeper.folder.write_status("finished", keeper.step)


class _Keeper:
    """Writes what a training does into its folder."""

    def __init__(
        self,
        folder: RunFolder,
        model: Transformer,
        optimizer: torch.optim.Optimizer,
        words: set[str],
        step: int,
    ) -> None:
        self.folder, self.model, self.optimizer, self.words = folder, model, optimizer, words
        self.step = self.kept = step
        self.unwritten: list[TrainStep] = []

    def begin(self) -> None:
        """Forget what was measured after the checkpoint from which training goes on."""
        self.folder.clear_torn()
        self.folder.cut_metrics(self.step)
        self.folder.write_status("running", self.step)

    def note(self, train_step: TrainStep, quality: Quality | None) -> None:
        """Count a step; every few of them, and every measured one, make a line of metrics."""
        self.step = train_step.step
        self.unwritten.append(train_step)
        if self.step % METRICS_EVERY == 0 or quality is not None:
            self._write(quality)

    def keep(self, state: str) -> None:
        """Write a checkpoint, from which training can go on, unless there is one."""
        if self.unwritten:
            self._write(None)
        if self.step > self.kept:
            self.folder.checkpoint(self.model, self.optimizer, self.step, self.words)
            self.kept = self.step
        self.folder.write_status(state, self.step)

    def _write(self, quality: Quality | None) -> None:
        self.folder.add_metrics(_metrics(self.unwritten, quality))
        self.unwritten.clear()


def extend_run(path: Path, steps: int) -> None:
    """Ask a run for another number of steps than it was prepared for.

    Raises:
        RunError: The folder is no run.
    """
    settings = read_settings(path)
    longer = replace(settings, training=replace(settings.training, steps=steps))
    RunFolder(path).write_json("run.json", longer.to_dict())


def _train_tokenizer(task: Task, vocab_size: int, seed: int) -> Tokenizer:
    drawn = training_samples(task, random.Random(f"tokenizer {seed}"))
    samples = itertools.islice(drawn, TOKENIZER_SAMPLES)
    return Tokenizer.train((text for s in samples for text in (s.source, s.target)), vocab_size)


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        return Tokenizer.from_json((path / "tokenizer.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: tokenizer.json: {error}") from error


def _check_guide(guide: str, task: Task, model: Transformer) -> None:
    try:
        site, head = parse_head(guide)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if not task.pronouns:
        raise ConfigError(f"the task {task.name!r} has no pronouns that {guide} could be guided by")
    if site.attention == "decoder.self":
        raise ConfigError(f"{site} never sees the source, so it cannot be guided to an antecedent")
    if site not in model.sites() or head >= model.config.n_heads:
        raise ConfigError(f"{guide} is no head of this model")


def _start_or_go_on(
    path: Path, settings: RunSettings
) -> tuple[Transformer, torch.optim.Optimizer, int, set[str]]:
    """Return model, optimizer, finished steps and words seen; seeds torch's random state."""
    checkpoint = newest_checkpoint(path)
    if checkpoint is None:
        torch.manual_seed(settings.training.seed)
        model = build(settings.model, settings.training.seed)
        return model, make_optimizer(model, settings.training), 0, set()
    model = load_model(checkpoint, settings.model)
    optimizer = make_optimizer(model, settings.training)
    load_state(optimizer, checkpoint.with_suffix(".state.safetensors"))
    return model, optimizer, checkpoint_step(checkpoint), read_words(path)


def _noting_words(
    batches: Iterator[Batch], tokenizer: Tokenizer, words: set[str]
) -> Iterator[Batch]:
    """Pass the batches on and add the words of their sources."""
    for batch in batches:
        for source in batch.sources:
            words.update(tokenizer.words(source))
        yield batch


def _metrics(steps: Sequence[TrainStep], quality: Quality | None) -> dict[str, float]:
    """Return one line of metrics: the means of some steps, and the quality after the last."""
    record: dict[str, float] = {
        "step": steps[-1].step,
        "loss": fmean(step.loss for step in steps),
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
    return record
