"""What there is to see in heads' weights, in a sentence or two: where one query looks most."""

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Side
from core.inspection import Inspection
from core.studies.heads.largest_weights import (
    LargestWeight,
    largest_weight,
    pairs_of_words,
    telling_query,
)
from pages.frame import clicks, notes
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.selection import Selection

Weights = NDArray[np.float32]

LEAST = 0.005
"""A smaller difference of weights is not worth a word."""


def share(weight: float) -> str:
    r"""Return a weight in per cent, with one digit behind the point at most.

    >>> share(0.99997), share(0.406), share(0.0002)
    ('100\xa0%', '40.6\xa0%', '0\xa0%')
    """
    return percent(round(weight, 3))


def query_of(selected: Selection, weights_QK: Weights) -> int:
    """Return the row to speak of: the pinned one, the first pronoun's, or the most telling one."""
    opened, inspection, kind = selected.opened, selected.inspection, selected.kind
    row = clicks.pinned_position(opened, inspection, kind.query_side, kind)
    if row is None and kind.query_side == "source":
        row = clicks.first_pronoun(opened, inspection)
    if row is not None:
        return row
    queries, keys = map(inspection.tokens_of, kind.sides)
    pairs = pairs_of_words(queries, keys, kind)
    return telling_query(weights_QK, inspection.attention[selected.sites[0]].visible_QK, pairs)


def of_map(
    selected: Selection, weights_QK: Weights, query: int | None = None, head: Head | None = None
) -> str:
    """Say where one query of a map looks most.

    Args:
        selected: Whose tokens they are.
        weights_QK: The map.
        query: Its row; None for the one that shows most.
        head: Whose map it is; None for the selected head's.
    """
    row = query_of(selected, weights_QK) if query is None else query
    return of_row(selected, largest_weight(weights_QK, selected.attention.even_QK, row), head)


def of_pinned(selected: Selection, pinned: tuple[Side, int] | None) -> str:
    """Say where the pinned word looks most, or who looks most at it where it has no row.

    Without a row and a column of its own, and where none is pinned, the row is spoken of that shows
    most.
    """
    rows, columns = selected.kind.sides
    if pinned is not None and pinned[0] == columns != rows:
        return of_column(selected, selected.weights_QK, pinned[1])
    return of_map(selected, selected.weights_QK)


def of_column(selected: Selection, weights_QK: Weights, key: int) -> str:
    """Say which query looks most at a key.

    Args:
        selected: Whose tokens they are.
        weights_QK: The map.
        key: Its column.
    """
    query = int(weights_QK[:, key].argmax())
    inspection, kind = selected.inspection, selected.kind
    text = _("Of all words, {query} looks most at {key}: with **{share}** of its attention.")
    return text.format(
        key=token_name(inspection, kind.key_side, key),
        query=token_name(inspection, kind.query_side, query),
        share=share(float(weights_QK[query, key])),
    )


def of_row(selected: Selection, found: LargestWeight, head: Head | None = None) -> str:
    """Say where a query looks most, or that it looks nowhere in particular.

    Args:
        selected: Whose tokens they are.
        found: The largest weight of the query's row.
        head: Whose row it is; None for the selected head's.
    """
    n = found.n_visible
    text = _("{query} gives {key} **{share}** of its attention in {head}.")
    if n == 1:
        text = _("{query} may look at {key} alone, and gives it **{share}** of its attention.")
    elif found.evenness > notes.NEARLY_UNIFORM:
        text = n_(
            "{query} spreads its attention nearly evenly over {n} position in {head}; most, "
            "**{share}**, goes to {key}.",
            "{query} spreads its attention nearly evenly over {n} positions in {head}; most, "
            "**{share}**, goes to {key}.",
            n,
        )
    return text.format(
        query=query_name(selected, found.query),
        key=key_name(selected, found.query, found.keys[0]),
        share=share(found.weight),
        n=number(n),
        head=notes.within_sentence(head or selected.head),
    )


def query_name(selected: Selection, query: int) -> str:
    """Return in Markdown who looks: a source word, or the decoder in one of its steps."""
    inspection, kind = selected.inspection, selected.kind
    text = token_name(inspection, kind.query_side, query)
    if kind.query_side == "source" or not inspection.predicted_tokens:
        return text
    predicted = plain(inspection.predicted_tokens[query].text)
    return _("The decoder, fed {fed} to predict “{predicted}”,").format(
        fed=text, predicted=predicted
    )


def key_name(selected: Selection, query: int, key: int) -> str:
    """Return in Markdown what is looked at."""
    if selected.kind.is_self and query == key:
        return _("itself")
    return token_name(selected.inspection, selected.kind.key_side, key)


def token_name(inspection: Inspection, side: Side, index: int) -> str:
    """Return in Markdown what a token is called, in quotes; a piece of a word with the word."""
    token = inspection.tokens_of(side)[index]
    word = (inspection.source_words if side == "source" else inspection.fed_words)[token.word]
    if token.text == word:
        return _("“{token}”").format(token=plain(word))
    return _("“{piece}” (of “{word}”)").format(piece=plain(token.text), word=plain(word))
