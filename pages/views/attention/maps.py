"""The maps of one kind of attention: each head by itself, many heads in one map, or two heads."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Head
from core.model.attention import attend_probed
from core.studies.heads.largest_weights import largest_weight
from core.studies.heads.maps import (
    HOW,
    How,
    has_vector_norms,
    maps_of_heads,
    maps_over_heads,
)
from pages.frame import clicks, components, controls, notes, selection, session, tour
from pages.frame.language import _, capitalised, labelled, n_
from pages.frame.maps import maps_of
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection, key_axis, query_axis
from pages.frame.texts import view_text
from pages.frame.typography import show_written
from pages.frame.view import Shown
from pages.views.attention import compare, norms, seen
from pages.views.attention.formula import formula
from pages.views.attention.pronoun_note import about_pronouns
from viz.plane.matrices import Matrices, Matrix

EACH = "each"
SENTENCE_MAPS = "sentence_maps"
MOST_DETAILS = 10_000
"""A map of more cells does not say of each cell which head looks there most."""
FORMULAS: dict[How, str] = {
    "mean": r"\bar A_{ij} = \frac{1}{n} \sum_{h=1}^{n} A^{(h)}_{ij}, "
    r"\qquad \sum_j \bar A_{ij} = 1",
    "largest": r"\hat A_{ij} = \max_{h=1,\dots,n} A^{(h)}_{ij}, \qquad \sum_j \hat A_{ij} \ge 1",
}


def draw(opened: Opened) -> Shown | None:
    """Ask for a head and a kind of map, and draw it."""
    offered: dict[str, str] = {
        EACH: _("each head"),
        "largest": _("largest of all heads"),
        "mean": _("mean of all heads"),
        **({norms.NORMS: _("weight × value")} if has_vector_norms(opened.run.model) else {}),
        **compare.offered(),
    }
    older = {"sentences": compare.SENTENCE, "two sentences": compare.SENTENCE}
    older |= {"models": compare.MODEL, "two models": compare.MODEL}
    # In older links, what is compared had a name of its own.
    session.renamed(session.OTHER, session.HOW, (*offered, *older))
    how = controls.chosen(session.HOW, offered, EACH, {"older": older})
    with selection.row():
        selected = selection.choose(opened, head=how not in HOW, unit=how != norms.NORMS)
        st.caption(_("show"), width="content")
        controls.selection(_("show"), session.HOW, offered, EACH, 180, labelled=False, older=older)
        if how not in HOW:
            selection.link_to_selected_head(selected)
    for known in HOW:
        if known == how:
            return _draw_many(selected, known)
    selection.tell_head(selected)
    if how == norms.NORMS:
        return norms.draw(selected)
    return _draw_each(selected) if how == EACH else compare.draw(selected, how)


def _draw_each(selected: Selection) -> Shown:
    """Draw the map of every head, and one of them large."""
    opened, head, kind = selected.opened, selected.head, selected.kind
    pinned = clicks.pinned(opened, selected.inspection, kind)
    show_written(selected.inspection, opened.run)
    shown = maps_of(selected.inspection, head, about_pronouns(opened), _zoom(selected), pinned)
    # What a tour asks is not answered by a mark.
    asked = tour.keeps_back()
    spoken = None if asked else (kind.query_side, seen.query_of(selected, selected.weights_QK))
    opened.show_image(pinned or spoken)
    picture = components.attention_maps(
        replace(shown, spoken=spoken),
        key=session.MAPS,
        on_pick=partial(clicks.take, session.MAPS, session.LAYER, session.HEAD),
        on_zoom=_take_zoom,
        on_pin=partial(clicks.take_pin, opened, selected.inspection, session.MAPS),
    )
    return Shown(
        name=f"{head.site}.{head.index}",
        title=notes.site_and_head(head),
        recipe=Recipe(maps_of_heads, selected.inspecting, (head,)),
        code=[attend_probed],
        seen=seen.of_pinned(selected, pinned),
        pictures=[picture],
        formula=formula(opened.run),
    )


def _zoom(selected: Selection) -> str | None:
    """Return what the URL holds of a zoom; one into another sentence's maps is taken out of it."""
    opened = selected.opened
    of = (str(opened.path), opened.sentence, selected.kind, str(selected.whole_words))
    session.belongs_to(session.ZOOM, "\n".join(of))
    return session.linked(session.ZOOM)


