"""The weights of one head beside how far each key moves the query: its value counts, too."""

from functools import partial

import numpy as np

from core.studies.heads.maps import VectorNorms, vector_norms
from pages.frame import clicks, components, notes
from pages.frame.language import _, joined, n_, number
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
    """Draw weights, contributions, and how far they differ."""
    opened, kind = selected.opened, selected.kind
    recipe = Recipe(
        vector_norms, opened.writer, opened.sentence, selected.head, selected.inspecting
    )
    found = recipe.result()
    matrix = partial(
        Matrix,
        rows=query_axis(selected.inspection, kind),
        columns=key_axis(selected.inspection, kind),
        visible=selected.attention.visible_QK,
    )
    differing_QK = (found.shares_QK - found.weights_QK).astype(np.float32)
    end = float(np.abs(differing_QK).max()) or 1.0
    norm = _("norm {norm}")
    panels = (
        matrix(
            title=_("Weights"),
            values=selected.weights_QK,
            note=_("rows sum to 1"),
            value_name=_("weight"),
        ),
        matrix(
            title=_("Contribution: weight × length of the value vector"),
            values=found.shares_QK.astype(np.float32),
            details=[[norm.format(norm=number(each)) for each in row] for row in found.norms_QK],
            note=_("as a share of its row"),
            value_name=_("contribution"),
        ),
        matrix(
            title=_("Contribution − weight"),
            values=differing_QK,
            scale="signed",
            limit=end,
            note=_("Orange: contributes more than its weight; blue: less"),
            value_name=_("difference"),
        ),
    )
    cell = _cell(selected, differing_QK)
    selected.opened.show_image((selected.kind.query_side, cell[0]))
    picture = components.show(Matrices(panels=panels, selected=(None, *cell)), key=NORM_MAPS)
    return Shown(
        name=f"{selected.head.site}.{selected.head.index}.norms",
        title=notes.site_and_head(selected.head),
        question=_("Does a large weight also mean a large contribution?"),
        recipe=recipe,
        code=[vector_norms],
        seen=_seen(selected, found, cell),
        pictures=[picture],
        how_to_read=view_text("attention", "maps").sections["How to read weight × value"],
        formula=FORMULA,
    )


def _cell(selected: Selection, differing_QK: seen.Weights) -> tuple[int, int]:
    """Return the cell that differs most: of the kept word's row, or else of all."""
    distances_QK = np.abs(differing_QK)
    query = clicks.pinned_position(
        selected.opened, selected.inspection, selected.kind.query_side, selected.kind
    )
    if query is None:
        query = int(distances_QK.max(axis=1).argmax())
    return query, int(distances_QK[query].argmax())


def _seen(selected: Selection, found: VectorNorms, cell: tuple[int, int]) -> str:
    """Count the rows in which both agree on the largest, and speak of one cell."""
    query, key = cell
    weights_QK, shares_QK = found.weights_QK, found.shares_QK
    agree = int((weights_QK.argmax(axis=1) == shares_QK.argmax(axis=1)).sum())
    n, weight, share = len(weights_QK), weights_QK[query, key], shares_QK[query, key]
    answer = _("Mostly") if 2 * agree > n else _("Often not")
    largest = n_(
        "{answer}: in **{agree} of {n}** row the word with the largest weight also contributes "
        "most.",
        "{answer}: in **{agree} of {n}** rows the word with the largest weight also contributes "
        "most.",
        n,
    ).format(answer=_("Yes") if agree == n else answer, agree=number(agree))
    if abs(share - weight) < seen.LEAST:
        return largest
    text = _(
        "{query} gives {key} **{weight}** of its attention; {word} contributes **{share}**, since "
        "its value vector is long."
    )
    if share < weight:
        text = _(
            "{query} gives {key} **{weight}** of its attention; {word} contributes only "
            "**{share}**, since its value vector is short."
        )
    gap = text.format(
        query=seen.query_name(selected, query),
        key=seen.key_name(selected, query, key),
        word=seen.token_name(selected.inspection, selected.kind.key_side, key),
        weight=seen.share(float(weight)),
        share=seen.share(float(share)),
    )
    return joined([largest, gap])
