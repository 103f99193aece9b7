"""All heads of a kind as tiles; a click opens what is known of one."""

from collections.abc import Sequence

import numpy as np

from core.heads import Head
from core.studies.heads.question import Role
from core.studies.heads.roles import HeadRole
from pages.frame import clicks, components, session
from pages.frame.language import N_, _, number, percent
from pages.views.heads import role_names
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

MAP = "head_map"
"""Key of the tiles."""
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
    n_heads = 1 + max(each.head.index for each in heads)
    rows = [heads[start : start + n_heads] for start in range(0, len(heads), n_heads)]
    panel = Matrix(
        title=_("Choose a head"),
        values=np.array([[_share(each) for each in row] for row in rows], np.float32),
        # Layer 2 and head 2 have nothing to do with each other.
        rows=numbered(_("layer"), len(rows), 0),
        columns=numbered(_("head"), n_heads, 1),
        texts=[[tile(each) for each in row] for row in rows],
        details=[[_detail(each) for each in row] for row in rows],
        note=_("“·”: no role that holds in half of the cases."),
        value_name=_("how often it has its role"),
    )
    cell = _("layer {row}, head {column}: {value}")
    help_text = _("Arrow keys move from head to head, Enter opens it.")
    shown = Matrices(
        panels=[panel],
        selected=(0, chosen.layer, chosen.index),
        texts={"cell": cell, "help.pick": help_text},
    )
    return components.show(shown, key=MAP, on_pick=_take)


def tile(found: HeadRole) -> str:
    """Return what stands in a head's tile."""
    if found.leading is None:
        return NO_ROLE
    role = role_names.canonical(found.leading, found)
    if role is not Role.POSITIONAL:
        return _(TILES[role])
    if found.offset == 0:
        return _("itself") if found.head.kind.is_self else _("same place")
    text = _("{offset} on") if found.offset > 0 else _("{offset} back")
    return text.format(offset=number(abs(found.offset)))


def _share(found: HeadRole) -> float:
    """Return in what share of the cases a head has its leading role; 0 without one."""
    return 0.0 if found.leading is None else found.scores[found.leading].value


def _detail(found: HeadRole) -> str:
    role = found.leading
    if role is None:
        return _("no role that beats its baseline and holds in half of the rows")
    return _("{role}: {score}").format(
        role=role_names.leading(found), score=percent(found.scores[role].value)
    )


def _take() -> None:
    if pick := clicks.picked(MAP):
        session.choose({session.LAYER: pick["row"], session.HEAD: pick["column"]})
