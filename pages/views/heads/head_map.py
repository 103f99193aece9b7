"""All heads of a kind as tiles, and as points; a click opens what is known of one."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from core.heads import Head
from core.studies.heads.likeness import Likeness
from core.studies.heads.question import Role
from core.studies.heads.roles import HeadRole
from pages.frame import clicks, session
from pages.frame.charts import plotly_chart, selected_points
from pages.frame.components import matrices
from pages.frame.language import N_, _, number, percent, signs
from pages.views.heads import role_names
from viz import theme
from viz.charts.plotly_figures import Points, scatter
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

MAP, ALIKE = "head_map", "head_alike"
"""Keys of the tiles, and of the points."""
FEW = 32
"""Heads whose names have room beside their points."""
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
        title=_("All heads: {kind}").format(kind=_(chosen.kind.label)),
        values=np.array([[each.confidence.value for each in row] for row in rows], np.float32),
        rows=_links(numbered(_("layer"), len(rows)), 0),
        columns=_links(numbered(_("head"), n_heads), len(rows)),
        texts=[[tile(each) for each in row] for row in rows],
        details=[[_detail(each) for each in row] for row in rows],
        value_name=_("mean largest weight"),
    )
    cell = _("layer {row}, head {column}: mean largest weight {value}")
    help_text = _("Arrow keys move from head to head, Enter opens it.")
    shown = Matrices(
        panels=[panel],
        selected=(0, chosen.layer, chosen.index),
        texts={"cell": cell, "help.pick": help_text},
    )
    return matrices(shown, key=MAP, on_pick=partial(_take, MAP))


def draw_likeness(likeness: Likeness, heads: Sequence[HeadRole], chosen: Head) -> Drawn:
    """Draw all heads of a kind as points, alike ones near each other; a click opens one.

    Args:
        likeness: Of the heads.
        heads: What roles they have.
        chosen: The one that is open.
    """
    places_N2, share = likeness.places
    roles = {each.head: tile(each) for each in heads}
    named = _("{layer}.{head} {role}")
    labels = [
        named.format(layer=head.layer, head=head.index, role=roles[head]) for head in likeness.heads
    ]
    own = likeness.heads.index(chosen)
    others = [at for at in range(len(labels)) if at != own]

    def group(name: str, at: list[int], colour: theme.Rgb, labelled: bool) -> Points:
        return Points(places_N2[at], [labels[each] for each in at], at, name, colour, labelled)

    figure = scatter(
        [
            group(_("other heads"), others, theme.QUIET, len(labels) <= FEW),
            group(_("this head"), [own], theme.TARGET, True),
        ],
        (_("distance"), _("distance")),
        title=_("Heads that are alike are near: {share} of the variance").format(
            share=percent(share)
        ),
        signs=signs(),
    )
    return plotly_chart(figure, ALIKE, partial(_take_point, likeness.heads))


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
        session.choose({session.LAYER: pick["row"], session.HEAD: pick["column"]})


def _take_point(heads: Sequence[Head]) -> None:
    for at in selected_points(ALIKE)[:1]:
        session.choose({session.LAYER: heads[at].layer, session.HEAD: heads[at].index})
