"""Text in, text out: one sentence through a run, or a prompt that it goes on from."""

from dataclasses import dataclass

import torch
from torch import Tensor

from core.batch import encode_source, pad
from core.decoding.generate import generate
from core.decoding.step import CONTINUATION
from core.messages import MessageError
from core.model import Transformer
from core.runs.run import Run
from core.tokenizer.words import has_unspaced
from core.vocabulary import BOS

_LARGEST_MAPS = 1 << 28
"""Weights of all heads for one text: a gibibyte. Own models have fewer positions than that."""


class SentenceError(MessageError, ValueError):
    """A text that cannot be translated; the message says why."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """What a model is given of a text."""

    source_ids: tuple[int, ...]
    """What the encoder reads, with EOS at the end; none for a decoder alone."""
    prompt: tuple[int, ...]
    """What the decoder is fed first; none for an encoder alone."""
    cut: bool
    """True when the text was longer than the model's positions."""

    @property
    def source_S(self) -> Tensor | None:
        """What the encoder reads; None for a decoder alone."""
        return torch.tensor(self.source_ids) if self.source_ids else None


@dataclass(frozen=True, slots=True)
class Translation:
    """What a model made of a sentence, or a prompt with what a model wrote after it."""

    source_ids: tuple[int, ...]
    """With EOS at the end; none for a decoder alone."""
    target_ids: tuple[int, ...]
    """All after the first token that was fed, EOS left out; none for an encoder alone."""
    source: str
    """As the model sees it: single spaces, one kind of apostrophe, cut where it had to be."""
    text: str
    """What the model wrote; of an encoder alone, the text with its guesses for mask tokens."""
    cut: bool
    """True when the sentence was longer than the model's positions."""
    finished: bool
    """False when the model had not said EOS at the length limit."""
    first: int = BOS
    """The first token that a decoder is fed; −1 for an encoder alone."""
    n_given: int = 0
    """The number of targets that are the rest of a prompt, not written by the model."""
    written_ids: tuple[int, ...] = ()
    """What came after the prompt, EOS included where it came; none for an encoder alone."""

    @property
    def fed_ids(self) -> tuple[int, ...]:
        """What a decoder is fed to write this target: BOS, then the target."""
        return () if self.first < 0 else (self.first, *self.target_ids)


def model_input(run: Run, text: str) -> ModelInput:
    """Return what a model is given of a text, cut where it is too long for it.

    Raises:
        SentenceError: There is no text.
    """
    if "encoder" in run.model.config.stacks:
        source_ids, cut = fitting_source(run, text)
        has_decoder = "decoder" in run.model.config.stacks
        return ModelInput(source_ids, run.model.config.begins if has_decoder else (), cut)
    ids = encode_source(run.tokenizer, text)
    if len(ids) == len(run.tokenizer.begins):
        raise SentenceError("there is no text to go on from")
    # What is written after it has to fit as well.
    longest = longest_text(run.model)
    most = max(1, longest - CONTINUATION)
    return ModelInput((), ids[:most], len(ids) > most)


def longest_text(model: Transformer) -> int:
    """Return how many tokens of a text are read: its positions, as far as all maps can be kept."""
    n_maps = len(model.sites()) * model.config.n_heads
    return min(model.config.max_positions, int((_LARGEST_MAPS / max(1, n_maps)) ** 0.5))


def translate(run: Run, sentence: str) -> Translation:
    """Translate greedily; a decoder alone goes on from the sentence, an encoder alone reads it.

    A parallel decoder makes `PASSES` passes.

    Raises:
        SentenceError: There is no text.
    """
    given = model_input(run, sentence)
    written: list[tuple[int, ...]] = [()]
    if given.source_ids and given.prompt:
        written = generate(run.model, pad([given.source_ids]))
    elif given.prompt:
        written = generate(run.model, prompt_BT=pad([given.prompt]))
    return read_written(run, given, written[0])


def reference_ids(run: Run, given: ModelInput, reference: str) -> tuple[int, ...]:
    """Return the ids of a target that the user gave, without BOS, for teacher forcing.

    Of a decoder alone they go on from the prompt: they are split as the whole text is, for a piece
    may begin with the space before it. Where it was trained here its texts end with EOS.
    """
    tokenizer = run.target_tokenizer
    ids = tokenizer.encode(reference).ids
    if given.source_ids or not ids:
        return ids
    begun = given.prompt[len(run.tokenizer.begins) :]
    begins_word = reference[:1].isalnum() and not has_unspaced(reference[:1])
    space = " " if begins_word else ""
    whole = tokenizer.encode(f"{tokenizer.decode(given.prompt)}{space}{reference}").ids
    after = whole[len(begun) :] if whole[: len(begun)] == begun else ids
    return after if run.settings.is_opened else (*after, *run.model.config.eos_ids[:1])


def target_as_translation(run: Run, sentence: str, target: str) -> Translation:
    """Return a target that the user gave in the form of a translation, cut where it must be.

    Of a decoder alone it is what stands after the prompt.

    Raises:
        SentenceError: There is no text.
    """
    given = model_input(run, sentence)
    target_ids = run.target_tokenizer.encode(target).ids if given.prompt else ()
    longest = longest_text(run.model) - max(1, len(given.prompt))
    ends = run.model.config.eos_ids[:1] if len(target_ids) <= longest else ()
    return read_written(run, given, (*target_ids[:longest], *ends))


def read_written(run: Run, given: ModelInput, written: tuple[int, ...]) -> Translation:
    """Return what was written, EOS included, as text.

    Args:
        run: The run whose model wrote.
        given: The model's input.
        written: The ids after that.
    """
    finished = any(token in run.model.config.eos_ids for token in written[-1:])
    said = written[:-1] if finished else written
    rest = given.prompt[1:]
    return Translation(
        source_ids=given.source_ids,
        target_ids=(*rest, *said),
        source=run.tokenizer.decode(given.source_ids or given.prompt),
        text=run.target_tokenizer.decode(said),
        cut=given.cut,
        finished=finished,
        first=given.prompt[0] if given.prompt else -1,
        n_given=len(rest),
        written_ids=written,
    )


def fitting_source(run: Run, sentence: str) -> tuple[tuple[int, ...], bool]:
    """Return the ids of a source, EOS last, and whether its end was cut off to fit the model.

    Raises:
        SentenceError: There is no text.
    """
    ids = encode_source(run.tokenizer, sentence)
    ends = run.tokenizer.ends
    if len(ids) == len(run.tokenizer.begins) + len(ends):
        raise SentenceError("there is no text to translate")
    longest = longest_text(run.model)
    cut = len(ids) > longest
    return ((*ids[: longest - len(ends)], *ends), True) if cut else (ids, False)
