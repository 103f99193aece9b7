"""A run is a folder: what a training leaves behind, and all that looking at its model needs.

run.json          configs, task, seed, versions, the command that makes it
tokenizer.json    in the format of the `tokenizers` library, or words and names
words.txt         the source words that training saw
metrics.jsonl     one line for each measured step, append-only
NOTICE            shown with it: where its data come from
evaluation.json   figures on held-out samples, and what each head does
status.json       state, step, and why training failed if it did
pairs.tsv         the user's own pairs, where it learned from them; valid.tsv and test.tsv
                  where these parts have pairs of their own
lines.txt         lines of text by which an opened model of one stack is measured
request           a request to the process that trains the run: pause or stop
watched           touched by pages that show its weights as they now are
train.log         the output of that process
.lock             held by that process: see `core.jobs.job`
heads.json        what silencing each head costs; heads.lock, heads.progress, heads.log while and
                  after it is measured: see `core.jobs.job`
pruning.json      quality as heads are silenced one by one; pruning.lock, and so on
checkpoints/      step-00000400.safetensors, with step-00000400.state.safetensors beside it
snapshots/ best/ live/ start/    weights to look at: see `core.runs.checkpoint`
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..config import ModelConfig
from ..device import best_device
from ..heads import Head
from ..library.checkpoint import CONFIG, OpeningError
from ..messages import Message, error_text
from ..model import Transformer, build, count_parameters
from ..tokenizer.bpe_json import TokenizerError
from ..tokenizer.byte_level import ByteLevelTokenizer
from ..tokenizer.opened import OPENED, opened_tokenizers
from ..tokenizer.tokenizer import Tokenizer
from ..tokenizer.word_level import WordTokenizer, is_word_level
from ..vocabulary import BOS, EOS
from .checkpoint import (
    CheckpointError,
    load_model,
    newest_checkpoint,
    opening_weights,
    read_tensors,
    require_shapes,
    shapes_in,
    step_of,
    weights_at,
)
from .files import NOTICE, about, damaged, read_bytes, read_json, read_text
from .files import RunError as RunError
from .files import is_run as is_run
from .metrics import read_evaluation
from .settings import RunSettings as RunSettings
from .settings import read_settings as read_settings

LONGEST_NOTICE = 500
_LANGUAGE = re.compile("__([a-z]{2,3})__|([a-z]{2,3}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3})")
_LARGEST_FRESH = 1 << 28
"""Maximum number of weights of a model without a file of weights."""


@dataclass(frozen=True, eq=False)
class Run:
    """A trained model with everything needed to use it. Shared, and therefore immutable."""

    path: Path
    settings: RunSettings
    model: Transformer
    tokenizer: Tokenizer
    """The source's; of a decoder alone its own."""
    target_tokenizer: Tokenizer
    """Same object, except for models with two vocabularies."""
    step: int
    """Steps that the loaded weights were trained for."""
    known_words: frozenset[str]
    """Source words that training saw; empty if unknown."""
    evaluation: Mapping[str, Any] | None
    """Stored evaluation of these weights; None if there is none."""
    notice: str
    """Origin of the data, shown with the run; usually empty."""
    max_new_tokens: int | None = None
    """Maximum tokens that it writes for a text; None for `core.decoding.step.length_limit`."""
    chats: bool = False
    """Whether `settings.chat` is put around each text."""
    truncates_left: bool = False
    """Of a text that is longer than the model's positions: whether its end is read (left
    truncation), not its beginning. Never within a chat template."""
    forced_id: int = -1
    """The token with which a target begins after its start token: its language; −1 for none."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def begins(self) -> tuple[int, ...]:
        """What the decoder beside an encoder is fed before its text."""
        forced = () if self.forced_id < 0 else (self.forced_id,)
        return (*self.model.config.begins, *forced)

    def prompt_BT(self, n_rows: int) -> Tensor | None:
        """Return `begins` for each of several sources; None for what the model always begins with.

        None is all that a parallel decoder takes.
        """
        return None if self.forced_id < 0 else torch.tensor([self.begins] * n_rows)

    @property
    def languages(self) -> dict[str, int]:
        """The tokens of target languages, as NLLB, M2M-100 and mBART write them, by their names."""
        if not self.model.config.is_encoder_decoder:
            return {}
        return {
            found[1] or found[2]: number
            for number, name in self.target_tokenizer.specials.items()
            if (found := _LANGUAGE.fullmatch(name))
        }

    @property
    def is_untrained(self) -> bool:
        """Whether its weights are the initial ones of its seed; never for an opened model."""
        return self.step == 0 and not self.settings.is_opened and not self.settings.start


def load_run(path: Path, step: int | None = None) -> Run:
    """Read a run folder with the weights of a step.

    Args:
        path: The folder.
        step: One of `checkpoint.stops`; None for what the run opens with: its newest checkpoint, or
            its best weights where training had patience.

    Raises:
        RunError: The folder is missing, damaged, or no run; or no weights of the step were kept.
    """
    if not path.is_dir():
        raise about(path, Message("no such folder"))
    settings = read_settings(path)
    try:
        tokenizer, target_tokenizer = read_both_tokenizers(path, settings)
        step, model = _weights(path, settings, step)
    except CheckpointError as error:
        raise about(path, error_text(error)) from error
    return Run(
        path=path,
        settings=settings,
        model=model,
        tokenizer=tokenizer,
        target_tokenizer=target_tokenizer,
        step=step,
        known_words=_known_words(path, settings),
        evaluation=_evaluation_of(path, model, step),
        notice=_notice_of(path),
        forced_id=settings.forced_id,
    )


def _known_words(path: Path, settings: RunSettings) -> frozenset[str]:
    # Words are noted of sources; a model of one stack reads targets, too.
    if settings.is_opened or not settings.model.reads_sources:
        return frozenset()
    return frozenset(read_words(path))


def _notice_of(path: Path) -> str:
    """Return the beginning of a run's notice, in one line."""
    if not (path / NOTICE).exists():
        return ""
    return " ".join(read_text(path, NOTICE).split())[:LONGEST_NOTICE]


