"""Where the rows of a head's map look most, how evenly, and which row and head show that best.

L layers, H heads, Q queries, K keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...heads import Head, Kind, Site
from ...inspection import Inspection
from ...tokenizer.tokenizer import Token

AnyWeights = NDArray[np.floating[Any]]
Numbers = NDArray[np.float64]


def evenness(weights_QK: AnyWeights, even_QK: Numbers) -> float:
    """Return the entropy of the rows as a share of the largest possible, averaged.

    1 means that every row is as even as it can be, 0 that every row looks at one token. Rows that
    may see fewer than two keys have no choice and do not count; without any other row the result
    is 0.

    >>> everything = np.full((1, 4), 0.25)
    >>> evenness(everything, everything)
    1.0
    >>> evenness(np.eye(1, 4), everything)
    0.0
    """
    chosen_Q = (even_QK > 0).sum(axis=-1) > 1
    weights_QK, even_QK = weights_QK[chosen_Q].astype(np.float64), even_QK[chosen_Q]
    if not len(weights_QK):
        return 0.0
    return float(share_of_largest(entropies(weights_QK), weights_QK, even_QK).mean())


def entropies(weights_QK: AnyWeights) -> Numbers:
    """Return the entropy of each row in bits; maps of several heads have rows of each head."""
    logarithms_QK = np.log2(weights_QK, out=np.zeros_like(weights_QK), where=weights_QK > 0)
    logarithms_QK *= weights_QK
    # Rounding must not make a negative number of bits out of none.
    return np.maximum(-logarithms_QK.sum(axis=-1, dtype=np.float64), 0.0)


def share_of_largest(entropies_Q: Numbers, weights_QK: AnyWeights, even_QK: Numbers) -> Numbers:
    """Return entropies as shares of the largest possible, which even rows have.

    A key that gets n times as much of an even row as the least key counts as n keys alike: a word
    of n tokens. So the entropy is that between tokens, where each word's weight is spread evenly
    over its own; where all keys count alike, as tokens do, it is `entropies_Q` itself.

    Args:
        entropies_Q: From `entropies`.
        weights_QK: Rows of two visible keys or more; of one head, or of each of several.
        even_QK: The same without a preference.
    """
    least_Q1 = np.where(even_QK > 0, even_QK, 1).min(axis=-1, keepdims=True)
    bits_QK = np.log2(np.maximum(even_QK, least_Q1) / least_Q1)
    within_Q = np.einsum("...qk,qk->...q", weights_QK, bits_QK)
    return (entropies_Q + within_Q) / -np.log2(least_Q1[:, 0])


Weights = NDArray[np.float32]
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
    """Of the row, as `core.studies.heads.largest_weights` has it."""
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
