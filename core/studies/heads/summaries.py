"""What every head does with one sentence, in a few numbers and one pattern each.

Only rows with a choice count: those that may see two keys or more. Between words a row's largest
weight is the one that is most above that of an even row: a word of many tokens has much weight
without any preference. L layers, H heads, Q queries, K keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind, Site
from core.inspection import Inspection, SiteAttention
from core.studies.heads.evenness import entropies, share_of_largest

Numbers = NDArray[np.float64]
Whether = NDArray[np.bool_]
Places = NDArray[np.intp]
EVEN = 0.95
"""A head whose evenness is above this points at nothing."""
COMMON, LIFT = 0.5, 2
"""A pattern is a head's when it holds in this share of the rows or in more, and this many times as
often as by chance."""
MOST_OF = 2 / 3
"""A narrow pattern is named that holds in this share of the rows in which a wide one does."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the largest weights of a head's rows have in common."""

    name: str
    """offset: the key at one offset from the query; token: one key, in whatever row; text: another
    token of the same text; near: in the source not more than one place from the row's own; forward:
    further to the right than in the row before; even: nothing, the rows are nearly uniform;
    none: no row has a choice."""
    at: int
    """For offset the key's position less the query's; for token the key's position; else 0."""
    hits: int
    """Rows in which it holds."""
    rows: int
    """Rows in which it could hold; forward needs a row before."""
    chance: float
    """The share to expect of a head that picks any token that it may see; 0 for even."""

    @property
    def share(self) -> float:
        """Of the rows."""
        return self.hits / self.rows if self.rows else 0.0

    @property
    def above_chance(self) -> float:
        """How much larger its share is than chance; 0 where there is no pattern to speak of."""
        return 0.0 if self.name in ("even", "none") else self.share - self.chance

    @property
    def prevails(self) -> bool:
        """True where it may be called what the head does; an even head has no pattern."""
        if self.name in ("even", "none"):
            return False
        return self.share >= max(COMMON, LIFT * self.chance)


@dataclass(frozen=True, slots=True)
class Choices:
    """The rows with a choice."""

    at_Q: Places
    even_QK: Numbers
    """Their weights without a preference, as `core.inspection.SiteAttention` has them."""
    alike_QK: Whether
    cross: bool


def head_pattern(rows: Choices, found_Q: Places, evenness: float) -> Pattern:
    """Return the pattern that most rows have, a narrow one where it has nearly as many."""
    n = len(found_Q)
    if not n:
        return Pattern("none", 0, 0, 0, 0.0)
    if evenness > EVEN:
        return Pattern("even", 0, n, n, 0.0)
    narrow = _best(_narrow(rows, found_Q))
    if rows.cross:
        wide = _best(_wide(rows, found_Q))
        if wide.prevails and narrow.share < MOST_OF * wide.share:
            return wide
    return narrow


def _narrow(rows: Choices, found_Q: Places) -> Iterator[Pattern]:
    offsets_Q = found_Q - rows.at_Q
    offset = _most_common(offsets_Q)
    keys = np.arange(rows.even_QK.shape[1])
    yield _counted("offset", offset, keys - rows.at_Q[:, None] == offset, rows, found_Q)
    key = _most_common(found_Q)
    yield _counted("token", key, np.broadcast_to(keys == key, rows.even_QK.shape), rows, found_Q)
    yield _counted("text", 0, rows.alike_QK, rows, found_Q)


def _wide(rows: Choices, found_Q: Places) -> Iterator[Pattern]:
    keys = np.arange(rows.even_QK.shape[1])
    yield _counted("near", 0, np.abs(keys - rows.at_Q[:, None]) <= 1, rows, found_Q)
    later = Choices(rows.at_Q[1:], rows.even_QK[1:], rows.alike_QK[1:], rows.cross)
    yield _counted("forward", 0, keys > found_Q[:-1, None], later, found_Q[1:])


def _counted(name: str, at: int, fits_QK: Whether, rows: Choices, found_Q: Places) -> Pattern:
    n = len(found_Q)
    hits = int(fits_QK[np.arange(n), found_Q].sum())
    chance = float((fits_QK * rows.even_QK).sum(axis=-1).mean()) if n else 0.0
    return Pattern(name, at, hits, n, chance)


def _best(patterns: Iterator[Pattern]) -> Pattern:
    """Return the one with the largest share; of equal ones that which chance explains least."""
    return max(patterns, key=lambda each: (each.prevails, each.share, -each.chance))


def _most_common(numbers: Places) -> int:
    """Return the most frequent number; of equally frequent ones that nearest to 0."""
    values, counts = np.unique(numbers, return_counts=True)
    return int(min(values[counts == counts.max()], key=abs))


@dataclass(frozen=True, slots=True)
class HeadSummary:
    """One head in a few numbers, each the mean over the rows with a choice."""

    head: Head
    entropy: float
    """Of the weights of a row, in bits: 0 for one key, 3 for eight keys alike."""
    evenness: float
    """How near the rows are to even ones, as `core.studies.heads.evenness` has it."""
    distance: float
    """How many tokens away the keys are, weighted; see `distances`."""
    confidence: float
    """The largest weight of a row."""
    pattern: Pattern
    rows: int
    """Rows with a choice."""


