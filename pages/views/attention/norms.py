"""The weights of one head beside how far each key moves the query: its value counts, too."""

from functools import partial

import numpy as np

from core.studies.heads.vector_norms import VectorNorms, vector_norms
from pages.frame import clicks, components, notes
from pages.frame.language import _, n_, number
from pages.frame.recipe import Recipe
from pages.frame.selection import Selection, key_axis, query_axis
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.attention import seen
from viz.plane.matrices import Matrices, Matrix

NORMS = "norms"
"""In the link."""
NORM_MAPS = "norm_maps"
FORMULA = (
    r"n_{ij} = \left\lVert w_{ij}\, v_j\, W^O_h \right\rVert, \qquad "
    r"\text{share: } \frac{n_{ij}}{\sum_{j'} n_{ij'}}"
)


def draw(selected: Selection) -> Shown:
    """Draw weights, shares of the vectors' norms, and the difference."""
    opened, kind = selected.opened, selected.kind
    recipe = Recipe(vector_norms, opened.path, opened.sentence, selected.head, selected.inspecting)
    found = recipe.result()
    matrix = partial(
        Matrix,
        rows=query_axis(selected.inspection, kind),
        columns=key_axis(selected.inspection, kind),
        visible=selected.attention.visible_QK,
    )
    differing_QK = (found.shares_QK - found.steps.weights_QK).astype(np.float32)
    end = float(np.abs(differing_QK).max()) or 1.0
    norm = _("norm {norm}")
    note = _("Orange: moves more than its weight says; blue: less. The colours end at ±{end}.")
    panels = (
        matrix(
            title=_("Weights"),
            values=selected.weights_QK,
            note=_("rows sum to 1"),
            value_name=_("weight"),
        ),
        matrix(
            title=_("Weight × value"),
            values=found.shares_QK.astype(np.float32),
            details=[[norm.format(norm=number(each)) for each in row] for row in found.norms_QK],
            note=_("rows sum to 1"),
            value_name=_("share of the row’s norms"),
        ),
        matrix(
            title=_("Weight × value − weights"),
            values=differing_QK,
            scale="signed",
            limit=end,
            note=note.format(end=number(end, padded=False)),
            value_name=_("difference"),
        ),
    )
    picture = components.show(Matrices(panels=panels), key=NORM_MAPS)
    return Shown(
        name=f"{selected.head.site}.{selected.head.index}.norms",
        title=notes.site_and_head(selected.head),
        recipe=recipe,
        code=[vector_norms],
        seen=_seen(selected, found, differing_QK),
        pictures=[picture],
        how_to_read=view_text("attention", "maps").sections["How to read weight × value"],
        formula=FORMULA,
    )


def _seen(selected: Selection, found: VectorNorms, differing_QK: seen.Weights) -> str:
    """Name the cell that differs most, and count the rows in which both agree on the largest."""
    distances_QK = np.abs(differing_QK)
    query = clicks.pinned_position(
        selected.opened, selected.inspection, selected.kind.query_side, selected.kind
    )
    if query is None:
        query = int(distances_QK.max(axis=1).argmax())
    key = int(distances_QK[query].argmax())
    weights_QK, shares_QK = found.steps.weights_QK, found.shares_QK
    agree = int((weights_QK.argmax(axis=1) == shares_QK.argmax(axis=1)).sum())
    text = n_(
        "{query} gives {key} a weight of **{weight}**, and **{share}** of what moves it comes "
        "from there. In **{agree} of {n}** row the largest weight also moves most.",
        "{query} gives {key} a weight of **{weight}**, and **{share}** of what moves it comes "
        "from there. In **{agree} of {n}** rows the largest weight also moves most.",
        len(weights_QK),
    )
    return text.format(
        query=seen.query_name(selected, query),
        key=seen.key_name(selected, query, key),
        weight=seen.weight(float(weights_QK[query, key])),
        share=seen.weight(float(shares_QK[query, key])),
        agree=number(agree),
        n=number(len(weights_QK)),
    )
