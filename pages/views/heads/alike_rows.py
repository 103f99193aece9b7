"""Where two heads look in rows of one sentence: what it means that they are alike."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.analysis.heads.likeness import row_likeness
from core.heads import Head
from core.inspection import Inspection
from pages.frame.language import _, number
from pages.frame.maps import labels
from pages.frame.selection import key_tokens, query_tokens
from pages.frame.view import Columns
from viz.charts.token_strips import TokenStrip, token_strips
from viz.component.standalone import Drawn


@dataclass(frozen=True, slots=True)
class AlikeRow:
    """A row of a sentence, and how alike two heads are in it."""

    query: int
    likeness: float


def chosen(inspection: Inspection, one: Head, other: Head) -> list[AlikeRow]:
    """Return the rows in which two heads are most, middling and least alike.

    Rows with one key count for nothing: all heads agree on them. A sentence without others has
    none.
    """
    visible_QK = inspection.attention[one.site].visible_QK
    alike_Q = row_likeness(inspection.weights_of(one), inspection.weights_of(other))
    rows = [
        AlikeRow(int(query), float(alike_Q[query]))
        for query in np.argsort(-alike_Q, kind="stable")
        if visible_QK[query].sum() > 1
    ]
    places = dict.fromkeys((0, len(rows) // 2, len(rows) - 1))
    return [rows[at] for at in places if 0 <= at < len(rows)]


def draw(inspection: Inspection, rows: Sequence[AlikeRow], one: Head, other: Head) -> Drawn:
    """Draw each row of both heads below each other, and return it for a file."""
    st.markdown(
        _(
            "**Where both look in this sentence**: the rows in which they are most, middling and "
            "least alike"
        )
    )
    pictures = []
    for row in rows:
        query = query_tokens(inspection, one.kind)[row.query].text
        text = _("“{query}”: {likeness} alike").format(
            query=query, likeness=number(row.likeness, 2)
        )
        st.markdown(f":small[{text}]")
        written = token_strips([_strip(inspection, row, head) for head in (one, other)])
        st.html(written)
        pictures.append(written)
    return Drawn(html="".join(pictures))


def numbers(inspection: Inspection, rows: Sequence[AlikeRow], *heads: Head) -> Columns:
    """Return a row for each weight that is drawn."""
    found = [
        (row, head, key, float(weight))
        for row in rows
        for head in heads
        for key, weight in enumerate(inspection.weights_of(head)[row.query])
    ]
    return {
        "head": [str(head) for _row, head, _key, _weight in found],
        "query": [row.query for row, *_rest in found],
        "key": [key for _row, _head, key, _weight in found],
        "weight": [weight for *_rest, weight in found],
    }


def python(rows: Sequence[AlikeRow], *heads: Head) -> str:
    """Return what computes the weights, given `run` and `sentence`."""
    lines = [
        "inspection = inspect_sentence(run, sentence)",
        f"heads = [Head.parse(each) for each in {[str(head) for head in heads]}]",
        'numbers["weight"] = [',
        "    float(weight)",
        f"    for query in {[row.query for row in rows]}",
        "    for head in heads",
        "    for weight in inspection.weights_of(head)[query]",
        "]",
        "",
    ]
    return "\n".join(lines) if rows else ""


def _strip(inspection: Inspection, row: AlikeRow, head: Head) -> TokenStrip:
    keys = key_tokens(inspection, head.kind)
    weights_K = inspection.weights_of(head)[row.query]
    most = int(weights_K.argmax())
    weight = number(float(weights_K[most]), 2)
    looks = f"{head.layer}.{head.index}"
    return TokenStrip(
        looks=looks,
        said=_("{head} looks at {key}: {weight}").format(
            head=looks, key=keys[most].text, weight=weight
        ),
        keys=labels(keys),
        weights_K=weights_K,
        visible_K=inspection.attention[head.site].visible_QK[row.query],
        most=most,
        written=weight,
        query=row.query if head.kind.is_self else None,
    )
