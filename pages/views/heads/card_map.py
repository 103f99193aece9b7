"""The map of cards: all heads of a kind as tiles, each with its leading role; a click opens it."""

from collections.abc import Sequence

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

MAP = "card_map"
"""Key of the map."""
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
    """Draw layers × heads; a click opens the card of a head.

    Args:
        heads: All of one kind, by layer and head.
        chosen: Whose card is open.
    """
    n_heads = 1 + max(each.head.index for each in heads)
    layers = [heads[start : start + n_heads] for start in range(0, len(heads), n_heads)]
    panel = Matrix(
        title=_("All heads: {kind}").format(kind=_(chosen.kind.label)),
        values=np.array([[each.confidence.value for each in row] for row in layers], np.float32),
        rows=_links(numbered(_("layer"), len(layers)), 0),
        columns=_links(numbered(_("head"), n_heads), len(layers)),
        texts=[[tile(each) for each in row] for row in layers],
        details=[[_detail(each) for each in row] for row in layers],
        value_name=_("mean largest weight"),
    )
    shown = Matrices(
        panels=[panel],
        selected=(0, chosen.layer, chosen.index),
        texts={
            "cell": _("layer {row}, head {column}: mean largest weight {value}"),
            "help.pick": _("Arrow keys move from head to head, Enter opens its card."),
        },
    )
    return matrices(shown, key=MAP, on_pick=_take)


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


def _take() -> None:
    if pick := clicks.picked(MAP):
        address.choose({session.LAYER: pick["row"], session.HEAD: pick["column"]})
