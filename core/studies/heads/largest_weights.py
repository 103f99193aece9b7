"""Where the rows of a head's map look most, and which row and which head show that best.

L layers, H heads, Q queries, K keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...heads import Head, Kind, Site
from ...inspection import Inspection
from ...tokenizer.tokenizer import Token
from .evenness import evenness

Weights = NDArray[np.float32]
Numbers = NDArray[np.float64]
Whether = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LargestWeight:
    """Where a query looks most."""

    query: int
    keys: tuple[int, ...]
    """All that have the largest weight: more than one where they are exactly alike."""
    weight: float
    n_visible: int
    """Keys that the query may look at."""
    evenness: float
    """Of the row, as `core.studies.heads.evenness` has it."""
    alike: bool
    """True where an even row gives each visible key the same, as it does tokens, and words of as
    many tokens."""


def largest_weight(weights_QK: Weights, even_QK: Numbers, query: int) -> LargestWeight:
    """Return where a query looks most.

    >>> found = largest_weight(np.array([[0.25, 0.5, 0.25]]), np.full((1, 3), 1 / 3), 0)
    >>> found.keys, found.weight
    ((1,), 0.5)
    """
    even_K = even_QK[query]
    visible_K = even_K > 0
    row_K = np.where(visible_K, weights_QK[query], -1)
    keys = np.flatnonzero(row_K == row_K.max()).tolist()
    return LargestWeight(
        query=query,
        keys=tuple(keys),
        weight=float(row_K.max()),
        n_visible=int(visible_K.sum()),
        evenness=evenness(weights_QK[query][None], even_K[None]),
        alike=bool(np.allclose(even_K[visible_K], even_K[keys[0]])),
    )


def words_of(tokens: Sequence[Token]) -> Whether:
    """Return which tokens are words, or of words: neither special tokens nor punctuation."""
    return np.array([not each.special and any(map(str.isalnum, each.text)) for each in tokens])


def pairs_of_words(queries: Sequence[Token], keys: Sequence[Token], kind: Kind) -> Whether:
    """Return pairs_QK: True for a word and another word, which say most about a head.

    The first token of a decoder is no other word: heads leave on it the weight that they have no
    use for (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2024).
    """
    pairs_QK = words_of(queries)[:, None] & words_of(keys)
    pairs_QK[:, : kind.causal] = False
    if kind.is_self:
        pairs_QK &= ~np.eye(*pairs_QK.shape, dtype=np.bool_)
    return pairs_QK


def telling_query(weights_QK: Weights, visible_QK: Whether, pairs_QK: Whether) -> int:
    """Return the query that shows best where a map looks.

    It is the one with the largest weight among pairs of words whose weight is their row's largest;
    where there is none, among all pairs of words, else among all cells. Queries that may look at
    one key only are left out where others are.
    """
    choice_QK = visible_QK & (visible_QK.sum(axis=-1) > 1)[:, None]
    leads_QK = weights_QK == np.where(visible_QK, weights_QK, -1).max(axis=-1, keepdims=True)
    for wanted_QK in (choice_QK & pairs_QK & leads_QK, choice_QK & pairs_QK, choice_QK):
        if wanted_QK.any():
            return int(np.where(wanted_QK, weights_QK, -1).max(axis=-1).argmax())
    return 0


def sharpest_head(inspection: Inspection, kind: Kind) -> Head:
    """Return the head of a kind that points most: the largest weights of its words' rows.

    Returns:
        The head with the largest mean over the rows of words, of all rows where there is no word;
        of equal ones the first.
    """
    words_Q = words_of(inspection.tokens_of(kind.query_side))
    rows_Q = words_Q if words_Q.any() else np.ones_like(words_Q)
    sites = inspection.sites_of(kind)
    return _with_largest_mean(
        sites, [inspection.attention[s].weights_HQK[:, rows_Q].max(axis=-1) for s in sites]
    )


def head_between_words(inspection: Inspection, kind: Kind) -> Head:
    """Return the head of a kind whose words look most at one other word.

    Of models that learned from much text most heads have rows that they have no use for, and leave
    their weight on the first token or on a special one: they are the sharpest and say nothing.

    Returns:
        As `sharpest_head`, of the weights on words (`pairs_of_words`). Where no word may look at
        another, what `sharpest_head` returns.
    """
    queries, keys = (inspection.tokens_of(side) for side in (kind.query_side, kind.key_side))
    sites = inspection.sites_of(kind)
    pairs_QK = pairs_of_words(queries, keys, kind) & inspection.attention[sites[0]].visible_QK
    asked_Q = pairs_QK.any(axis=-1)
    if not asked_Q.any():
        return sharpest_head(inspection, kind)
    maps = (inspection.attention[site].weights_HQK for site in sites)
    return _with_largest_mean(
        sites, [np.where(pairs_QK, each, 0)[:, asked_Q].max(axis=-1) for each in maps]
    )


def _with_largest_mean(sites: Sequence[Site], layers: Sequence[Weights]) -> Head:
    """Return the head with the largest mean over rows, given values_HQ of each layer."""
    means_LH = np.array([values_HQ.mean(axis=-1) for values_HQ in layers], np.float64)
    layer, head = np.unravel_index(int(means_LH.argmax()), means_LH.shape)
    return Head(sites[int(layer)], int(head))
