"""A training from its settings to its run folder."""

import itertools
import random
from collections.abc import Iterator, Sequence
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


def train_run(path: Path) -> Iterator[Progress]:
    """Train a prepared run to its end, from its newest checkpoint where there is one.

    Raises:
        RunError: The folder is no run.
        CorpusError: The task is a file of pairs that cannot be used.
        TrainingError: The loss is not a number.
    """
    folder = RunFolder(path)
    settings = read_settings(path)
    tokenizer = _read_tokenizer(path)
    task = fitting(task_named(settings.task, path), tokenizer, settings.model.max_positions)
    model, optimizer, first_step, words = _start_or_go_on(path, settings)
    folder.cut_metrics(first_step)
    folder.write_status("running", first_step)
    held_out = encode_samples(tokenizer, held_out_samples(task, EVALUATION_SAMPLES, seed=1))
    config = settings.training
    batches = _noting_words(
        training_batches(task, tokenizer, config.batch_size, config.seed, first_step),
        tokenizer,
        words,
    )
    step = first_step
    unwritten: list[TrainStep] = []
    try:
        for train_step in train(model, optimizer, batches, config, first_step):
            step = train_step.step
            due = step % config.evaluate_every == 0 or step == config.steps
            quality = measure(model, held_out) if due else None
            kept = step % config.checkpoint_every == 0 or step == config.steps
            unwritten.append(train_step)
            # Also before a checkpoint, from which a stopped training goes on.
            if step % METRICS_EVERY == 0 or due or kept:
                folder.add_metrics(_metrics(unwritten, quality))
                unwritten.clear()
            if kept:
                folder.checkpoint(model, optimizer, step, words)
                folder.write_status("running", step)
            yield Progress(train_step, quality)
    except BaseException:
        folder.write_status("stopped", step)
        raise
    folder.write_status("finished", step)


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
