"""Two columns of tokens and a line for each weight: one head, or all heads of the layer."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from core.heads import STACK_LABELS, Head, Kind
from core.model.attention import attend_probed
from core.studies.heads.maps import maps_of_heads
from pages.frame import clicks, components, controls, selection, session, tour
from pages.frame.language import _, capitalised, n_
from pages.frame.maps import labels, side_labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection
from pages.frame.view import Shown
from pages.views.attention import seen
from pages.views.attention.formula import formula
from viz.component.standalone import Drawn
from viz.lines.lines import Column, Lines

THRESHOLD = 0.05
ONE, ALL = "one", "all"


def draw(opened: Opened) -> Shown:
    """Draw the lines."""
    with selection.row():
        selected = selection.choose(opened)
        heads = _heads(selected)
        selection.link_to_selected_head(selected)
    if len(heads) == 1:
        selection.tell_head(selected)
    shown = of_heads(selected, heads)
    if not (shown.pinned or tour.keeps_back()):
        shown = replace(shown, spoken=("query", _query_of(selected, shown)))
    if marked := shown.pinned or shown.spoken:
        queries, keys = selected.kind.sides
        opened.show_image((queries if marked[0] == "query" else keys, marked[1]))
    picture = show(selected, shown)
    drawn = tuple(Head(selected.head.site, head) for head in heads if head not in shown.hidden)
    return Shown(
        name=f"{selected.head.site}.lines",
        title=shown.title,
        recipe=Recipe(maps_of_heads, selected.inspecting, drawn),
        code=[attend_probed],
        seen=_seen(selected, shown),
        pictures=[picture],
        formula=formula(opened.run),
    )


def _heads(selected: Selection) -> list[int]:
    """Ask whether one head's lines are drawn or those of all heads of the layer."""
    n_heads = len(selected.attention.weights_HQK)
    if n_heads == 1:
        return [selected.head.index]
    offered = {ONE: _("one head"), ALL: _("all heads")}
    older = {"one head": ONE, "all heads": ALL}
    shown = controls.choice(_("Lines of"), "shown", offered, ONE, older=older)
    return list(range(n_heads)) if shown == ALL else [selected.head.index]


def show(selected: Selection, shown: Lines) -> Drawn:
    """Draw lines of what is selected, and take over what is chosen in them."""
    return components.show(
        shown,
        key=session.LINES,
        on_pin=partial(
            clicks.take_pin, selected.opened, selected.inspection, session.LINES, selected.kind
        ),
        on_threshold=_take_threshold,
        on_heads=_take_heads,
    )


def of_heads(
    selected: Selection,
    heads: list[int],
    pinned: tuple[Column, int] | None = None,
    title: str = "",
) -> Lines:
    """Return the lines of some heads of a layer.

    Args:
        selected: Which layer, and of what.
        heads: Their numbers.
        pinned: Column and index of the token whose lines are shown alone while nobody chose one.
        title: What stands above; without it, which heads they are.
    """
    inspection, kind = selected.inspection, selected.kind
    decoder = kind.query_side == "target"
    return Lines(
        title=title or _title(selected, heads),
        weights_HQK=selected.attention.weights_HQK[heads],
        visible_QK=selected.attention.visible_QK,
        heads=heads,
        queries=side_labels(inspection, kind.query_side),
        keys=side_labels(inspection, kind.key_side),
        sides=kind.sides,
        predicted=labels(inspection.predicted_tokens) if decoder else (),
        threshold=_threshold(),
        hidden=_hidden(heads),
        pinned=_pinned(selected) or pinned,
    )


def _seen(selected: Selection, shown: Lines) -> str:
    """Say where the pinned token, or else the most telling one, looks most."""
    drawn = [at for at, head in enumerate(shown.heads) if head not in shown.hidden]
    column, pinned = shown.pinned or ("query", None)
    weights_HQK = shown.weights_HQK[drawn]
    query = _query_of(selected, shown) if pinned is None else pinned
    if column == "key":
        largest = weights_HQK[:, :, query].argmax()
        head = int(np.unravel_index(largest, weights_HQK.shape[:2])[0])
        said = seen.of_column(selected, weights_HQK[head], query)
    else:
        head = int(weights_HQK[:, query].max(axis=-1).argmax())
        whose = Head(selected.head.site, shown.heads[drawn[head]])
        said = seen.of_map(selected, weights_HQK[head], query, whose)
    if len(drawn) == 1:
        return said
    return n_(
        "{said} The other head gives no word more.",
        "{said} The other {n} heads give no word more.",
        len(drawn) - 1,
    ).format(said=said)


def _query_of(selected: Selection, shown: Lines) -> int:
    """Return the row that is spoken of while no token is pinned."""
    drawn = [at for at, head in enumerate(shown.heads) if head not in shown.hidden]
    return seen.query_of(selected, shown.weights_HQK[drawn].max(axis=0))


def _title(selected: Selection, heads: list[int]) -> str:
    where = {
        Kind.ENCODER_SELF: _("where each word looks"),
        Kind.DECODER_SELF: _("where each word looks back"),
        Kind.CROSS: _("where it looks in the source"),
    }[selected.kind]
    whose = n_("all {n} head", "all {n} heads", len(heads))
    if len(heads) == 1:
        whose = _("head {head}").format(head=heads[0])
    text = _("{stack} layer {layer}, {whose}: {where}")
    stack = _(STACK_LABELS[selected.head.site.stack])
    return capitalised(
        text.format(stack=stack, layer=selected.head.layer, whose=whose, where=where)
    )


def _threshold() -> float:
    """Return the smallest weight that has a line; whatever the link says, 0 to 1."""
    try:
        wanted = float(session.linked(session.THRESHOLD) or THRESHOLD)
    except ValueError:
        return THRESHOLD
    return wanted if 0.0 <= wanted <= 1.0 else THRESHOLD


def _hidden(heads: list[int]) -> frozenset[int]:
    """Return the heads that are switched off; none where that would be all."""
    written = (session.linked(session.HIDDEN) or "").split(",")
    hidden = frozenset(head for head in heads if str(head) in written)
    return hidden if len(hidden) < len(heads) else frozenset()


def _pinned(selected: Selection) -> tuple[Column, int] | None:
    """Return the token whose lines are kept, if the link names one that there is."""
    found = clicks.pinned(selected.opened, selected.inspection, selected.kind)
    if found is None or found[0] not in selected.kind.sides:
        return None
    side, at = found
    named = session.linked(session.COLUMN) or session.linked(session.SIDE)
    is_key = selected.kind.is_self and named == "key"
    return ("query" if side == selected.kind.query_side and not is_key else "key"), at


def _take_threshold() -> None:
    component: Any = session.component_value(session.LINES)
    if component.threshold is not None:
        session.choose({session.THRESHOLD: f"{float(component.threshold):g}"})


def _take_heads() -> None:
    component: Any = session.component_value(session.LINES)
    if component.heads is not None:
        hidden = ",".join(str(int(head)) for head in component.heads["hidden"])
        session.choose({session.HIDDEN: hidden or None})
