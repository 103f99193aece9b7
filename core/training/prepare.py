"""A run folder before its first step: settings, tokenizer, own pairs, and weights to start from."""

import itertools
import random
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..config import ConfigError, ModelConfig, require
from ..config.training import TrainConfig
from ..files import write_atomically
from ..heads import Head, Stack
from ..installed import COMMAND
from ..labels import SEPARATOR, longest_side
from ..model import Transformer
from ..model.building import outline
from ..runs.checkpoint import START, has_state, kept_step, save_weights, weights_file
from ..runs.files import PAIRS
from ..runs.folder import RunFolder, new_folder, versions
from ..runs.run import Run, RunError, RunSettings, load_run, read_settings, read_tokenizer
from ..tasks import PREDICTS, Sample, Task, task_named
from ..tasks.columns import CorpusError
from ..tasks.corpus import (
    AT_HAND,
    FILES,
    HELD_OUT,
    Corpus,
    LargeCorpus,
    Mixed,
    OwnPairs,
    own_pairs_of,
)
from ..tasks.length_filter import fitting, target_ratio, those_that_fit
from ..tasks.pairs import as_tsv
from ..tasks.task import Drawn, Part
from ..tokenizer.byte_level import ByteLevelTokenizer, usual_apostrophe
from ..tokenizer.tokenizer import Tokenizer
from ..tokenizer.word_level import Vocabulary, WordTokenizer
from .presets import LIKE, MODEL_SETTINGS, Preset, Setting
from .tokenised import write_tokens

TOKENIZER_SAMPLES = 20_000
"""Training samples for the tokenizer; of the user's own pairs all, up to `AT_HAND`."""

_N_TRIED = 500
"""Number of generated sentences that are checked to fit a model."""


def prepare_run(  # noqa: PLR0913
    path: Path,
    task: Task,
    preset_name: str,
    preset: Preset,
    command: str,
    tell: Callable[[int], None] = lambda _: None,
    start: Path | None = None,
    tokenizer: Tokenizer | None = None,
) -> int:
    """Make a run folder with settings and tokenizer, ready for `train_run`; all of it or nothing.

    Args:
        path: The folder to make.
        task: From `TASKS`, or own pairs, which are then stored with the run: those of a
            `LargeCorpus` as tokens.
        preset_name: Name of the preset.
        preset: Sizes of model and vocabulary, and training settings.
        command: Command line that makes the same run again.
        tell: Called with the number of pairs of a large corpus that are tokenised so far.
        start: A run of the same model whose weights and tokenizer are used; None for new ones.
        tokenizer: From `train_tokenizer` with the seed of the training; None to learn it here.

    Returns:
        Number of own pairs that are left out because they exceed the model's positions.

    Raises:
        FileExistsError: The folder holds something already.
        ConfigError: The guided head does not exist in the model, or the task has no pronouns; or
            the model cannot be trained like this.
        CorpusError: Too few of the pairs fit the model's positions.
    """
    check_training(task, preset, starts=start is not None)
    # Made first: what cannot be made must not be known only after the tokenizer is trained.
    with new_folder(path) as folder:
        seed = preset.training.seed
        samples = _tokenizer_samples(task, seed)
        if start is not None:
            tokenizer = read_tokenizer(start, read_settings(start).model)
        elif tokenizer is None:
            tokenizer = train_tokenizer(task, preset.vocab_size, seed, preset.model, samples)
        model = preset.sized(tokenizer.vocab_size)
        start_run = None if start is None else _run_to_start_from(start, model)
        longest = longest_side(model, tokenizer)
        n_left_out = _n_in_memory(task) - _n_in_memory(fitting(task, tokenizer, longest))
        _check_made(task, tokenizer, longest)
        ratio = target_ratio(those_that_fit(samples, tokenizer, longest), tokenizer)
        model = replace(model, target_ratio=max(model.target_ratio, ratio))
        if start_run is not None:
            _write_start(folder, start_run)
        sized = replace(preset, model=model)
        start_name = "" if start_run is None else f"{start_run.name}, step {start_run.step}"
        n_left_out += write_run(
            folder, task, tokenizer, sized, preset_name, command, start_name, tell
        )
    return n_left_out


