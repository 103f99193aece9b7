"""The lessons about one sentence, asked of a run: each returns its result with the tokens.

All of them raise SentenceError where a sentence has no text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from ...decoding.sentence import Translation, translate
from ...heads import Head, Kind, Side, Site, Stack
from ...runs.run import Run
from ...tasks.translation.names import FUNCTION_WORDS
from ..cells import Table, cells, stacked
from .embeddings import (
    N_NEAREST,
    TokenVectors,
    nearest_words,
    token_vectors,
)
from .layers import (
    Lens,
    Norms,
    Stream,
    decoder_lens,
    encoder_lens,
    residual_stream,
    study_norms,
)
from .masks import (
    HeadOfBatch,
    Mask,
    MaskLoss,
    PaddedBatch,
    head_of_batch,
    read_texts,
)
from .sublayers import (
    LONGEST,
    FiringUnits,
    Influence,
    firing,
    hidden_units,
    influence,
    top_units,
)

STEM = 3
"""Letters that two forms of a word have in common at least."""


class Tabular(Protocol):
    """A result whose numbers are a table."""

    def table(self) -> Table:
        """Return the name of each column → its values."""


Result = TypeVar("Result", bound=Tabular)


@dataclass(frozen=True, slots=True)
class OfSentence(Generic[Result]):
    """A result with the tokens that its positions are."""

    result: Result
    tokens: Mapping[str, Sequence[str] | Mapping[int, str]]
    """Name of a column of positions, or of tokens' ids → the text of each one's token."""

    def table(self) -> Table:
        """Return the result's table with a column of tokens for each of these columns."""
        found = self.result.table()
        return found | {
            f"{name}_token": [None if at is None else texts[at] for at in found[name]]
            for name, texts in self.tokens.items()
        }


def sentence_stream(run: Run, sentence: str, stack: Stack) -> OfSentence[Stream]:
    """Follow every position of a stack through one pass over a sentence and its translation."""
    written = translate(run, sentence)
    streams = residual_stream(run.model, written.source_ids, written.fed_ids)
    return OfSentence(streams[stack], {"position": _texts(run, written, stack)})


def sentence_lens(run: Run, sentence: str, stack: Stack) -> OfSentence[Lens]:
    """Read which token the stream of a stack is nearest to at every depth."""
    written = translate(run, sentence)
    if Kind.self_of(stack).query_side == "source":
        found = encoder_lens(run.model, written.source_ids)
    else:
        found = decoder_lens(run.model, written.source_ids, written.fed_ids)
    ids = sorted({*found.best_LK.ravel().tolist(), *found.followed_K.tolist()})
    named = dict(zip(ids, _described(run, "source", ids), strict=True))
    texts = _texts(run, written, stack)
    return OfSentence(found, {"position": texts, "best_id": named, "followed_id": named})


def sentence_units(
    run: Run, sentence: str, stack: Stack, layer: int = 0, position: int = 0, n: int = 8
) -> OfSentence[FiringUnits]:
    """Count the feed-forward units of a stack that fire, and name the strongest of one token."""
    written = translate(run, sentence)
    hidden = hidden_units(run.model, written.source_ids, written.fed_ids)
    top = top_units(hidden[Site(stack, layer, "feed_forward")], position, n)
    found = FiringUnits(firing(hidden, stack), layer, position, top)
    return OfSentence(found, {"position": _texts(run, written, stack)})


def sentence_norms(run: Run, sentences: Sequence[str], site: Site) -> OfSentence[Norms]:
    """Read what a norm of the stack that reads does to the first of some sentences.

    The others stand beside it in a batch.
    """
    rows, _cut = read_texts(run, sentences)
    side = Kind.self_of(site.stack).query_side
    found = study_norms(run.model, site, rows[0], rows[1:])
    return OfSentence(found, {"position": _described(run, side, rows[0])})


def sentence_mixing(run: Run, sentence: str, layer: int) -> OfSentence[Influence]:
    """Measure which position's input moves which output, in a layer of the stack that reads."""
    written, stack = translate(run, sentence), run.model.config.stacks[0]
    found = influence(run.model, layer, _ids(written, stack))
    texts = _texts(run, written, stack)[:LONGEST]
    return OfSentence(found, {"row": texts, "column": texts})