def _take_zoom() -> None:
    """Choose the part of the large map that was zoomed to, or all of it."""
    zoom = clicks.picked(session.MAPS, "zoom")
    parts = ("row", "column", "rows", "columns")
    session.choose({session.ZOOM: ",".join(str(zoom[part]) for part in parts) if zoom else None})


def _draw_many(selected: Selection, how: How) -> Shown:
    """Draw one map over all heads of a kind of attention."""
    inspection, kind = selected.inspection, selected.kind
    recipe = Recipe(maps_over_heads, selected.inspecting, kind, how)
    [weights_QK] = recipe.result().weights.values()
    heads, weights_HQK = _heads(selected)
    n, sums = len(heads), how == "mean" or len(heads) == 1
    names = {"mean": _("mean weight"), "largest": _("largest weight")}
    what = {
        "mean": n_("mean of {n} head", "mean of {n} heads", n),
        "largest": n_("largest of {n} head", "largest of {n} heads", n),
    }[how]
    where = capitalised(_("{kind}, all layers").format(kind=_(kind.full_label)))
    panel = Matrix(
        title=labelled(where, what),
        values=weights_QK,
        rows=query_axis(inspection, kind),
        columns=key_axis(inspection, kind),
        visible=selected.attention.visible_QK,
        note=_("rows sum to 1") if sums else _("rows need not sum to 1"),
        details=_details(heads, weights_HQK) if how == "largest" and n > 1 else None,
        value_name=names[how],
    )
    selected.opened.show_image((kind.query_side, seen.query_of(selected, weights_QK)))
    picture = components.show(Matrices(panels=[panel]), key=SENTENCE_MAPS)
    return Shown(
        name=f"{kind}.{how}.all",
        title=panel.title,
        recipe=recipe,
        code=[HOW[how]],
        seen=_seen(selected, weights_QK),
        pictures=[picture],
        how_to_read=view_text("attention", "maps").sections["How to read one map of many heads"],
        formula=FORMULAS[how],
    )


def _heads(selected: Selection) -> tuple[list[Head], NDArray[np.float32]]:
    """Return the heads of all layers with their weights_HQK."""
    maps = [selected.inspection.attention[site].weights_HQK for site in selected.sites]
    heads = [
        head
        for site, each in zip(selected.sites, maps, strict=True)
        for head in site.heads(len(each))
    ]
    return heads, np.concatenate(maps)


def _details(heads: list[Head], weights_HQK: NDArray[np.float32]) -> list[list[str]] | None:
    """Return for each cell the head that looks there most; nothing where there are too many."""
    if weights_HQK[0].size > MOST_DETAILS:
        return None
    names = list(map(notes.within_sentence, heads))
    return [[names[at] for at in row] for row in weights_HQK.argmax(axis=0)]


def _seen(selected: Selection, weights_QK: NDArray[np.float32]) -> str:
    """Say where a word looks most, on average and in one head alone."""
    query = seen.query_of(selected, weights_QK)
    found = largest_weight(weights_QK, selected.attention.even_QK, query)
    heads, weights_HQK = _heads(selected)
    weights_H = weights_HQK[:, query, found.keys[0]]
    text = n_(
        "{query} gives {key} **{mean}** of its attention on average over {n} head, **{largest}** "
        "in {head}.",
        "{query} gives {key} **{mean}** of its attention on average over {n} heads, "
        "**{largest}** in {head}.",
        len(heads),
    )
    return text.format(
        query=seen.query_name(selected, query),
        key=seen.key_name(selected, query, found.keys[0]),
        mean=seen.share(float(weights_H.mean())),
        largest=seen.share(float(weights_H.max())),
        head=notes.within_sentence(heads[int(weights_H.argmax())]),
    )
