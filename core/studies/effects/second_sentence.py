"""A second sentence of equal length beside a first: what both are fed, and which one to choose.

Patching puts what a head computes in one of them into the other, token by token.

V vocabulary, D model width; small t and w count tokens of a sentence, and whole words known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import normalize

from core.batch import Ids, one_row
from core.decoding.generate import decode_steps
from core.decoding.sentence import Translation, model_input, translate
from core.evaluate.exposure import first_difference
from core.messages import MessageError
from core.model import Probe, Transformer
from core.model.masks import padding_mask
from core.runs.run import Run
from core.studies.heads.comparison import most_alike
from core.tokenizer.words import written_words
from core.vocabulary import FIRST_ID

TRIED = 5
"""Sentences that are translated in search of one that is translated differently."""
_CANDIDATES = 64


class PatchingError(MessageError, ValueError):
    """Two sentences that cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True)
class Fed:
    """The tokens that a model is given."""

    source_ids: tuple[int, ...] = ()
    """None for a decoder alone."""
    target_ids: tuple[int, ...] = ()
    """From the first that is fed on; none for an encoder alone."""

    @property
    def inputs(self) -> tuple[Tensor | None, Tensor | None]:
        """What a model takes: source_1S and target_1T."""
        return one_row(self.source_ids), one_row(self.target_ids)


class Passes:
    """Passes of a model over copies of a sentence, with probes that change it."""

    @torch.inference_mode()
    def __init__(self, model: Transformer, fed: Fed) -> None:
        self.model = model
        self.inputs = fed.inputs
        source_1S, _ = self.inputs
        self._memory_1SD = None if source_1S is None else model.encode(source_1S)

    def logits_BV(self, n: int, probe: Probe | None, *, in_encoder: bool) -> Tensor:
        """Return the scores after the last position of n copies of the sentence.

        Args:
            n: Copies.
            probe: Changes the model; None for nothing.
            in_encoder: Whether it changes the encoder, too; if not, its memory is that of before.
        """
        source_BS, target_BT = (None if ids is None else ids.expand(n, -1) for ids in self.inputs)
        if self._memory_1SD is None or target_BT is None or in_encoder:
            return cast(Tensor, self.model(source_BS, target_BT, probe)[:, -1])
        assert source_BS is not None
        visible_B1S = padding_mask(source_BS, self.model.config.pad_id)
        memory_BSD = self._memory_1SD.expand(n, -1, -1)
        logits_BTV = self.model.decode(
            target_BT, memory_BSD, visible_B1S, probe, source_BS=source_BS
        )
        return logits_BTV[:, -1]


@dataclass(frozen=True, slots=True)
class Paired:
    """Two texts with what a model writes after each of them."""

    clean: Translation
    other: Translation
    written: tuple[Ids, Ids]
    """What it writes, its end included where it came to it."""

    @property
    def parting(self) -> int | None:
        """The first step at which other tokens are written; None where there is none."""
        return first_difference(*self.written)

    def fed(self, step: int) -> tuple[Fed, Fed]:
        """Return what writes the token of a step after each text: up to there the clean one's."""
        clean, other = (
            Fed(each.source_ids, (*each.fed_ids[: each.n_given + 1], *self.written[0][:step]))
            for each in (self.clean, self.other)
        )
        return clean, other


def paired(run: Run, clean: str, other: str) -> Paired:
    """Let a model with a decoder write after two texts of as many tokens.

    Raises:
        SentenceError: There is no text.
        PatchingError: The texts differ in length.
    """
    n_clean, n_other = length(run, clean), length(run, other)
    if n_clean != n_other:
        raise PatchingError(
            "the sentences have {n_first} and {n_second} tokens, special ones counted: "
            "patching puts each token's values in the place of another's, so both must have "
            "as many",
            n_first=n_clean,
            n_second=n_other,
        )
    ends = run.model.config.eos_ids[:1]
    found = translate(run, clean), translate(run, other)
    one, two = (
        (*each.target_ids[each.n_given :], *(ends if each.finished else ())) for each in found
    )
    return Paired(*found, (one, two))


def length(run: Run, text: str) -> int:
    """Return how many tokens of a text a model is given, special ones counted."""
    given = model_input(run, text)
    return len(given.source_ids or given.prompt)


def next_token(run: Run, text: str) -> int:
    """Return the token that a decoder alone writes first after a text."""
    prompt = model_input(run, text).prompt
    return next(decode_steps(run.model, None, prompt)).chosen


def alike_in_length(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return, of other sentences with as many tokens, the most similar; empty where none has."""
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    return most_alike(sentence, fitting) if fitting else ""


def one_word_changed(run: Run, sentence: str) -> str:
    """Return the sentence with one word replaced by another that the model knows.

    The word's embedding is as near to the other's as can be (by cosine), so that an animal makes
    room for an animal. Sentences that are translated differently come first; empty where no word
    of the sentence is known.
    """
    found = list(islice(_one_word_changed(run, sentence), TRIED))
    if not found:
        return ""
    before = _said(run, sentence)
    return next((each for each in found if _said(run, each) != before), found[0])


def _said(run: Run, sentence: str) -> Ids:
    """Return what tells whether something else is written: of a prompt, the next token."""
    if "encoder" in run.model.config.stacks:
        return translate(run, sentence).target_ids
    return (next_token(run, sentence),)


def _one_word_changed(run: Run, sentence: str) -> Iterator[str]:
    """Yield sentences of equal length that differ in one word, the most similar word first."""
    given = model_input(run, sentence)
    ids = given.source_ids or given.prompt
    text = run.tokenizer.decode(ids)
    known = _whole_words(run)
    among = set(known)
    # Of a word that comes again, the last place.
    places = {token: at for at, token in enumerate(ids) if token in among}
    if not places:
        return
    model = run.model
    embedding = model.source_embedding if given.source_ids else model.target_embedding
    embedding_VD = normalize(embedding.tokens.weight.detach(), dim=1)
    alike_tw = embedding_VD[list(places)] @ embedding_VD[known].T
    best = alike_tw.flatten().topk(min(_CANDIDATES, alike_tw.numel())).indices
    for index in best.tolist():
        at, token = list(places.values())[index // len(known)], known[index % len(known)]
        other = run.tokenizer.decode((*ids[:at], token, *ids[at + 1 :]))
        if _differs_in_a_word(text, other) and length(run, other) == len(ids):
            yield other


def _differs_in_a_word(text: str, other: str) -> bool:
    """Say whether two texts have one word that differs, in more than capitals or an ending.

    >>> [_differs_in_a_word("the cat", each) for each in ("the Cat", "the cats", "the dog")]
    [False, False, True]
    """
    words, others = (written_words(each.casefold()) for each in (text, other))
    # A token without the space before it would join two words.
    if len(words) != len(others):
        return False
    differing = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    return len(differing) == 1 and not _begins_with_other(*differing[0])


def _begins_with_other(one: str, two: str) -> bool:
    return one.startswith(two) or two.startswith(one)


def _whole_words(run: Run) -> list[int]:
    """Return the tokens that are whole words, which training saw where that is known."""
    decode, n = run.tokenizer.decode, run.tokenizer.vocab_size
    if run.known_words:
        return [at for at in range(FIRST_ID, n) if decode([at]).strip() in run.known_words]
    specials = run.tokenizer.specials
    return [
        at
        for at in range(n)
        if at not in specials and run.tokenizer.begins_word(at) and decode([at]).isalpha()
    ]