def sentence_vectors(
    run: Run, sentence: str, stack: Stack, position: int | None = None
) -> OfSentence[TokenVectors]:
    """Return the embeddings of a sentence's tokens beside each other, each token once.

    Args:
        run: A loaded run.
        sentence: As typed.
        stack: By which the tokens are read.
        position: Of the token whose nearest ones of the vocabulary are named; None for no token.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    ids, texts = _ids(written, stack), _texts(run, written, stack)
    found = token_vectors(run.model, stack, ids)
    once = tuple(texts[ids.index(token)] for token in found.ids)
    if position is not None:
        near = nearest_words(run, stack, ids[position], N_NEAREST)
        found = replace(found, nearest=near)
    side = Kind.self_of(stack).query_side
    named = {each.token: _described(run, side, [each.token])[0] for each in found.nearest}
    return OfSentence(found, {"row": once, "column": once, "neighbour": named})


def telling_word(run: Run, sentence: str, stack: Stack) -> int | None:
    """Return the position of the content word with the largest cosine to another one.

    A form of the same word is no other one. None where the sentence has no such word.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    texts, side = _texts(run, written, stack), Kind.self_of(stack).query_side
    likest: dict[int, float] = {}
    for place, (token, text) in enumerate(zip(_ids(written, stack), texts, strict=True)):
        if not _is_content(text):
            continue
        best = nearest_words(run, stack, token, 1)
        [other] = _described(run, side, [each.token for each in best]) or ("",)
        if _is_content(other) and other.casefold()[:STEM] != text.casefold()[:STEM]:
            likest[place] = best[0].cosine
    return max(likest, key=lambda place: likest[place], default=None)


def _is_content(text: str) -> bool:
    """Return whether a token seems to be a noun, verb or adjective: long, and no function word."""
    return len(text) > STEM and text.isalpha() and text.casefold() not in FUNCTION_WORDS


def masked_head(
    run: Run, batch: PaddedBatch, head: Head, sentence: int = 0, without: Sequence[Mask] = ()
) -> OfSentence[HeadOfBatch]:
    """Return what a head does with one sentence of a padded batch, some masks left out."""
    found = head_of_batch(run.model, batch, head, sentence, without)
    return OfSentence(found, _of_batch(run, batch, head, sentence))


@dataclass(frozen=True, slots=True, eq=False)
class WithoutMasks:
    """A head with all masks and with some left out, and what each mask is worth."""

    before: HeadOfBatch
    after: HeadOfBatch
    without: tuple[Mask, ...]
    losses: tuple[MaskLoss, ...]
    """Empty where they were not measured."""

    def table(self) -> Table:
        """Return a row for each query and key, the leaks, and the losses."""
        weights = {"weight": self.before.weights_QK, "weight_without": self.after.weights_QK}
        sides = {"": self.before.leak, _named(self.without): self.after.leak}
        leaks: Table = {
            "without": list(sides),
            "leak_to_padding": [each.padding for each in sides.values()],
            "leak_to_future": [each.future for each in sides.values()],
        }
        losses: Table = {
            "without": [_named(each.without) for each in self.losses],
            "loss": [each.loss for each in self.losses],
        }
        return stacked(cells("query", "key", weights), leaks, losses)


def without_masks(
    run: Run,
    batch: PaddedBatch,
    head: Head,
    sentence: int,
    without: Sequence[Mask],
    losses: Sequence[MaskLoss] = (),
) -> OfSentence[WithoutMasks]:
    """Compare a head with all masks and with some left out; see `masked_head`."""
    before = head_of_batch(run.model, batch, head, sentence)
    after = head_of_batch(run.model, batch, head, sentence, without)
    found = WithoutMasks(before, after, tuple(without), tuple(losses))
    return OfSentence(found, _of_batch(run, batch, head, sentence))


def _named(masks: Sequence[Mask]) -> str:
    return ", ".join(f"{mask.attention}:{mask.name}" for mask in masks)


def _of_batch(
    run: Run, batch: PaddedBatch, head: Head, sentence: int
) -> Mapping[str, tuple[str, ...]]:
    """Return the tokens of queries and keys, what fills up among them."""
    sides = dict(zip(("query", "key"), head.kind.sides, strict=True))
    return {
        name: _described(run, side, batch.ids(side)[sentence].tolist())
        for name, side in sides.items()
    }


def _ids(written: Translation, stack: Stack) -> tuple[int, ...]:
    """Return what a stack reads."""
    is_source = Kind.self_of(stack).query_side == "source"
    return written.source_ids if is_source else written.fed_ids


def _texts(run: Run, written: Translation, stack: Stack) -> tuple[str, ...]:
    return _described(run, Kind.self_of(stack).query_side, _ids(written, stack))


def _described(run: Run, side: Side, ids: Sequence[int]) -> tuple[str, ...]:
    tokenizer = run.tokenizer if side == "source" else run.target_tokenizer
    return tuple(token.text for token in tokenizer.describe(ids))
