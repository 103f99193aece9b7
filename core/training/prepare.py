"""A run folder before its first step: settings, tokenizer, and the user's own pairs."""

import itertools
import random
from dataclasses import replace
from pathlib import Path

from core.batch import fitting
from core.config import ConfigError
from core.heads import Head
from core.model import Transformer, build
from core.runs.folder import RunFolder, versions
from core.runs.run import PAIRS, RunSettings, read_settings
from core.tasks import Task
from core.tasks.corpus import FILES, Corpus
from core.tasks.pairs import as_tsv
from core.tokenizer import Tokenizer
from core.training.presets import Preset

TOKENIZER_SAMPLES = 20_000
"""So many training samples the tokenizer learns its pieces from."""


def prepare_run(path: Path, task: Task, preset_name: str, preset: Preset, command: str) -> None:
    """Make a run folder with settings and tokenizer, ready for `train_run`; all of it or nothing.

    Args:
        path: The folder to make.
        task: From `TASKS`, or a `Corpus`, whose pairs are then kept with the run.
        preset_name: What the preset is called.
        preset: Sizes of model and vocabulary, and how it will be trained.
        command: What makes the same run again.

    Raises:
        FileExistsError: The folder holds something already.
        ConfigError: The guided head does not exist in the model, or the task has no pronouns.
        CorpusError: Too few of the pairs fit the model's positions.
    """
    config = preset.training
    if config.batch_tokens and not isinstance(task, Corpus):
        raise ConfigError(
            f"batch_tokens is {config.batch_tokens}, but the task {task.name!r} makes its "
            "sentences as it goes: its batches are counted in pairs (batch_size)"
        )
    tokenizer = train_tokenizer(task, preset.vocab_size, config.seed)
    model = preset.sized(tokenizer.vocab_size)
    fitting(task, tokenizer, model.max_positions)
    if config.guide:
        check_guide(config.guide, task, build(model))
    own = isinstance(task, Corpus)
    RunFolder(path).begin(
        RunSettings(
            task=PAIRS if own else task.name,
            preset=preset_name,
            model=model,
            training=config,
            versions=versions(),
            command=command,
        ),
        tokenizer,
        pairs=_written(task) if isinstance(task, Corpus) else {},
    )


def _written(corpus: Corpus) -> dict[str, bytes]:
    """Return the pairs as files of a run's folder, by their names."""
    # Where no part has pairs of its own, all are in one file, and are split again when it is read.
    if not corpus.given:
        return {FILES["train"]: as_tsv(corpus.samples)}
    return {FILES[part]: as_tsv(corpus.part(part)) for part in FILES}


def extend_run(path: Path, steps: int) -> None:
    """Ask a run for another number of steps than it was prepared for.

    Raises:
        RunError: The folder is no run, or a process is training it.
    """
    folder = RunFolder(path)
    settings = read_settings(path)
    longer = replace(settings, training=replace(settings.training, steps=steps))
    with folder.held():
        folder.write_json("run.json", longer.to_dict())


def train_tokenizer(task: Task, vocab_size: int, seed: int) -> Tokenizer:
    """Learn at most `vocab_size` tokens from samples of a task that are not held out."""
    drawn = task.training_samples(random.Random(f"tokenizer {seed}"))
    samples = itertools.islice(drawn, TOKENIZER_SAMPLES)
    return Tokenizer.train((text for s in samples for text in (s.source, s.target)), vocab_size)


def check_guide(guide: str, task: Task, model: Transformer) -> None:
    """Refuse to guide a head that is not there, or on a task that has nothing to guide it by.

    Raises:
        ConfigError: The message says what would do.
    """
    try:
        head = Head.parse(guide)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if not task.pronouns:
        raise ConfigError(f"the task {task.name!r} has no pronouns that {guide} could be guided by")
    if head.kind.key_side != "source":
        raise ConfigError(
            f"{head.site} never sees the source, so it cannot be guided to an antecedent"
        )
    if head.site not in model.sites() or head.index >= model.config.n_heads:
        raise ConfigError(f"{guide} is no head of this model")