def write_run(  # noqa: PLR0913
    folder: Path,
    task: Task,
    tokenizer: Tokenizer,
    preset: Preset,
    preset_name: str = "",
    command: str = "",
    start: str = "",
    tell: Callable[[int], None] = lambda _: None,
) -> int:
    """Write what a training reads into a folder; unlike `prepare_run` without any check.

    Args:
        folder: An empty one.
        task: As in `prepare_run`.
        tokenizer: The model's.
        preset: The model has the vocabulary of the tokenizer.
        preset_name: As in `prepare_run`.
        command: As in `prepare_run`.
        start: Run and step to start from.
        tell: As in `prepare_run`.

    Returns:
        Number of pairs of a large corpus that are left out because they are too long.
    """
    settings = RunSettings(
        task=PAIRS if isinstance(task, OwnPairs) else task.name,
        preset=preset_name,
        model=preset.model,
        training=preset.training,
        versions=versions(),
        command=command,
        start=start,
    )
    n_left_out = _write_pairs(folder, task, tokenizer, longest_side(preset.model, tokenizer), tell)
    for name, content in tokenizer.files().items():
        write_atomically(folder / name, content)
    RunFolder(folder).write_json("run.json", settings.to_dict())
    return n_left_out


def _check_made(task: Task, tokenizer: Tokenizer, longest: int) -> None:
    """Refuse a model with too few positions for the task's sentences."""
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
    """Refuse what cannot be trained, as far as known before the tokenizer is trained.

    Raises:
        ConfigError: The message says what does not go together.
    """
    config, model = preset.training, preset.model
    config.require(config.seed >= 0, "seed is {seed}, not 0 or more")
    config.require(
        not config.batch_tokens or own_pairs_of(task) is not None,
        "batch_tokens is {batch_tokens}, but the task {name} makes its "
        "sentences as it goes: its batches are counted in pairs (batch_size)",
        name=repr(task.name),
    )
    predicts = PREDICTS.get(task.name, "tokens")
    model.require(
        model.predicts == predicts,
        "predicts is {predicts}; of a model that learns the task {name} it is {wanted}",
        name=repr(task.name),
        wanted=predicts,
    )
    _check_model(preset)
    config.require(
        not config.makes_rewards_large or starts,
        "objective is {objective}, which makes a trained model better: a run "
        "to start from is needed (--start RUN)",
    )
    vocabulary = own_vocabulary(task, model.stacks)
    n_names = vocabulary.n_names if vocabulary else 0
    model.require(
        model.shared_names in (0, n_names),
        "shared_names is {shared_names}: of the task {name} {n} tokens are names",
        name=repr(task.name),
        n=n_names,
    )
    if config.guide:
        _check_guide(config, task, outline(model))


def _check_model(preset: Preset) -> None:
    """Refuse a model that cannot be trained on pairs, or not with these settings."""
    model = preset.model
    if model.is_encoder_decoder and not model.is_parallel:
        return
    for name in ("guide", "scheduled_sampling", "teacher_forcing", "objective"):
        value = getattr(preset.training, name)
        require(
            value == getattr(TrainConfig(), name),
            "{name} is {value}, which is for an encoder and a decoder that is fed word after word",
            name=name,
            value=repr(value),
        )


