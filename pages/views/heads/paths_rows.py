"""The rows of the two ends of a path: where the writer looks, and the reader before and after."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind
from core.studies.effects.path_study import OnePath
from pages.frame.language import _
from pages.frame.selection import axis_of_keys, key_labels, query_labels
from pages.views.heads.paths_maps import Paths, short
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

_ALIKE = 0.05
"""Rows of weights that differ by less everywhere look the same, and are drawn once."""


def rows_along(paths: Paths, found: OnePath) -> list[Matrices]:
    """Return where writer and reader look: one picture, or two where they look at other words.

    The writer's row is that of the position whose message is read, in both sentences; the reader's
    is the one that changes most, as it is and with that message exchanged.
    """
    writer, reader = found.sender.kind, found.receiver.kind
    sent = np.stack([found.sent_K, found.sent_other_K])
    read = np.stack([each[found.query] for each in (found.before_QK, found.after_QK)])
    ends = [(found.sender, found.sent_at), (found.receiver, found.query)]
    one, other = paths.difference or (_("first"), _("second"))
    labels = [
        [_("A: “{said}”").format(said=said) for said in (one, other)],
        [_("B"), _("B fed “{said}”").format(said=other)],
    ]
    if np.abs(sent[0] - sent[1]).max() < _ALIKE:
        sent, labels[0] = sent[:1], [_("A")]
    rows = [query_labels(paths.inspection, head.kind)[place].text for head, place in ends]
    names = {"writer": short(found.sender), "reader": short(found.receiver)}
    if writer.key_side != reader.key_side or sent.shape[1] != read.shape[1]:
        titles = [
            _("A, {writer}: where “{row}” looks in both sentences"),
            _("B, {reader}: where “{row}” looks, before and after"),
        ]
        drawn = zip(ends, (sent, read), labels, titles, rows, strict=True)
        panels = [
            _rows(paths, [end] * len(label), values, title.format(row=row, **names), label)
            for end, values, label, title, row in drawn
        ]
        written, told = (Matrices(panels=[panel]) for panel in panels)
        return [written, replace(told, selected=(0, 1, found.key))]
    title = _("Where “{row}” looks: A is {writer}, B is {reader}")
    if rows[0] != rows[1] or found.sent_at != found.query:
        title = _("Where “{row}” looks in A, {writer}, and “{other}” in B, {reader}")
    title = title.format(row=rows[0], other=rows[1], **names)
    panel = _rows(
        paths,
        [end for end, each in zip(ends, labels, strict=True) for _row in each],
        np.concatenate([sent, read]),
        title,
        [row for each in labels for row in each],
    )
    return [Matrices(panels=[panel], selected=(0, len(sent) + 1, found.key))]


def _rows(
    paths: Paths,
    ends: Sequence[tuple[Head, int]],
    values_RK: NDArray[np.float32],
    title: str,
    labels: Sequence[str],
) -> Matrix:
    """Return R rows of heads that look at the same words: each is of a head and a position."""
    inspection, n_keys = paths.inspection, values_RK.shape[1]
    kind = ends[0][0].kind
    return Matrix(
        title=title,
        values=values_RK,
        visible=np.stack(
            [inspection.attention[head.site].visible_QK[at, :n_keys] for head, at in ends]
        ),
        rows=Axis(name=_("who looks"), labels=[TokenLabel(each) for each in labels]),
        columns=axis_of_keys(kind, _in_both(paths, kind, n_keys)),
        value_name=_("weight"),
    )


def _in_both(paths: Paths, kind: Kind, n_keys: int) -> list[TokenLabel]:
    """Return the words that are looked at, those of both sentences where they differ."""
    found = list(key_labels(paths.inspection, kind)[:n_keys])
    if kind.key_side == paths.typed:
        for at, second in enumerate(paths.second[:n_keys]):
            if found[at].text != second:
                found[at] = replace(found[at], text=f"{found[at].text}|{second}")
    return found
