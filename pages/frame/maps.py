"""What every page says of attention maps: labels of tokens, and the maps of an inspection."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.heads import Head, Side
from core.inspection import Inspection
from core.tokenizer.tokenizer import Token
from pages.frame.session import positions
from viz.component.payload import TokenLabel
from viz.plane.maps import AttentionMaps, Window, is_window


def maps_of(
    inspection: Inspection,
    head: Head,
    finding: str = "",
    zoom: str | None = None,
    pin: tuple[Side, int] | None = None,
) -> AttentionMaps:
    """Return the maps of a head's kind of attention, with this head large.

    A zoom is "row,column,rows,columns", as links have it; any other text shows the
    whole map. The finding is a sentence about these heads, and the pinned word is kept marked.
    """
    kind = head.kind
    visible_QK = inspection.attention[inspection.sites_of(kind)[0]].visible_QK
    return AttentionMaps(
        kind=kind.value,
        sides=kind.sides,
        weights=np.stack(inspection.layers_of(kind)),
        visible=visible_QK,
        queries=side_labels(inspection, kind.query_side),
        keys=side_labels(inspection, kind.key_side),
        predicted=labels(inspection.predicted_tokens) if kind.query_side == "target" else (),
        source=side_labels(inspection, "source"),
        target=labels_of_target(inspection),
        finding=finding,
        selected=(head.layer, head.index),
        zoom=_window(zoom, visible_QK.shape),
        pin=pin,
    )


def side_labels(inspection: Inspection, side: Side) -> tuple[TokenLabel, ...]:
    """Return how a side's tokens or words are shown; what was typed looks like a source."""
    if side == "target":
        return fed_labels(inspection.fed_tokens, inspection.n_typed)
    return labels(inspection.source_tokens, inspection.unknown_words)


def labels_of_target(inspection: Inspection) -> tuple[TokenLabel, ...]:
    """Return how what a decoder is fed is shown, and what ends it; nothing without a decoder."""
    end = () if inspection.end_token is None else (inspection.end_token,)
    return (*side_labels(inspection, "target"), *labels(end))


def fed_labels(fed: Sequence[Token], n_typed: int) -> tuple[TokenLabel, ...]:
    """Return the labels of tokens that a decoder is fed; the first were typed."""
    return tuple(replace(label, given=at < n_typed) for at, label in enumerate(labels(fed)))


def _window(zoom: str | None, shape: Sequence[int]) -> Window | None:
    """Return the part of a map that a link asks for; None where there is none such."""
    match positions(zoom, *shape, *(size + 1 for size in shape)):
        case (row, column, rows, columns):
            window = row, column, rows, columns
            whole = (rows, columns) == tuple(shape)
            return window if is_window(window, shape) and not whole else None
    return None


def labels(
    tokens: Sequence[Token], unknown_words: frozenset[int] = frozenset()
) -> tuple[TokenLabel, ...]:
    """Return how tokens are shown; `unknown_words` are those that training never saw."""
    before = (None, *(token.word for token in tokens))
    return tuple(
        TokenLabel(
            text=token.text,
            special=token.special,
            unknown=token.word in unknown_words,
            continues=token.word == word_before,
        )
        for token, word_before in zip(tokens, before, strict=False)
    )
