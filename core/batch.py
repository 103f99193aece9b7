"""Sentence pairs as padded tensors, with the shift for teacher forcing.

B batch, S source length, T target length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from .heads import Side
from .tasks.task import Link, Reference, Sample
from .tokenizer.tokenizer import Encoding, Tokenizer
from .vocabulary import BOS, EOS, PAD

Ids = tuple[int, ...]
Around = tuple[Ids, Ids]
"""Ids before and after the tokens of a text."""
TokenLink = tuple[int, Ids]
"""A decoder row, and the indices of the source tokens that it translates."""


@dataclass(frozen=True, slots=True)
class TokenReference:
    """A pronoun and its antecedent, as token indices."""

    pronoun: tuple[int, ...]
    """In the source."""
    antecedent: tuple[int, ...]
    """In the source."""
    nouns: tuple[tuple[int, ...], ...]
    """Every noun of the source, in order."""
    steps: tuple[int, ...]
    """The decoder rows that write the target pronoun."""
    ambiguous: bool

    def rows(self, side: Side) -> tuple[int, ...]:
        """Return the rows of the pronoun where tokens of this side look."""
        return self.pronoun if side == "source" else self.steps


@dataclass(frozen=True, slots=True)
class Pair:
    """A sample as token ids, special tokens included."""

    source: tuple[int, ...]
    """The sentence, then EOS (or whatever the model's tokenizer puts around it)."""
    target: tuple[int, ...]
    """BOS, the sentence, EOS: all but the last are fed, all but the first are predicted."""
    references: tuple[TokenReference, ...] = ()
    text: str = ""
    """The source sentence."""
    alignment: tuple[TokenLink, ...] = ()
    """Source tokens of each decoder row; empty unless requested."""
    labels: tuple[int, ...] = ()
    """Label of each position for a model of one stack, PAD for none: see `core.labels`. Either
    source or target of such a pair is empty."""
    others: tuple[tuple[int, ...], ...] = ()
    """Alternative correct targets, as token ids."""
    n_begun: int = 1
    """Tokens of the target that the decoder is fed first: BOS, and a language if there is one."""

    @property
    def predicted(self) -> tuple[int, ...]:
        """The labels: all of a target but BOS."""
        return self.labels or self.target[1:]

    def is_right(self, said: tuple[int, ...]) -> bool:
        """Say whether an output, EOS included, is a correct target."""
        n = self.n_begun
        return said == self.target[n:] or any(said == other[n:] for other in self.others)


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs as tensors. Row i of `labels_BT` is what follows row i of `fed_BT`."""

    source_BS: Tensor
    """Has no columns for a decoder alone."""
    fed_BT: Tensor
    """BOS y₁ y₂ …: the true target, shifted right by one (teacher forcing). Has no columns for an
    encoder alone."""
    labels_BT: Tensor
    """y₁ y₂ … EOS, PAD where nothing is to be predicted; for an encoder alone, one per source
    position."""
    references: tuple[tuple[TokenReference, ...], ...]
    sources: tuple[str, ...]
    """The source sentences as text."""
    pad_id: int = PAD
    """Padding id; models from elsewhere may have another one."""
    alignment: tuple[tuple[TokenLink, ...], ...] = ()
    """Alignment of each pair."""

    @property
    def inputs(self) -> tuple[Tensor | None, Tensor | None]:
        """The model's inputs: source_BS and fed_BT, None for a missing stack."""
        source_BS, fed_BT = (
            ids_BK if ids_BK.shape[1] else None for ids_BK in (self.source_BS, self.fed_BT)
        )
        return source_BS, fed_BT

    @property
    def n_tokens(self) -> int:
        """Number of predicted target tokens, without padding."""
        return int(self.predicted_BT.sum())

    @property
    def predicted_BT(self) -> Tensor:
        """True where a token is to be predicted."""
        return self.labels_BT != self.pad_id

    def ids(self, side: Side) -> Tensor:
        """Return the inputs of the encoder, ids_BS, or of the decoder, ids_BT."""
        return self.source_BS if side == "source" else self.fed_BT

    def said(self, side: Side) -> Tensor:
        """Return said_BS or said_BT, True for tokens that are not padding.

        The first of a target always counts: some models begin with the padding token.
        """
        said_BK = self.ids(side) != self.pad_id
        if side == "target":
            said_BK[:, :1] = True
        return said_BK

    def to(self, device: torch.device) -> Self:
        """Return the batch on a device."""
        return replace(
            self,
            source_BS=self.source_BS.to(device),
            fed_BT=self.fed_BT.to(device),
            labels_BT=self.labels_BT.to(device),
        )

    def part(self, index: int, count: int) -> Self:
        """Return every `count`-th pair from `index` on: parts of nearly the same size."""
        if count == 1:
            return self
        rows = slice(index, None, count)
        names = ("source_BS", "fed_BT", "labels_BT", "references", "sources", "alignment")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def encode_source(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """Return a source as encoder input."""
    return (*tokenizer.begins, *tokenizer.encode(text).ids, *tokenizer.ends)


def encode_samples(
    tokenizer: Tokenizer,
    samples: Sequence[Sample],
    target_tokenizer: Tokenizer | None = None,
    around: tuple[Around, Around] = (((), (EOS,)), ((BOS,), (EOS,))),
    *,
    aligned: bool = False,
) -> list[Pair]:
    """Return samples as token ids, their references as token indices.

    Args:
        tokenizer: The tokenizer of the sources.
        samples: The samples.
        target_tokenizer: None if it is the same.
        around: Ids around a source and around a target.
        aligned: Whether to include word alignments.
    """
    (before, after), (begins, ends) = around
    sources = tokenizer.encode_all([sample.source for sample in samples])
    targets = (target_tokenizer or tokenizer).encode_all([sample.target for sample in samples])
    return [
        Pair(
            (*before, *source.ids, *after),
            (*begins, *target.ids, *ends),
            tuple(_token_reference(ref, source, target) for ref in sample.references),
            sample.source,
            _token_links(sample.links, source, target) if aligned else (),
            # Skips the look-up for the many samples without any.
            others=_whole(target_tokenizer or tokenizer, sample.others, (begins, ends))
            if sample.others
            else (),
            n_begun=max(1, len(begins)),
        )
        for sample, source, target in zip(samples, sources, targets, strict=True)
    ]


def _whole(tokenizer: Tokenizer, texts: Sequence[str], around: Around) -> tuple[Ids, ...]:
    begins, ends = around
    return tuple((*begins, *each.ids, *ends) for each in tokenizer.encode_all(texts))


def _token_reference(reference: Reference, source: Encoding, target: Encoding) -> TokenReference:
    return TokenReference(
        pronoun=source.tokens_in(reference.pronoun),
        antecedent=source.tokens_in(reference.antecedent),
        nouns=tuple(source.tokens_in(noun) for noun in reference.nouns),
        # Row i is fed token i (BOS is token 0) and predicts the sentence's token i.
        steps=target.tokens_in(reference.target),
        ambiguous=reference.ambiguous,
    )


def _token_links(
    links: Sequence[Link], source: Encoding, target: Encoding
) -> tuple[TokenLink, ...]:
    found: dict[int, set[int]] = {}
    for link in links:
        # Row i writes the sentence's token i, as for a pronoun.
        for step in target.tokens_in(link.target):
            found.setdefault(step, set()).update(source.tokens_in(link.source))
    return tuple((step, tuple(sorted(found[step]))) for step in sorted(found))


def one_row(ids: Sequence[int]) -> Tensor | None:
    """Return one sequence as ids_1K; None for an empty one.

    >>> one_row([5, 6]), one_row([])
    (tensor([[5, 6]]), None)
    """
    return torch.tensor([tuple(ids)]) if ids else None


def pad(rows: Sequence[Sequence[int]], length: int | None = None, pad_id: int = PAD) -> Tensor:
    """Return ids_BK, every row padded to the longest (or to `length`).

    >>> pad([[5, 6], [7]]).tolist()
    [[5, 6], [7, 0]]
    """
    width = max(map(len, rows)) if length is None else length
    filled = [[*row, *[pad_id] * (width - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long)


def collate(pairs: Sequence[Pair], pad_id: int = PAD) -> Batch:
    """Put pairs into one batch, padded with the model's padding id."""
    return Batch(
        source_BS=pad([pair.source for pair in pairs], pad_id=pad_id),
        fed_BT=pad([pair.target[:-1] for pair in pairs], pad_id=pad_id),
        # A language is fed, not predicted.
        labels_BT=pad(
            [
                [pad_id] * (each.n_begun - 1) + [*each.predicted[each.n_begun - 1 :]]
                for each in pairs
            ],
            pad_id=pad_id,
        ),
        references=tuple(pair.references for pair in pairs),
        sources=tuple(pair.text for pair in pairs),
        pad_id=pad_id,
        alignment=tuple(pair.alignment for pair in pairs),
    )
