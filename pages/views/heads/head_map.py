"""All heads of a kind as tiles; a click opens what is known of one."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from core.heads import Head
from core.studies.heads.question import Role
from core.studies.heads.roles import HeadRole
from pages.frame import address, clicks, session
from pages.frame.components import matrices
from pages.frame.language import N_, _, number, percent
from pages.views.heads import role_names
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

MAP, ALIKE = "head_map", "head_alike_map"
"""Keys of the maps."""
NO_ROLE = "·"
"""In the tile of a head without a leading role."""
TILES = {
    Role.PREVIOUS: N_("previous"),
    Role.NEXT: N_("next"),
    Role.SAME: N_("same token"),
    Role.DELIMITER: N_("punctuation"),
    Role.RARE: N_("rare words"),
    Role.ANTECEDENT: N_("antecedent"),
    Role.ALIGNED_FED: N_("source fed"),
    Role.ALIGNED_PREDICTED: N_("source next"),
}
"""What a role is called where there is room for eleven letters; marked for translation."""


def draw(heads: Sequence[HeadRole], chosen: Head) -> Drawn:
    """Draw layers × heads; a click opens what is known of a head.

    Args:
        heads: All of one kind, by layer and head.
        chosen: The one that is open.
    """
    cell = _("layer {row}, head {column}: mean largest weight {value}")
    return _draw(
        MAP,
        {each.head: each.confidence.value for each in heads},
        {each.head: (tile(each), _detail(each)) for each in heads},
        chosen,
        {"title": _("All heads: {kind}"), "value": _("mean largest weight"), "cell": cell},
    )


def draw_likeness(values: Mapping[Head, float], chosen: Head) -> Drawn:
    """Draw how like a head each other one of its kind is; a click opens that one.

    Args:
        values: Head → likeness, of the chosen one too.
        chosen: The head that the others are compared with.
    """
    said = {head: (number(value, 2), number(value)) for head, value in values.items()}
    cell = _("layer {row}, head {column}: likeness {value}")
    names = {"title": _("Likeness to this head: {kind}"), "value": _("likeness"), "cell": cell}
    return _draw(ALIKE, values, said, chosen, names)


def _draw(
    key: str,
    values: Mapping[Head, float],
    said: Mapping[Head, tuple[str, str]],
    chosen: Head,
    names: Mapping[str, str],
) -> Drawn:
    """Draw a value for each head: a text in its cell, and another where it is pointed at."""
    n_heads = 1 + max(head.index for head in values)
    n_layers = 1 + max(head.layer for head in values)
    layers = [chosen.kind.site(layer).heads(n_heads) for layer in range(n_layers)]
    panel = Matrix(
        title=names["title"].format(kind=_(chosen.kind.label)),
        values=np.array([[values[head] for head in row] for row in layers], np.float32),
        rows=_links(numbered(_("layer"), n_layers), 0),
        columns=_links(numbered(_("head"), n_heads), n_layers),
        texts=[[said[head][0] for head in row] for row in layers],
        details=[[said[head][1] for head in row] for row in layers],
        value_name=names["value"],
    )
    help_text = _("Arrow keys move from head to head, Enter opens it.")
    shown = Matrices(
        panels=[panel],
        selected=(0, chosen.layer, chosen.index),
        texts={"cell": names["cell"], "help.pick": help_text},
    )
    return matrices(shown, key=key, on_pick=partial(_take, key))


def tile(found: HeadRole) -> str:
    """Return what stands in a head's tile."""
    role = found.leading
    if role is None:
        return NO_ROLE
    if role is Role.POSITIONAL and found.offset == 0:
        return _("itself") if found.head.kind.is_self else _("same place")
    if role is Role.POSITIONAL:
        text = _("{offset} on") if found.offset > 0 else _("{offset} back")
        return text.format(offset=number(abs(found.offset)))
    return _(TILES[role])


def _detail(found: HeadRole) -> str:
    role = found.leading
    if role is None:
        return _("no role that beats its baseline and holds in half of the rows")
    return _("{role}: {score}").format(
        role=role_names.leading(found), score=percent(found.scores[role].value)
    )


def _links(axis: Axis, start: int) -> Axis:
    # Layer 2 and head 2 have nothing to do with each other.
    links = range(start, start + len(axis.labels))
    return Axis(name=axis.name, labels=axis.labels, links=links)


def _take(key: str) -> None:
    if pick := clicks.picked(key):
        address.choose({session.LAYER: pick["row"], session.HEAD: pick["column"]})
