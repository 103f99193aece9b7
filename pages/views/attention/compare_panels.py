"""The three pictures of the view "compare": one map, the other, and how they differ."""

from dataclasses import replace

from core.heads import Head
from pages.frame import notes
from pages.frame.selection import key_axis, query_axis
from pages.frame.text import ATTENTIONS, _
from pages.views.attention.compare_shown import Compared, paired_labels
from pages.views.attention.compare_words import left_out
from viz.plane.matrices import Axis, Matrices, Matrix


def panels(shown: Compared) -> Matrices:
    """Return the first map, the second, and the second − the first."""
    return Matrices(panels=(_map(shown, 0), _map(shown, 1), _difference(shown)))


def _map(shown: Compared, side: int) -> Matrix:
    looked, other = shown.looked, shown.other
    inspection = (looked.inspection, other.inspection)[side]
    head = (looked.head, other.head)[side]
    return Matrix(
        title=f"{notes.site_and_head(head)}: {shown.names[side]}",
        values=inspection.weights_of(head),
        visible=inspection.attention[head.site].visible_QK,
        rows=_axis(shown, side, of_keys=False),
        columns=_axis(shown, side, of_keys=True),
        value_name=_("weight"),
    )


def _difference(shown: Compared) -> Matrix:
    found = shown.difference
    note = _("Orange: the second looks more; blue: less. The colours end at ±{end}.")
    return Matrix(
        title=title(shown),
        values=found.values_qk,
        visible=found.visible_qk,
        rows=_paired_axis(shown, of_keys=False),
        columns=_paired_axis(shown, of_keys=True),
        scale="signed",
        limit=found.end,
        note=" ".join([note.format(end=f"{found.end:g}"), *left_out(shown)]),
        value_name=_("difference of weights"),
    )


def title(shown: Compared) -> str:
    """Say what is subtracted from what."""
    names, kind = shown.names, ATTENTIONS[shown.looked.kind]
    heads = shown.looked.head, shown.other.head
    where = notes.site_and_head(heads[0])
    first, second = (_short(head) for head in heads)
    if not shown.other.names:
        return _("{where}: second − first").format(where=where)
    if names[0] == names[1]:
        text = _("{name}, {kind}: {second} − {first}")
        return text.format(name=names[0], kind=kind, first=first, second=second)
    if heads[0] == heads[1]:
        text = _("{where}: {second} − {first}")
        return text.format(where=where, first=names[0], second=names[1])
    first, second = f"{names[0]} {first}", f"{names[1]} {second}"
    text = _("Difference, {kind}: {second} − {first}")
    return text.format(kind=kind, first=first, second=second)


def _short(head: Head) -> str:
    return _("layer {layer} head {head}").format(layer=head.layer, head=head.index)


def _axis(shown: Compared, side: int, *, of_keys: bool) -> Axis:
    alignment = shown.keys if of_keys else shown.queries
    inspection = (shown.looked.inspection, shown.other.inspection)[side]
    axis = (key_axis if of_keys else query_axis)(inspection, shown.looked.kind)
    paired = (alignment.first, alignment.second)[side]
    pair_of = {position: pair for pair, position in enumerate(paired)}
    # What is in no pair has a number that nothing else has.
    beyond = len(paired) + side * 10**6
    return replace(
        axis,
        differs=alignment.differing(side),
        links=tuple(pair_of.get(at, beyond + at) for at in range(len(axis.labels))),
    )


def _paired_axis(shown: Compared, *, of_keys: bool) -> Axis:
    alignment = shown.keys if of_keys else shown.queries
    axis = (key_axis if of_keys else query_axis)(shown.looked.inspection, shown.looked.kind)
    labels = paired_labels(shown, of_keys=of_keys)
    differing = set(alignment.differing(0))
    return replace(
        axis,
        labels=labels,
        differs=tuple(pair for pair, at in enumerate(alignment.first) if at in differing),
        links=tuple(range(len(labels))),
    )
