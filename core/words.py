"""Subwords merged to words, in tokens and in maps.

H heads, Q queries, K keys; small q and k count words.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.inspection import Inspection, SiteAttention
from core.tokenizer import Token


def merge_weights(
    weights_HQK: NDArray[np.float32], query_words: Sequence[int], key_words: Sequence[int]
) -> NDArray[np.float32]:
    """Return weights_Hqk between words: rows averaged, columns summed, so that rows sum to 1.

    >>> weights = np.array([[[0.25, 0.25, 0.5], [0.5, 0.5, 0.0]]], np.float32)
    >>> merge_weights(weights, [0, 0], [0, 0, 1]).tolist()
    [[[0.75, 0.25]]]
    """
    rows_qQ = _membership(query_words)
    columns_kK = _membership(key_words)
    means_qQ = rows_qQ / rows_qQ.sum(axis=1, keepdims=True)
    # A mean of rows that sum to 1 may end a rounding error above it.
    return np.minimum(means_qQ @ weights_HQK @ columns_kK.T, np.float32(1))


def merge_visible(
    visible_QK: NDArray[np.bool_], query_words: Sequence[int], key_words: Sequence[int]
) -> NDArray[np.bool_]:
    """Return visible_qk: a word may look at another when any of its tokens may look at any."""
    reached_qk = _membership(query_words) @ visible_QK @ _membership(key_words).T
    return reached_qk > 0


def merge_tokens(tokens: Sequence[Token], texts: Sequence[str]) -> tuple[Token, ...]:
    """Return one token for each word; `texts` are the words'."""
    special = {token.word: token.special for token in tokens}
    return tuple(Token(text, special[word], word) for word, text in enumerate(texts))


def merged(inspection: Inspection) -> Inspection:
    """Return the inspection between words instead of subwords."""
    source = [token.word for token in inspection.source_tokens]
    fed = [token.word for token in inspection.fed_tokens]
    attention = {}
    for site, old in inspection.attention.items():
        queries = source if site.stack == "encoder" else fed
        keys = fed if site.attention == "decoder.self" else source
        attention[site] = SiteAttention(
            merge_weights(old.weights_HQK, queries, keys),
            merge_visible(old.visible_QK, queries, keys),
        )
    last_rows = [row for row, word in enumerate(fed) if fed[row + 1 : row + 2] != [word]]
    return replace(
        inspection,
        source_tokens=merge_tokens(inspection.source_tokens, inspection.source_words),
        fed_tokens=merge_tokens(inspection.fed_tokens, inspection.fed_words),
        # What follows a word is what its last token predicts.
        predicted_tokens=tuple(inspection.predicted_tokens[row] for row in last_rows),
        attention=attention,
    )


def _membership(words: Sequence[int]) -> NDArray[np.float32]:
    """Return a matrix of word × token with 1 where the token belongs to the word."""
    counted = np.asarray(words)
    return (np.arange(counted.max() + 1)[:, None] == counted).astype(np.float32)
