"""Sentence pairs as padded tensors, with the shift for teacher forcing.

B batch, S source length, T target length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from core.heads import Side
from core.tasks.task import Link, Reference, Sample
from core.tokenizer.tokenizer import Encoding, Tokenizer
from core.vocabulary import BOS, EOS, PAD

Ids = tuple[int, ...]
Around = tuple[Ids, Ids]
"""What stands before the tokens of a text, and after them."""
TokenLink = tuple[int, Ids]
"""A decoder row, and the places of the source tokens that what it writes comes from."""


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
    """Where the target's words come from; only of whom it was asked for."""
    labels: tuple[int, ...] = ()
    """What a model of one stack is to predict at each of its places, PAD where nothing: see
    `core.labels`. Of such a pair of one stack either source or target is empty."""
    others: tuple[tuple[int, ...], ...] = ()
    """Targets that are as right, as token ids."""

    @property
    def predicted(self) -> tuple[int, ...]:
        """What is to be predicted: of a target all but BOS."""
        return self.labels or self.target[1:]

    def is_right(self, said: tuple[int, ...]) -> bool:
        """Say whether a model that says this, EOS included, says a right target."""
        return said == self.target[1:] or any(said == other[1:] for other in self.others)


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs as tensors. Row i of `labels_BT` is what follows row i of `fed_BT`."""

    source_BS: Tensor
    """Without columns for a decoder alone."""
    fed_BT: Tensor
    """BOS y₁ y₂ …: the true target, shifted right by one (teacher forcing). Without columns for an
    encoder alone."""
    labels_BT: Tensor
    """y₁ y₂ … EOS, PAD where nothing is to be predicted; of an encoder alone for each place of the
    source."""
    references: tuple[tuple[TokenReference, ...], ...]
    sources: tuple[str, ...]
    """The source sentences as text."""
    pad_id: int = PAD
    """What rows are filled up with; models from elsewhere have another one."""
    alignment: tuple[tuple[TokenLink, ...], ...] = ()
    """Of each pair."""

    @property
    def inputs(self) -> tuple[Tensor | None, Tensor | None]:
        """What a model takes: source_BS and fed_BT, None for a stack that it does not have."""
        source_BS, fed_BT = (
            ids_BK if ids_BK.shape[1] else None for ids_BK in (self.source_BS, self.fed_BT)
        )
        return source_BS, fed_BT

    @property
    def n_tokens(self) -> int:
        """Target tokens that are predicted, padding left out."""
        return int(self.predicted_BT.sum())

    @property
    def predicted_BT(self) -> Tensor:
        """True where a token is to be predicted."""
        return self.labels_BT != self.pad_id

    def ids(self, side: Side) -> Tensor:
        """Return the tokens that the encoder reads, ids_BS, or that the decoder is fed, ids_BT."""
        return self.source_BS if side == "source" else self.fed_BT

    def said(self, side: Side) -> Tensor:
        """Return said_BS or said_BT, True for tokens that do not fill up a row.

        The first of a target is always one: some models begin with what fills up.
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
        """Return every `count`-th pair, the first being `index`: parts of nearly the same size."""
        if count == 1:
            return self
        rows = slice(index, None, count)
        names = ("source_BS", "fed_BT", "labels_BT", "references", "sources", "alignment")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def encode_source(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """Return a source as the encoder gets it."""
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
        tokenizer: The sources'.
        samples: With text.
        target_tokenizer: None where it is the same.
        around: What a source begins and ends with, and a target.
        aligned: Whether the pairs are to know where their targets' words come from.
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
            # Most have none, and to ask for nothing takes time, too.
            others=_whole(target_tokenizer or tokenizer, sample.others, (begins, ends))
            if sample.others
            else (),
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
    """Return ids_1K of one sequence as a model takes it; None for one that there is not.

    >>> one_row([5, 6]), one_row([])
    (tensor([[5, 6]]), None)
    """
    return torch.tensor([tuple(ids)]) if ids else None


def pad(rows: Sequence[Sequence[int]], length: int | None = None, pad_id: int = PAD) -> Tensor:
    """Return ids_BK, every row filled up with PAD to the longest (or to `length`).

    >>> pad([[5, 6], [7]]).tolist()
    [[5, 6], [7, 0]]
    """
    width = max(map(len, rows)) if length is None else length
    filled = [[*row, *[pad_id] * (width - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long)


def collate(pairs: Sequence[Pair], pad_id: int = PAD) -> Batch:
    """Put pairs into one batch, filled up with what the model takes for no token."""
    return Batch(
        source_BS=pad([pair.source for pair in pairs], pad_id=pad_id),
        fed_BT=pad([pair.target[:-1] for pair in pairs], pad_id=pad_id),
        labels_BT=pad([pair.predicted for pair in pairs], pad_id=pad_id),
        references=tuple(pair.references for pair in pairs),
        sources=tuple(pair.text for pair in pairs),
        pad_id=pad_id,
        alignment=tuple(pair.alignment for pair in pairs),
    )