def _weights(path: Path, settings: RunSettings, step: int | None) -> tuple[int, Transformer]:
    """Return a model with the weights of a step; step 0, if not kept, is rebuilt from the seed."""
    if step is None:
        file = opening_weights(path, settings)
        if file is None:
            raise about(path, Message("no checkpoint yet in checkpoints/"))
    else:
        file = weights_at(path, step)
    if file is not None and settings.model.architecture:
        return step_of(file), _library_model(path, file, settings.model)
    if file is not None:
        return step_of(file), load_model(file, settings.model)
    if step != 0:
        raise about(path, Message("no weights of step {step} were kept", step=str(step)))
    _require_makeable(path, settings)
    return 0, build(settings.model, settings.training.seed).eval()


def _library_model(path: Path, file: Path, config: ModelConfig) -> Transformer:
    """Return a model that the `transformers` library computes."""
    # Here, for it takes seconds that other runs do not need.
    from ..library.reading import load_library_model

    shapes_in(file)
    try:
        model = load_library_model(read_json(path, CONFIG), read_tensors(file, mapped=True))
    except OpeningError as error:
        raise about(path, error_text(error)) from error
    if replace(model.config, bos_id=config.bos_id).known() != config.known():
        raise about(path, Message("run.json and {name} speak of different models", name=CONFIG))
    model.config = config
    return model.compute_on(best_device())


def _require_makeable(path: Path, settings: RunSettings) -> None:
    """Refuse a model of other sizes than the run's weights, or a large one without weights."""
    if (file := opening_weights(path, settings)) is not None:
        require_shapes(file.name, shapes_in(file), settings.model)
    elif count_parameters(settings.model) > _LARGEST_FRESH:
        raise about(path, Message("run.json speaks of a model too large to be made from nothing"))


def read_both_tokenizers(path: Path, settings: RunSettings) -> tuple[Tokenizer, Tokenizer]:
    """Read the source's and the target's tokenizer, which are usually the same."""
    if settings.is_opened:
        return _opened_tokenizers(path, settings.model)
    tokenizer = read_tokenizer(path, settings.model)
    if tokenizer.vocab_size != settings.model.vocab_size:
        raise about(
            path,
            Message(
                "tokenizer.json has {n} tokens, run.json says {n_said}",
                n=tokenizer.vocab_size,
                n_said=settings.model.vocab_size,
            ),
        )
    return tokenizer, tokenizer


def _opened_tokenizers(path: Path, model: ModelConfig) -> tuple[Tokenizer, Tokenizer]:
    files = {name: read_bytes(path, name) for name in OPENED if (path / name).exists()}
    try:
        return opened_tokenizers(files, model.vocab_size, model.n_target_tokens, model.pad_id)
    except TokenizerError as error:
        raise about(
            path, Message("its tokenizer cannot be read: {why}", why=error_text(error))
        ) from error


def read_tokenizer(path: Path, model: ModelConfig) -> Tokenizer:
    """Read tokenizer.json of a run that was trained here.

    `model` decides which ids are put around a text.

    Raises:
        RunError: It is missing or damaged.
    """
    try:
        text = read_text(path, "tokenizer.json")
        if is_word_level(text):
            return WordTokenizer.from_json(text)
        begins, ends = ((BOS,), ()) if model.is_decoder_only else ((), (EOS,))
        return ByteLevelTokenizer.from_json(text, begins, ends)
    except RunError:
        raise
    except ValueError as error:
        raise about(
            path, Message("{name}: {why}", name="tokenizer.json", why=error_text(error))
        ) from error


def _evaluation_of(path: Path, model: Transformer, step: int) -> dict[str, Any] | None:
    """Return the stored evaluation, unless it is of the weights of another step."""
    stored = read_evaluation(path)
    if stored is None:
        return None
    heads = {str(head) for site in model.sites() for head in site.heads(model.config.n_heads)}
    try:
        if strange := {str(Head.read(each)) for each in stored["heads"]} - heads:
            raise ValueError(f"the model has no head {min(strange)}")
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, "evaluation.json", error_text(error)) from error
    return stored if stored.get("step", step) == step else None


def read_words(path: Path) -> set[str]:
    """Return the source words that training saw; none before the first checkpoint.

    Raises:
        RunError: words.txt is missing beside a checkpoint, or no text.
    """
    if not (path / "words.txt").exists() and newest_checkpoint(path) is None:
        return set()
    # Not splitlines: a word may hold a sign at which that would break it.
    return set(read_text(path, "words.txt").split("\n"))
