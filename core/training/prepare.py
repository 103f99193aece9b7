"""A run folder before its first step: settings, tokenizer, and the user's own pairs."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.config import ConfigError, ModelConfig, require
from core.config.training import TrainConfig
from core.files import write_atomically
from core.heads import Stack
from core.labels import SEPARATOR, longest_side
from core.model.building import outline
from core.runs.files import PAIRS
from core.runs.folder import RunFolder, versions
from core.runs.run import RunSettings, read_settings, read_tokenizer
from core.tasks import Sample, Task
from core.tasks.corpus import (
    AT_HAND,
    FILES,
    HELD_OUT,
    Corpus,
    CorpusError,
    LargeCorpus,
    Mixed,
    OwnPairs,
    own_pairs_of,
)
from core.tasks.length_filter import fitting, target_ratio, those_that_fit
from core.tasks.pairs import as_tsv
from core.tasks.task import Drawn, Part
from core.tokenizer.byte_level import ByteLevelTokenizer, usual_apostrophe
from core.tokenizer.tokenizer import Tokenizer
from core.tokenizer.word_level import Vocabulary, WordTokenizer
from core.training.guides import check_guide
from core.training.presets import Preset
from core.training.start import start_of
from core.training.tokenised import keep

TOKENIZER_SAMPLES = 20_000
"""So many training samples the tokenizer learns its pieces from; of the user's own pairs all, up to
`AT_HAND`."""

_N_TRIED = 500
"""So many made sentences say whether a model has room for them."""


def prepare_run(  # noqa: PLR0913
    path: Path,
    task: Task,
    preset_name: str,
    preset: Preset,
    command: str,
    tell: Callable[[int], None] = lambda _: None,
    start: Path | None = None,
) -> int:
    """Make a run folder with settings and tokenizer, ready for `train_run`; all of it or nothing.

    Args:
        path: The folder to make.
        task: From `TASKS`, or own pairs, which are then kept with the run: those of a
            `LargeCorpus` as tokens.
        preset_name: What the preset is called.
        preset: Sizes of model and vocabulary, and how it will be trained.
        command: What makes the same run again.
        tell: Called with the number of pairs of a large corpus that are split to tokens so far.
        start: A run of the same model, with whose weights and tokenizer it begins; None for
            fresh ones.

    Returns:
        How many of the user's own pairs are left out, being longer than the model's positions.

    Raises:
        FileExistsError: The folder holds something already.
        ConfigError: The guided head does not exist in the model, or the task has no pronouns; or
            the model cannot be trained in this way.
        CorpusError: Too few of the pairs fit the model's positions.
    """
    check_training(task, preset, starts=start is not None)
    samples = _for_tokenizer(task, preset.training.seed)
    if start is None:
        tokenizer = _tokenizer(task, samples, preset.vocab_size, preset.model)
    else:
        tokenizer = read_tokenizer(start, read_settings(start).model)
    model = preset.sized(tokenizer.vocab_size)
    begun = None if start is None else start_of(start, model)
    longest = longest_side(model, tokenizer)
    n_left_out = _n_in_memory(task) - _n_in_memory(fitting(task, tokenizer, longest))
    _check_made(task, tokenizer, longest)
    ratio = target_ratio(those_that_fit(samples, tokenizer, longest), tokenizer)
    model = replace(model, target_ratio=max(model.target_ratio, ratio))

    def fill(folder: Path) -> None:
        nonlocal n_left_out
        n_left_out += _write_pairs(folder, task, tokenizer, longest, tell)
        if begun is not None:
            begun.write(folder)

    RunFolder(path).begin(
        RunSettings(
            task=PAIRS if isinstance(task, OwnPairs) else task.name,
            preset=preset_name,
            model=model,
            training=preset.training,
            versions=versions(),
            command=command,
            start="" if begun is None else str(begun),
        ),
        tokenizer,
        fill,
    )
    return n_left_out


def _check_made(task: Task, tokenizer: Tokenizer, longest: int) -> None:
    """Refuse a model that has no room for the sentences that a task makes.

    Raises:
        ConfigError: It has none for some of them.
    """
    made = task.made if isinstance(task, Mixed) else task
    if own_pairs_of(made) is not None:
        return
    drawn = list(itertools.islice(made.training_samples(random.Random("lengths")), _N_TRIED))
    if n := len(drawn) - len(those_that_fit(drawn, tokenizer, longest)):
        raise ConfigError(
            "{longest} positions are too few: {n} of {all} sentences of the task {name} are longer",
            longest=longest,
            n=n,
            all=len(drawn),
            name=repr(made.name),
        )


def check_training(task: Task, preset: Preset, *, starts: bool) -> None:
    """Refuse what cannot be trained, as far as it is known before a tokenizer has learned.

    Args:
        task: What is learned.
        preset: The model, and how it will be trained.
        starts: Whether it begins with the weights of a run.

    Raises:
        ConfigError: The message says what does not go together.
    """
    config, model = preset.training, preset.model
    require(config.seed >= 0, "seed is {seed}, not 0 or more", seed=config.seed)
    if config.batch_tokens and own_pairs_of(task) is None:
        raise ConfigError(
            "batch_tokens is {batch_tokens}, but the task {name} makes its "
            "sentences as it goes: its batches are counted in pairs (batch_size)",
            batch_tokens=config.batch_tokens,
            name=repr(task.name),
        )
    _check_model(preset)
    if config.makes_rewards_large and not starts:
        raise ConfigError(
            "objective is {objective}, which makes a trained model better: a run "
            "to start from is needed (--start RUN)",
            objective=config.objective,
        )
    vocabulary = own_vocabulary(task, model.stacks)
    n_names = vocabulary.n_names if vocabulary else 0
    if model.shared_names not in (0, n_names):
        raise ConfigError(
            "shared_names is {shared_names}: of the task {name} {n} tokens are names",
            shared_names=model.shared_names,
            name=repr(task.name),
            n=n_names,
        )
    if config.guide:
        check_guide(config, task, outline(model))


def _check_model(preset: Preset) -> None:
    """Refuse a model that cannot learn from pairs, or not in the way that is asked for.

    Raises:
        ConfigError: The message says what does not go together.
    """
    model, config = preset.model, preset.training
    own = ModelConfig(vocab_size=model.vocab_size)
    for name in ("target_vocab_size", "n_segments", "has_output", "pad_id", "bos_id", "eos_ids"):
        value = getattr(model, name)
        if value != getattr(own, name):
            raise ConfigError(
                "{name} is {value}: such models can be opened, but not trained",
                name=name,
                value=repr(value),
            )
    if model.is_encoder_decoder and not model.is_parallel:
        return
    usual = TrainConfig()
    for name in ("guide", "scheduled_sampling", "teacher_forcing", "objective"):
        if (value := getattr(config, name)) == getattr(usual, name):
            continue
        if model.is_parallel:
            raise ConfigError(
                "{name} is {value}, which is for a decoder that is fed word after "
                "word: this model's is parallel",
                name=name,
                value=repr(value),
            )
        raise ConfigError(
            "{name} is {value}, which is for an encoder and a decoder: this model "
            "is the {alone} alone",
            name=name,
            value=repr(value),
            alone=model.stacks[0],
        )


def _n_in_memory(task: Task) -> int:
    own = own_pairs_of(task)
    return sum(len(own.part(part)) for part in FILES) if isinstance(own, Corpus) else 0


def _write_pairs(
    path: Path, task: Task, tokenizer: Tokenizer, longest: int, tell: Callable[[int], None]
) -> int:
    """Write the user's own pairs into a run's folder, those of a large corpus as tokens.

    Returns:
        How many pairs of a large corpus are longer than `longest` tokens and not written.

    Raises:
        CorpusError: Of a part of a large corpus no pair is as short as `longest` tokens.
    """
    written: dict[Part, Sequence[Sample]] = {}
    n_left_out = 0
    own = own_pairs_of(task)
    if isinstance(own, LargeCorpus):
        kept = keep(path, own.to_learn_from(), tokenizer, longest, tell)
        written = {part: those_that_fit(own.part(part), tokenizer, longest) for part in HELD_OUT}
        if kept.n == 0 or not all(written.values()):
            raise CorpusError(
                "{name}: too few pairs fit the model's {longest} positions",
                name=own.name,
                longest=longest,
            )
        n_left_out = kept.n_too_long
        n_left_out += sum(len(own.part(part)) - len(written[part]) for part in HELD_OUT)
    elif isinstance(own, Corpus):
        # Where no part has pairs of its own, all are in one file and are split again from it.
        written = (
            {part: own.part(part) for part in FILES} if own.own_parts else {"train": own.samples}
        )
    for part, samples in written.items():
        write_atomically(path / FILES[part], as_tsv(samples))
    return n_left_out


def train_tokenizer(
    task: Task, vocab_size: int, seed: int, model: ModelConfig | None = None
) -> Tokenizer:
    """Learn at most `vocab_size` tokens from samples of a task that are not held out.

    The model writes the apostrophe that targets have.

    Args:
        task: What is learned.
        vocab_size: The most tokens.
        seed: Of the samples.
        model: Decides which signs and special tokens there are besides; None for encoder and
            decoder.

    Raises:
        ConfigError: The task has words of its own, and none for what is asked of it.
    """
    return _tokenizer(task, _for_tokenizer(task, seed), vocab_size, model)


def _tokenizer(
    task: Task, samples: Sequence[Sample], vocab_size: int, model: ModelConfig | None
) -> Tokenizer:
    stacks = ("encoder", "decoder") if model is None else model.stacks
    if vocabulary := own_vocabulary(task, stacks):
        return WordTokenizer(vocabulary)
    between = [SEPARATOR] if len(stacks) == 1 else []
    texts = (text for each in samples for text in (each.source, *between, each.target))
    apostrophe = usual_apostrophe(sample.target for sample in samples)
    masks = stacks == ("encoder",) or (model is not None and model.is_parallel)
    return ByteLevelTokenizer.train(texts, vocab_size, apostrophe, masks=masks)


def own_vocabulary(task: Task, stacks: tuple[Stack, ...]) -> Vocabulary | None:
    """Return the words of a task that has its own; None where pieces of words are learned.

    Raises:
        ConfigError: It has none for what is asked of it.
    """
    made = task.made if isinstance(task, Mixed) else task
    if not isinstance(made, Drawn) or made.vocabulary is None:
        return None
    if isinstance(task, Mixed) or len(stacks) == 1:
        raise ConfigError(
            "the task {name} has words of its own and no others: it is for an "
            "encoder and a decoder, and without pairs beside it",
            name=repr(task.name),
        )
    return made.vocabulary


def _for_tokenizer(task: Task, seed: int) -> list[Sample]:
    """Return the samples that a tokenizer learns from."""
    own = own_pairs_of(task)
    n_own = own.n_train if isinstance(own, Corpus | LargeCorpus) else 0
    drawn = task.training_samples(random.Random(f"tokenizer {seed}"))
    return list(itertools.islice(drawn, max(TOKENIZER_SAMPLES, min(AT_HAND, n_own))))