def _check_guide(config: TrainConfig, task: Task, model: Transformer) -> None:
    """Refuse to guide a missing head, or on a task without targets for it."""
    try:
        head = Head.parse(config.guide)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if config.guide_to == "alignment":
        require(
            head.kind.sides == ("target", "source"),
            "{site} does not look from the target to the source: "
            "guide_to=alignment is for cross-attention, as in decoder.1.cross:0",
            site=head.site,
        )
        # Generated sentences have alignments, files of pairs do not.
        require(
            isinstance(task.made if isinstance(task, Mixed) else task, Drawn),
            "the task {name} does not know which words belong together, so it has "
            "no alignment that {head} could be guided by",
            name=repr(task.name),
            head=head,
        )
    else:
        config.require(
            bool(task.pronouns),
            "the task {name} has no pronouns that {guide} could be guided by",
            name=repr(task.name),
        )
        require(
            head.kind.key_side == "source",
            "{site} never sees the source, so it cannot be guided to an antecedent",
            site=head.site,
        )
    config.require(
        head.site in model.sites() and head.index < model.config.n_heads,
        "{guide} is no head of this model",
    )


def _run_to_start_from(path: Path, model: ModelConfig) -> Run:
    """Return the run whose weights a training starts from."""
    run = load_run(path)
    other = run.settings.model.to_dict()
    # The length of targets depends on the new pairs.
    asked = replace(model, target_ratio=run.settings.model.target_ratio).to_dict()
    differing = sorted(name for name in {*other, *asked} if other.get(name) != asked.get(name))
    if run.settings.is_opened:
        raise ConfigError(
            "{path} is an imported model: a training starts from a run that was trained here",
            path=path,
        )
    if differing:
        what = ", ".join(differing)
        raise ConfigError(
            "{path} has another model than the one to be trained: {what}", path=path, what=what
        )
    return run


def _write_start(folder: Path, run: Run) -> None:
    """Write a run's weights into a new run's folder as those of step 0, and the words it knows."""
    (folder / START).mkdir()
    save_weights(run.model, folder / START / weights_file(0))
    write_atomically(folder / "words.txt", "\n".join(sorted(run.known_words)).encode())


def with_model_of(start: Path, preset: Preset, changes: Mapping[str, Setting]) -> Preset:
    """Return a preset with the model of the run that it starts from.

    Raises:
        ConfigError: A setting of the model is to be changed.
        RunError: There is no such run.
    """
    if changed := sorted(set(changes) & {*MODEL_SETTINGS, LIKE}):
        raise ConfigError(
            "{name} cannot change: the model is that of {start}", name=changed[0], start=start
        )
    return replace(preset, model=read_settings(start).model)


def _n_in_memory(task: Task) -> int:
    own = own_pairs_of(task)
    return sum(len(own.part(part)) for part in FILES) if isinstance(own, Corpus) else 0


def _write_pairs(
    path: Path, task: Task, tokenizer: Tokenizer, longest: int, tell: Callable[[int], None]
) -> int:
    """Write the user's own pairs into a run's folder, those of a large corpus as tokens.

    Returns:
        Number of pairs of a large corpus that are longer than `longest` tokens and skipped.
    """
    written: dict[Part, Sequence[Sample]] = {}
    n_left_out = 0
    own = own_pairs_of(task)
    if isinstance(own, LargeCorpus):
        n, n_left_out = write_tokens(path, own.to_learn_from(), tokenizer, longest, tell)
        written = {part: those_that_fit(own.part(part), tokenizer, longest) for part in HELD_OUT}
        if n == 0 or not all(written.values()):
            raise CorpusError(
                "{name}: too few pairs fit the model's {longest} positions",
                name=own.name,
                longest=longest,
            )
        n_left_out += sum(len(own.part(part)) - len(written[part]) for part in HELD_OUT)
    elif isinstance(own, Corpus):
        # If no part has pairs of its own, one file holds all, and is split again when read.
        written = (
            {part: own.part(part) for part in FILES} if own.own_parts else {"train": own.samples}
        )
    for part, samples in written.items():
        write_atomically(path / FILES[part], as_tsv(samples))
    return n_left_out


