"""Text in, text out: a run translates one sentence, or continues a prompt."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..batch import encode_source, pad
from ..messages import MessageError
from ..model import Probe, Transformer
from ..runs.run import Run
from ..tokenizer.words import has_unspaced
from ..vocabulary import BOS
from .bounds import CONTINUATION
from .generate import generate

_LARGEST_MAPS = 1 << 28
"""Maximum attention weights of all heads for one text: a gibibyte; more than own models need."""


class SentenceError(MessageError, ValueError):
    """A text that cannot be translated; the message says why."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The model's input for a text."""

    source_ids: tuple[int, ...]
    """The encoder's input, EOS at the end; empty for a decoder alone."""
    prompt: tuple[int, ...]
    """The decoder's first tokens; empty for an encoder alone."""
    cut: bool
    """True when the text was longer than the model's positions."""

    @property
    def source_S(self) -> Tensor | None:
        """The encoder's input; None for a decoder alone."""
        return torch.tensor(self.source_ids) if self.source_ids else None


@dataclass(frozen=True, slots=True)
class Translation:
    """A translation of a sentence, or the continuation of a prompt."""

    source_ids: tuple[int, ...]
    """With EOS at the end; empty for a decoder alone."""
    target_ids: tuple[int, ...]
    """All ids after the first fed token, without EOS; empty for an encoder alone."""
    source: str
    """The text as the model sees it: single spaces, one kind of apostrophe, cut if too long."""
    text: str
    """The output; for an encoder alone, the text with its predictions for mask tokens, or its
    tags or class."""
    cut: bool
    """True when the sentence was longer than the model's positions."""
    finished: bool
    """False if the model wrote no EOS up to the length limit."""
    first: int = BOS
    """The first token fed to the decoder; −1 for an encoder alone."""
    n_given: int = 0
    """Number of target ids that belong to the prompt, not written by the model."""
    written_ids: tuple[int, ...] = ()
    """Ids after the prompt, EOS included if it came; empty for an encoder alone."""

    @property
    def fed_ids(self) -> tuple[int, ...]:
        """The decoder's inputs for this target: BOS, then the target."""
        return () if self.first < 0 else (self.first, *self.target_ids)


def model_input(run: Run, text: str) -> ModelInput:
    """Return the model's input for a text, cut if it is too long.

    Raises:
        SentenceError: There is no text.
    """
    if "encoder" in run.model.config.stacks:
        source_ids, cut = fitting_source(run, text)
        has_decoder = "decoder" in run.model.config.stacks
        return ModelInput(source_ids, run.begins if has_decoder else (), cut)
    ids = _prompt(run, text)
    if len(ids) == len(run.tokenizer.begins):
        raise SentenceError("there is no text to go on from")
    # The output after it has to fit as well.
    longest = longest_text(run.model)
    room = CONTINUATION
    if run.max_new_tokens is not None:
        room = min(room, run.max_new_tokens)
    most = max(1, longest - room)
    if run.chats and len(ids) > most:
        raise SentenceError(
            "with its chat template the text has {n} tokens; at most {most} are read",
            n=len(ids),
            most=most,
        )
    return ModelInput((), _fitting(run, ids, most), len(ids) > most)


def _prompt(run: Run, text: str) -> tuple[int, ...]:
    """Return the ids of a text for a decoder alone, with its chat template where it has to be."""
    chat, tokenizer = run.settings.chat, run.tokenizer
    if not run.chats or chat is None or not text.strip():
        return encode_source(tokenizer, text)
    # A template often writes what the tokenizer puts before every text.
    begin = "".join(tokenizer.specials[each] for each in tokenizer.begins)
    return encode_source(tokenizer, chat.around(text).removeprefix(begin))


def longest_text(model: Transformer) -> int:
    """Return the maximum tokens of a text: the positions, as far as memory allows all maps."""
    n_maps = len(model.sites()) * model.config.n_heads
    return min(model.config.max_positions, int((_LARGEST_MAPS / max(1, n_maps)) ** 0.5))


def translate(run: Run, sentence: str, probe: Probe | None = None) -> Translation:
    """Translate greedily; a decoder alone continues the sentence, an encoder alone reads it.

    A parallel decoder makes `PASSES` passes, and takes no probe.

    Raises:
        SentenceError: There is no text.
    """
    given, limit = model_input(run, sentence), run.max_new_tokens
    if limit is not None:
        limit = min(limit, longest_text(run.model) - len(given.prompt))
    written: list[tuple[int, ...]] = [()]
    if given.source_ids and given.prompt:
        written = generate(
            run.model,
            pad([given.source_ids]),
            prompt_BT=run.prompt_BT(1),
            probe=probe,
            max_new_tokens=limit,
        )
    elif given.prompt:
        prompt_BT = pad([given.prompt])
        written = generate(run.model, prompt_BT=prompt_BT, probe=probe, max_new_tokens=limit)
    return read_written(run, given, written[0])


def reference_ids(run: Run, given: ModelInput, reference: str) -> tuple[int, ...]:
    """Return the ids of a target that the user gave, without BOS, for teacher forcing.

    For a decoder alone they continue the prompt: the whole text is tokenised together, because a
    token may begin with the space before it. If it was trained here, its texts end with EOS.
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
    """Return a target that the user gave as a translation, cut if it is too long.

    For a decoder alone it is the text after the prompt.

    Raises:
        SentenceError: There is no text.
    """
    given = model_input(run, sentence)
    target_ids = run.target_tokenizer.encode(target).ids if given.prompt else ()
    longest = longest_text(run.model) - max(1, len(given.prompt))
    ends = run.model.config.eos_ids[:1] if len(target_ids) <= longest else ()
    return read_written(run, given, (*target_ids[:longest], *ends))


def read_written(run: Run, given: ModelInput, written: tuple[int, ...]) -> Translation:
    """Return a translation from the ids that were written, EOS included.

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
    """Return the ids of a source, EOS last, and whether it was cut to fit the model.

    Raises:
        SentenceError: There is no text.
    """
    ids = encode_source(run.tokenizer, sentence)
    ends = run.tokenizer.ends
    if len(ids) == len(run.tokenizer.begins) + len(ends):
        raise SentenceError("there is no text to translate")
    longest, text = longest_text(run.model), ids[: len(ids) - len(ends)]
    return (*_fitting(run, text, longest - len(ends)), *ends), len(ids) > longest


def _fitting(run: Run, ids: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return at most `most` ids of a text: its beginning, or its end after `begins`."""
    begins = run.tokenizer.begins
    if len(ids) <= most or not run.truncates_left:
        return ids[:most]
    return (*begins, *ids[len(ids) - most + len(begins) :])