@dataclass(frozen=True, slots=True)
class HeadTable:
    """The summaries of all heads of a kind of attention, the farthest above chance first."""

    summaries: tuple[HeadSummary, ...]

    @property
    def farthest(self) -> HeadSummary:
        """The head whose pattern differs most from chance; of equal ones the first."""
        return min(self.summaries, key=lambda each: (-each.pattern.above_chance, each.head))

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return one row for each head."""
        heads = self.summaries
        return {
            "layer": [each.head.layer for each in heads],
            "head": [each.head.index for each in heads],
            "pattern": [each.pattern.name for each in heads],
            "at": [each.pattern.at for each in heads],
            "in_rows": [each.pattern.share for each in heads],
            "by_chance": [each.pattern.chance for each in heads],
            "entropy": [each.entropy for each in heads],
            "distance": [each.distance for each in heads],
            "largest": [each.confidence for each in heads],
            "evenness": [each.evenness for each in heads],
            "of_rows": [each.rows for each in heads],
        }


def head_table(inspection: Inspection, kind: Kind) -> HeadTable:
    """Return a summary of every head of a kind of attention, the farthest above chance first."""
    found = sorted(head_summaries(inspection, kind), key=lambda each: -each.pattern.above_chance)
    return HeadTable(tuple(found))


def head_summaries(inspection: Inspection, kind: Kind) -> list[HeadSummary]:
    """Return a summary of every head of a kind of attention, by layer and head."""
    queries, keys = inspection.tokens_of(kind.query_side), inspection.tokens_of(kind.key_side)
    alike_QK = same_texts([token.text for token in queries], [token.text for token in keys])
    if kind.is_self:
        np.fill_diagonal(alike_QK, False)
    return [
        summary
        for site in inspection.sites_of(kind)
        for summary in site_summaries(site, inspection.attention[site], alike_QK)
    ]


def site_summaries(
    site: Site, attention: SiteAttention, alike_QK: Whether
) -> Iterator[HeadSummary]:
    """Yield a summary of every head of a sublayer.

    Args:
        site: The sublayer; it says how patterns and distances are meant.
        attention: What its heads looked at.
        alike_QK: True where the key has the query's text and is not the query itself.
    """
    chosen = attention.visible_QK.sum(axis=-1) > 1
    weights_HQK, even_QK = attention.weights_HQK[:, chosen], attention.even_QK[chosen]
    cross = not site.attention.is_self
    distances_QK = distances(*alike_QK.shape, scaled=cross)[chosen]
    entropies_HQ = entropies(weights_HQK)
    evenness_HQ = share_of_largest(entropies_HQ, weights_HQK, even_QK)
    distances_HQ = np.einsum("hqk,qk->hq", weights_HQK, distances_QK)
    confidence_HQ = weights_HQK.max(axis=-1).astype(np.float64)
    found_HQ = np.where(even_QK > 0, weights_HQK - even_QK, -2).argmax(axis=-1)
    rows = Choices(np.flatnonzero(chosen), even_QK, alike_QK[chosen], cross)
    for head, found_Q in zip(site.heads(len(found_HQ)), found_HQ, strict=True):
        evenness = _mean(evenness_HQ[head.index])
        yield HeadSummary(
            head=head,
            entropy=_mean(entropies_HQ[head.index]),
            evenness=evenness,
            distance=_mean(distances_HQ[head.index]),
            confidence=_mean(confidence_HQ[head.index]),
            pattern=head_pattern(rows, found_Q, evenness),
            rows=len(rows.at_Q),
        )


def distances(n_queries: int, n_keys: int, *, scaled: bool) -> Numbers:
    """Return how many tokens every key is away from every query.

    Args:
        n_queries: Rows.
        n_keys: Columns.
        scaled: For cross-attention, whose sides are of unequal length: the first query stands at
            the first key, the last at the last, and the others evenly between them.

    >>> distances(3, 5, scaled=True)[1].tolist()
    [2.0, 1.0, 0.0, 1.0, 2.0]
    """
    stretch = (n_keys - 1) / max(n_queries - 1, 1) if scaled else 1.0
    places_Q = np.arange(n_queries) * stretch
    return np.abs(places_Q[:, None] - np.arange(n_keys))


def same_texts(queries: Sequence[str], keys: Sequence[str]) -> Whether:
    """Return alike_QK: True where two tokens have the same text.

    >>> same_texts(["the", "cat"], ["cat", "the"]).tolist()
    [[False, True], [True, False]]
    """
    known = {text: number for number, text in enumerate(dict.fromkeys([*queries, *keys]))}
    numbers_Q, numbers_K = (np.array([known[t] for t in side]) for side in (queries, keys))
    return np.asarray(numbers_Q[:, None] == numbers_K)


def confidence_map(inspection: Inspection, kind: Kind) -> NDArray[np.float32]:
    """Return confidence_LH: the largest weight of a row of each head, the mean over its rows."""
    layers: dict[int, list[float]] = {}
    for each in head_summaries(inspection, kind):
        layers.setdefault(each.head.layer, []).append(each.confidence)
    return np.array([layers[layer] for layer in sorted(layers)], np.float32)


def _mean(numbers: Numbers) -> float:
    return float(numbers.mean()) if numbers.size else 0.0
