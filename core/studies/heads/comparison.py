"""Two inspections side by side: which tokens belong together, and how weights differ there.

H heads, Q queries, K keys; small q and k count pairs of tokens, one of each inspection.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...heads import Head, Kind, Side
from ...inspection import Inspection
from ...tokenizer.tokenizer import Token
from ...tokenizer.words import written_words
from ..cells import Table, stacked
from .maps import cell_columns

ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Where a scale of differences may end."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which positions of two sequences belong together."""

    first: tuple[int, ...]
    """Of each pair the position in the first sequence; increasing."""
    second: tuple[int, ...]
    """Of each pair the position in the second sequence; increasing."""
    changes: tuple[tuple[range, range], ...]
    """Positions of the first and what stands in their place in the second; one may be empty."""

    def differing(self, side: int) -> tuple[int, ...]:
        """Return the positions of one sequence (0 or 1) that stand differently in the other."""
        return tuple(position for change in self.changes for position in change[side])


@dataclass(frozen=True, eq=False)
class Difference:
    """How much more a head of the second inspection looks than one of the first, pair by pair."""

    values_qk: NDArray[np.float32]
    """Second − first; -1 to 1."""
    visible_qk: NDArray[np.bool_]
    """False where the look is hidden from either."""

    @cached_property
    def end(self) -> float:
        """The least of ENDS that no difference exceeds."""
        largest = np.abs(self.values_qk[self.visible_qk]).max(initial=0.0)
        return next((end for end in ENDS if largest <= np.float32(end)), ENDS[-1])


@dataclass(frozen=True, slots=True, eq=False)
class ComparedHeads:
    """Two heads of one kind of attention, and how their weights differ."""

    inspections: tuple[Inspection, Inspection]
    heads: tuple[Head, Head]
    """Of the first inspection and of the second."""
    source: Alignment
    fed: Alignment
    """Of the tokens that are fed to the decoders."""
    difference: Difference

    @property
    def kind(self) -> Kind:
        """The kind of attention of both heads."""
        return self.heads[0].kind

    def alignment(self, side: Side) -> Alignment:
        """Return the pairs of tokens of the source, or of those fed."""
        return self.source if side == "source" else self.fed

    def pairs(self, side: Side) -> tuple[Token, ...]:
        """Return a token for each pair: where the two differ, its text is "first | second"."""
        first, second = (each.tokens_of(side) for each in self.inspections)
        alignment = self.alignment(side)
        differing = set(alignment.differing(0))
        return tuple(
            replace(first[one], text=f"{first[one].text} | {second[other].text}")
            if one in differing
            else first[one]
            for one, other in zip(alignment.first, alignment.second, strict=True)
        )

    def table(self) -> Table:
        """Return one row for each cell; the difference counts pairs of tokens."""
        named = zip(("first", "second"), self.heads, self.inspections, strict=True)
        maps = [
            (
                name,
                tuple(inspection.tokens_of(side) for side in self.kind.sides),
                inspection.attention[head.site].visible_QK,
                inspection.weights_of(head),
            )
            for name, head, inspection in named
        ]
        shown = self.difference
        sides = tuple(self.pairs(side) for side in self.kind.sides)
        maps.append(("difference", sides, shown.visible_qk, shown.values_qk))
        return stacked(
            *(
                {
                    "map": [name] * values_QK.size,
                    **cell_columns(queries, keys),
                    "visible": visible_QK.reshape(-1).tolist(),
                    "value": values_QK.reshape(-1).tolist(),
                }
                for name, (queries, keys), visible_QK, values_QK in maps
            )
        )


def aligned(first: Sequence[str], second: Sequence[str]) -> Alignment:
    """Pair the texts that two sequences share, and those that replace as many others.

    What has no counterpart, because something was put in, left out or replaced by more or fewer,
    is in no pair. The blocks are those of `difflib.SequenceMatcher`.

    >>> aligned("it was too tired".split(), "it was too wide".split()).second
    (0, 1, 2, 3)
    >>> aligned("it was tired".split(), "it was too wide , very wide".split()).first
    (0, 1)
    """
    pairs: list[tuple[int, int]] = []
    changes = []
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    for block, from_first, to_first, from_second, to_second in blocks:
        in_first, in_second = range(from_first, to_first), range(from_second, to_second)
        if len(in_first) == len(in_second):
            pairs += zip(in_first, in_second, strict=True)
        if block != "equal":
            changes.append((in_first, in_second))
    return Alignment(
        first=tuple(one for one, _ in pairs),
        second=tuple(other for _, other in pairs),
        changes=tuple(changes),
    )


def compare_heads(
    first: Inspection, first_head: Head, second: Inspection, second_head: Head
) -> ComparedHeads:
    """Return two heads of one kind of attention side by side.

    Their difference is taken where both inspections have a query and a key.
    """
    source = aligned(_texts(first.source_tokens), _texts(second.source_tokens))
    fed = aligned(_texts(first.fed_tokens), _texts(second.fed_tokens))
    queries, keys = ({"source": source, "target": fed}[side] for side in first_head.kind.sides)
    one, other = first.attention[first_head.site], second.attention[second_head.site]
    in_first, in_second = np.ix_(queries.first, keys.first), np.ix_(queries.second, keys.second)
    difference = Difference(
        values_qk=other.weights_HQK[second_head.index][in_second]
        - one.weights_HQK[first_head.index][in_first],
        visible_qk=one.visible_QK[in_first] & other.visible_QK[in_second],
    )
    return ComparedHeads((first, second), (first_head, second_head), source, fed, difference)


def changed_query(found: Difference) -> int | None:
    """Return the row with the largest difference, or nothing where there is none but 0."""
    shown_qk = np.where(found.visible_qk, found.values_qk, np.float32(0))
    return int(np.abs(shown_qk).max(axis=1).argmax()) if shown_qk.any() else None


def most_alike(text: str, others: Sequence[str]) -> str:
    """Return, of other texts, the one that shares most words with a text.

    >>> most_alike("It was tired.", ["Why not?", "It was wide."])
    'It was wide.'
    >>> most_alike("他看见了猫。", ["为什么不？", "他看见了狗。"])
    '他看见了狗。'
    """
    words = written_words(text)
    return max(others, key=lambda other: SequenceMatcher(None, words, written_words(other)).ratio())


def _texts(tokens: Sequence[Token]) -> list[str]:
    # A typed EOS is not the token of that name.
    return [f"<{token.text}>" if token.special else f"={token.text}" for token in tokens]