def train_tokenizer(
    task: Task,
    vocab_size: int,
    seed: int,
    model: ModelConfig | None = None,
    samples: Sequence[Sample] | None = None,
) -> Tokenizer:
    """Learn at most `vocab_size` tokens from samples of a task that are not held out.

    The model writes the usual apostrophe of the targets.

    Args:
        task: The task.
        vocab_size: Maximum number of tokens.
        seed: Seed of the samples.
        model: Decides which special tokens there are; None for encoder and decoder.
        samples: The samples of the seed, if they are already drawn.

    Raises:
        ConfigError: The task has words of its own, and none for this kind of model.
    """
    stacks = ("encoder", "decoder") if model is None else model.stacks
    if vocabulary := own_vocabulary(task, stacks):
        return WordTokenizer(vocabulary)
    samples = _tokenizer_samples(task, seed) if samples is None else samples
    between = [SEPARATOR] if len(stacks) == 1 else []
    texts = (text for each in samples for text in (each.source, *between, each.target))
    apostrophe = usual_apostrophe(sample.target for sample in samples)
    masks = stacks == ("encoder",) or (model is not None and model.is_parallel)
    return ByteLevelTokenizer.train(texts, vocab_size, apostrophe, masks=masks)


def own_vocabulary(task: Task, stacks: tuple[Stack, ...]) -> Vocabulary | None:
    """Return the fixed vocabulary of a task; None if subwords are learned.

    Raises:
        ConfigError: It does not support these stacks, or own pairs.
    """
    made = task.made if isinstance(task, Mixed) else task
    if not isinstance(made, Drawn) or made.vocabulary is None:
        return None
    if isinstance(task, Mixed) or (len(stacks) == 1 and task.name not in PREDICTS):
        raise ConfigError(
            "the task {name} has words of its own and no others: it is learned without pairs "
            "beside it, and by no model that reads source and target as one text",
            name=repr(task.name),
        )
    return made.vocabulary


def _tokenizer_samples(task: Task, seed: int) -> list[Sample]:
    """Return the samples that a tokenizer learns from."""
    own = own_pairs_of(task)
    n_own = own.n_train if isinstance(own, Corpus | LargeCorpus) else 0
    drawn = task.training_samples(random.Random(f"tokenizer {seed}"))
    return list(itertools.islice(drawn, max(TOKENIZER_SAMPLES, min(AT_HAND, n_own))))


def require_state(path: Path) -> None:
    """Refuse a run that cannot be resumed.

    Raises:
        RunError: It has weights, but no optimizer state.
    """
    if not has_state(path):
        raise RunError("{path}: its optimizer was not kept, so it cannot go on", path=path)


def extend_run(path: Path, steps: int | None = None, made_share: float | None = None) -> None:
    """Change a run's number of steps or share of generated sentences.

    The steps so far followed the old schedule: both commands, one after the other, make the same
    run again.

    Args:
        path: The run's folder.
        steps: Total steps; None for no change.
        made_share: Share of generated sentences beside own pairs from now on; None for no change.

    Raises:
        ConfigError: The number is invalid, more steps are done, or nothing is generated.
        RunError: The folder is no run, it cannot be resumed, or a process is training it.
    """
    folder = RunFolder(path)
    settings = read_settings(path)
    asked = {"steps": steps, "made_share": made_share}
    changes = {name: value for name, value in asked.items() if value is not None}
    training = TrainConfig.from_dict(settings.training.to_dict() | changes)
    if made_share is not None and not isinstance(task_named(settings.task, path), Mixed):
        raise ConfigError(
            "{path} learned nothing beside its task: made_share is a share of both", path=path
        )
    with folder.held():
        if training == settings.training:
            return
        done = kept_step(path)
        if training.steps < done:
            raise ConfigError(
                "steps is {steps}, but {path} has done {done}",
                steps=training.steps,
                path=path,
                done=done,
            )
        require_state(path)
        then = [*COMMAND.split(), "train", str(path), "--resume"]
        then += ["--steps", str(steps)] if steps is not None else []
        then += ["--set", f"made_share={made_share:g}"] if made_share is not None else []
        command = f"{settings.command}\n{shlex.join(then)}  # from step {done} on"
        longer = replace(settings, training=training, command=command)
        folder.write_json("run.json", longer.to_dict())
