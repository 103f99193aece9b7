"""The lessons about one sentence, asked of a run: each returns its result with the tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from core.decoding.sentence import Translation, translate
from core.heads import Head, Kind, Side, Stack
from core.runs.run import Run
from core.studies.lessons.cells import Table
from core.studies.lessons.embeddings import TokenVectors, token_vectors
from core.studies.lessons.layers import Lens, Stream, decoder_lens, encoder_lens, residual_stream
from core.studies.lessons.masks import HeadOfBatch, Mask, head_of_batch, padded_batch
from core.studies.lessons.sublayers import (
    LONGEST,
    Firing,
    Influence,
    firing,
    hidden_units,
    influence,
)


class Tabular(Protocol):
    """A result whose numbers are a table."""

    def table(self) -> Table:
        """Return the name of each column → its values."""


Result = TypeVar("Result", bound=Tabular)


@dataclass(frozen=True, slots=True)
class OfSentence(Generic[Result]):
    """A result with the tokens that its positions are."""

    result: Result
    tokens: Mapping[str, tuple[str, ...]]
    """Name of a column of positions → the text of each position's token."""

    def table(self) -> Table:
        """Return the result's table with a column of tokens for each column of positions."""
        found = self.result.table()
        return found | {
            f"{name}_token": [texts[at] for at in found[name]]
            for name, texts in self.tokens.items()
        }


def sentence_stream(run: Run, sentence: str, stack: Stack) -> OfSentence[Stream]:
    """Follow every position of a stack through one pass over a sentence and its translation.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    streams = residual_stream(run.model, written.source_ids, written.fed_ids)
    return OfSentence(streams[stack], {"position": _texts(run, written, stack)})


def sentence_lens(run: Run, sentence: str, stack: Stack) -> OfSentence[Lens]:
    """Read which token the stream of a stack is nearest to at every depth.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    if Kind.self_of(stack).query_side == "source":
        found = encoder_lens(run.model, written.source_ids)
    else:
        found = decoder_lens(run.model, written.source_ids, written.fed_ids)
    return OfSentence(found, {"position": _texts(run, written, stack)})


def sentence_units(run: Run, sentence: str, stack: Stack) -> OfSentence[Firing]:
    """Count the feed-forward units of a stack that fire at each position.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    hidden = hidden_units(run.model, written.source_ids, written.fed_ids)
    return OfSentence(firing(hidden, stack), {"position": _texts(run, written, stack)})


def sentence_mixing(run: Run, sentence: str, layer: int) -> OfSentence[Influence]:
    """Measure which position's input moves which output, in a layer of the stack that reads.

    Raises:
        SentenceError: There is no text.
        ValueError: As `influence`.
    """
    written, stack = translate(run, sentence), run.model.config.stacks[0]
    found = influence(run.model, layer, _ids(written, stack))
    texts = _texts(run, written, stack)[:LONGEST]
    return OfSentence(found, {"row": texts, "column": texts})


def sentence_vectors(run: Run, sentence: str, stack: Stack) -> OfSentence[TokenVectors]:
    """Return the embeddings of a sentence's tokens beside each other, each token once.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    ids, texts = _ids(written, stack), _texts(run, written, stack)
    found = token_vectors(run.model, stack, ids)
    once = tuple(texts[ids.index(token)] for token in found.ids)
    return OfSentence(found, {"row": once, "column": once})


def masked_head(
    run: Run,
    sentences: Sequence[str],
    head: Head,
    sentence: int = 0,
    without: Sequence[Mask] = (),
) -> OfSentence[HeadOfBatch]:
    """Return what a head does with one sentence of a padded batch, some masks left out.

    Args:
        run: A loaded run.
        sentences: Side by side, filled up to the longest.
        head: Of the model.
        sentence: Which of the sentences.
        without: Masks that are left out in all layers.

    Raises:
        SentenceError: One of them has no text.
    """
    batch = padded_batch(run, sentences)
    sides = dict(zip(("query", "key"), head.kind.sides, strict=True))
    return OfSentence(
        head_of_batch(run.model, batch, head, sentence, without),
        {
            name: _described(run, side, batch.ids(side)[sentence].tolist())
            for name, side in sides.items()
        },
    )


def _ids(written: Translation, stack: Stack) -> tuple[int, ...]:
    """Return what a stack reads."""
    is_source = Kind.self_of(stack).query_side == "source"
    return written.source_ids if is_source else written.fed_ids


def _texts(run: Run, written: Translation, stack: Stack) -> tuple[str, ...]:
    return _described(run, Kind.self_of(stack).query_side, _ids(written, stack))


def _described(run: Run, side: Side, ids: Sequence[int]) -> tuple[str, ...]:
    tokenizer = run.tokenizer if side == "source" else run.target_tokenizer
    return tuple(token.text for token in tokenizer.describe(ids))
