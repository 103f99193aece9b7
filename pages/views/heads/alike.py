"""How alike the heads of one kind of attention are, as a map of heads × heads."""

from functools import partial

import numpy as np
import streamlit as st

from core.analysis.heads.likeness import SEED, Likeness, head_likeness, likeness
from core.heads import Kind
from core.runs.run import RunError
from pages.frame import cached, controls, lesson, notes, opening
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import ATTENTIONS, _, plain
from pages.views.heads import alike_cells, scores_links, warnings
from viz.charts.number_tables import three_digits
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

MAP = "alike_map"
"""Key of the map."""
KIND, PAIR = "alike_of", "pair"
_MANY = 16
"""So many heads have room for a number in each cell."""


def draw(opened: Opened) -> None:
    """Draw the map; a click on a cell names both heads."""
    kinds = list(dict.fromkeys(site.attention for site in opened.run.model.sites()))
    kind = controls.kind(kinds, opening.default_kind(opened.run), name=KIND)
    try:
        with st.spinner(_("Comparing all heads …")):
            found = cached.of_run(head_likeness, opened.path, kind)
    except RunError as error:
        st.error(plain(str(error)))
        return
    alike_cells.keep_only_of((opened.path, kind), PAIR)
    count = len(found.heads)
    pair = alike_cells.linked(PAIR, count, count) or found.most_alike or (0, 0)
    matrices(
        Matrices(panels=[_map(found, kind)], selected=(0, *pair)),
        key=MAP,
        on_pick=partial(alike_cells.take, MAP, PAIR),
    )
    st.text(_said(found, *pair))
    shown = [found.heads[number] for number in dict.fromkeys(pair)]
    warnings.draw(warnings.of_heads(opened.run, shown))
    with st.container(horizontal=True):
        for head in shown:
            scores_links.to_map(opened, head)
    st.caption(_summary(found))
    lesson.numbers(f"heads_alike_{kind}", _numbers(found))
    lesson.explained(
        Explanation(
            formula=r"a(h, g) = 1 - \frac{1}{n}\sum_{i=1}^{n} \sqrt{\mathrm{JS}(h_i, g_i)}, \quad "
            r"\mathrm{JS}(p, q) = H\!\left(\tfrac{p + q}{2}\right) - \tfrac{H(p) + H(q)}{2}, \quad "
            r"h_i, g_i: \text{row } i \text{ of both heads}, \ H \text{ in bits}",
            tries=(
                _("Click the brightest cell beside the diagonal, and look at both maps."),
                _("Are heads of the same layer more alike than those of different layers?"),
                _(
                    "Two heads that are alike may stand in for each other: silence one of them, "
                    "then both."
                ),
            ),
            code=(head_likeness, likeness),
        )
    )


def _map(found: Likeness, kind: Kind) -> Matrix:
    names = [TokenLabel(f"{head.layer}.{head.index}") for head in found.heads]
    axis = Axis(name=_("layer.head"), labels=names)
    few = len(names) <= _MANY
    return Matrix(
        title=_("How alike any two heads are: {kind}").format(kind=ATTENTIONS[kind]),
        values=found.likeness_NN.astype(np.float32),
        rows=axis,
        columns=axis,
        texts=[[f"{each:.2f}" for each in row] for row in found.likeness_NN] if few else None,
        note=_("1: always the same weights; 0: never a key in common."),
        value_name=_("likeness"),
    )


def _said(found: Likeness, one: int, other: int) -> str:
    first, second = (notes.site_and_head(found.heads[number]) for number in (one, other))
    if one == other:
        return _("{first}: every head is wholly like itself.").format(first=first)
    return _("{first} ↔ {second}: {number} alike.").format(
        first=first, second=second, number=three_digits(float(found.likeness_NN[one, other]))
    )


def _summary(found: Likeness) -> str:
    measured = _("{rows:,} rows of {n} held-out sentences, seed {seed}.").format(
        rows=found.n_rows, n=found.n_sentences, seed=SEED
    )
    if found.most_alike is None or found.loneliest is None:
        return _("There is one head only, and none to compare it with. {n}").format(n=measured)
    one, other = found.most_alike
    lonely = found.loneliest
    nearest = found.nearest(lonely)
    return _(
        "Most alike are {one} and {other} ({alike}); loneliest is {lonely}, whose nearest head, "
        "{nearest}, is {least} alike. {n}"
    ).format(
        one=_name(found, one),
        other=_name(found, other),
        alike=three_digits(float(found.likeness_NN[one, other])),
        lonely=_name(found, lonely),
        nearest=_name(found, nearest),
        least=three_digits(float(found.likeness_NN[lonely, nearest])),
        n=measured,
    )


def _name(found: Likeness, number: int) -> str:
    head = found.heads[number]
    return f"{head.layer}.{head.index}"


def _numbers(found: Likeness) -> dict[str, list[object]]:
    count = range(len(found.heads))
    cells = [(found.heads[one], found.heads[other], one, other) for one in count for other in count]
    return {
        "site": [str(first.site) for first, *_rest in cells],
        "head": [first.index for first, *_rest in cells],
        "other_site": [str(second.site) for _first, second, *_rest in cells],
        "other_head": [second.index for _first, second, *_rest in cells],
        "likeness": [float(found.likeness_NN[one, other]) for *_heads, one, other in cells],
    }
