"""Text in, text out: one sentence through a trained run."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.batch import encode_source, pad
from core.decoding.greedy import decode_greedily
from core.decoding.step import DecodeStep
from core.runs.run import Run
from core.vocabulary import BOS, EOS


class SentenceError(ValueError):
    """A text that cannot be translated; the message says why."""


@dataclass(frozen=True, slots=True)
class Translation:
    """What a model made of a sentence."""

    source_ids: tuple[int, ...]
    """With EOS at the end."""
    target_ids: tuple[int, ...]
    """What the model wrote, EOS left out."""
    source: str
    """As the model sees it: single spaces, one kind of apostrophe, cut where it had to be."""
    text: str
    cut: bool
    """True when the sentence was longer than the model's positions."""
    finished: bool
    """False when the model had not said EOS at the length limit."""

    @property
    def fed_ids(self) -> tuple[int, ...]:
        """What a decoder is fed to write this target: BOS, then the target."""
        return (BOS, *self.target_ids)


def translate(run: Run, sentence: str) -> Translation:
    """Translate greedily.

    Raises:
        SentenceError: There is no text.
    """
    source_ids, cut = fitting_source(run, sentence)
    return _read(run, source_ids, decode_greedily(run.model, pad([source_ids]))[0], cut)


def given_translation(run: Run, sentence: str, target: str) -> Translation:
    """Return a target that the user gave in the form of a translation, cut where it must be.

    Raises:
        SentenceError: There is no text.
    """
    source_ids, cut = fitting_source(run, sentence)
    target_ids = run.tokenizer.encode(target).ids
    longest = run.settings.model.max_positions - 1
    written = (*target_ids, EOS) if len(target_ids) <= longest else target_ids[:longest]
    return _read(run, source_ids, written, cut)


def read_steps(
    run: Run, source_ids: tuple[int, ...], found: Sequence[DecodeStep], cut: bool
) -> Translation:
    """Return what the steps of a decoding say, as text."""
    return _read(run, source_ids, tuple(step.chosen for step in found), cut)


def _read(
    run: Run, source_ids: tuple[int, ...], written: tuple[int, ...], cut: bool
) -> Translation:
    finished = written[-1:] == (EOS,)
    target_ids = written[:-1] if finished else written
    return Translation(
        source_ids=source_ids,
        target_ids=target_ids,
        source=run.tokenizer.decode(source_ids),
        text=run.tokenizer.decode(target_ids),
        cut=cut,
        finished=finished,
    )


def fitting_source(run: Run, sentence: str) -> tuple[tuple[int, ...], bool]:
    """Return the ids of a source, EOS last, and whether its end was cut off to fit the model.

    Raises:
        SentenceError: There is no text.
    """
    ids = encode_source(run.tokenizer, sentence)
    if len(ids) == 1:
        raise SentenceError("there is no text to translate")
    longest = run.settings.model.max_positions
    return (ids, False) if len(ids) <= longest else ((*ids[: longest - 1], EOS), True)


def source_tensor(run: Run, sentence: str) -> Tensor:
    """Return source_S of a sentence, as `fitting_source` cuts it.

    Raises:
        SentenceError: There is no text.
    """
    return torch.tensor(fitting_source(run, sentence)[0])
