"""A run folder before its first step: settings, tokenizer, and the user's own pairs."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.batch import fitting, those_that_fit
from core.config import ConfigError
from core.files import write_atomically
from core.heads import Head
from core.model import Transformer, build
from core.runs.folder import RunFolder, versions
from core.runs.run import PAIRS, RunSettings, read_settings
from core.tasks import Sample, Task
from core.tasks.corpus import FILES, HELD_OUT, Corpus, CorpusError, OwnPairs
from core.tasks.large import AT_HAND, LargeCorpus
from core.tasks.mixed import own_pairs_of
from core.tasks.pairs import as_tsv
from core.tasks.task import Part
from core.tokenizer import Tokenizer
from core.training.presets import Preset
from core.training.tokenised import keep

TOKENIZER_SAMPLES = 20_000
"""So many training samples the tokenizer learns its pieces from; of the user's own pairs all, if
they can be held in memory."""


def prepare_run(  # noqa: PLR0913
    path: Path,
    task: Task,
    preset_name: str,
    preset: Preset,
    command: str,
    tell: Callable[[int], None] = lambda _: None,
) -> None:
    """Make a run folder with settings and tokenizer, ready for `train_run`; all of it or nothing.

    Args:
        path: The folder to make.
        task: From `TASKS`, or own pairs, which are then kept with the run: those of a
            `LargeCorpus` as tokens.
        preset_name: What the preset is called.
        preset: Sizes of model and vocabulary, and how it will be trained.
        command: What makes the same run again.
        tell: Called with the number of pairs of a large corpus that are split to tokens so far.

    Raises:
        FileExistsError: The folder holds something already.
        ConfigError: The guided head does not exist in the model, or the task has no pronouns.
        CorpusError: Too few of the pairs fit the model's positions.
    """
    config = preset.training
    if config.batch_tokens and own_pairs_of(task) is None:
        raise ConfigError(
            f"batch_tokens is {config.batch_tokens}, but the task {task.name!r} makes its "
            "sentences as it goes: its batches are counted in pairs (batch_size)"
        )
    tokenizer = train_tokenizer(task, preset.vocab_size, config.seed)
    model = preset.sized(tokenizer.vocab_size)
    fitting(task, tokenizer, model.max_positions)
    if config.guide:
        check_guide(config.guide, task, build(model))
    RunFolder(path).begin(
        RunSettings(
            task=PAIRS if isinstance(task, OwnPairs) else task.name,
            preset=preset_name,
            model=model,
            training=config,
            versions=versions(),
            command=command,
        ),
        tokenizer,
        partial(
            _write_pairs, task=task, tokenizer=tokenizer, longest=model.max_positions, tell=tell
        ),
    )


def _write_pairs(
    path: Path, task: Task, tokenizer: Tokenizer, longest: int, tell: Callable[[int], None]
) -> None:
    """Write the user's own pairs into a run's folder, those of a large corpus as tokens.

    Raises:
        CorpusError: Of a part of a large corpus no pair is as short as `longest` tokens.
    """
    written: dict[Part, Sequence[Sample]] = {}
    own = own_pairs_of(task)
    if isinstance(own, LargeCorpus):
        kept = keep(path, own.to_learn_from(), tokenizer, longest, tell)
        written = {part: those_that_fit(own.part(part), tokenizer, longest) for part in HELD_OUT}
        if kept.n == 0 or not all(written.values()):
            raise CorpusError(f"{own.name}: too few pairs fit the model's {longest} positions")
    elif isinstance(own, Corpus):
        # Where no part has pairs of its own, all are in one file and are split again from it.
        written = {part: own.part(part) for part in FILES} if own.given else {"train": own.samples}
    for part, samples in written.items():
        write_atomically(path / FILES[part], as_tsv(samples))


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
    samples = itertools.islice(drawn, _n_for_tokenizer(task))
    return Tokenizer.train((text for s in samples for text in (s.source, s.target)), vocab_size)


def _n_for_tokenizer(task: Task) -> int:
    own = own_pairs_of(task)
    n_own = min(AT_HAND, len(own.part("train"))) if isinstance(own, Corpus) else 0
    return max(TOKENIZER_SAMPLES, n_own)


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
