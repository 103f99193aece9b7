"""Which heads of one kind of attention look at the same tokens, as a map of heads × heads."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.heads import Head, Kind
from core.runs.run import Run, RunError
from core.studies.heads.likeness import (
    SEED,
    Likeness,
    head_likeness,
    likeness,
)
from pages.frame import cached, measured_on, notes, snippets
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import N_, _, number, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.selection import ask_kind, key_axis, query_axis
from pages.frame.view import Columns, Shown
from pages.views.heads import cells, named_heads
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix

MAP, BOTH = "alike_map", "alike_both"
"""Keys of the map of heads × heads, and of those of both heads."""
KIND, PAIR = "alike_of", "pair"
ALIKE = 0.7
"""Two heads below it have little in common: their weights lie on other tokens for the most part."""
_MANY = 16
"""So many heads have room beside two of their maps."""
_FORMULA = (
    r"a(h, g) = 1 - \frac{1}{n}\sum_{i=1}^{n} \sqrt{\mathrm{JS}(h_i, g_i)}, \quad "
    r"\mathrm{JS}(p, q) = H\!\left(\tfrac{p + q}{2}\right) - \tfrac{H(p) + H(q)}{2}, \quad "
    r"h_i, g_i: \text{row } i \text{ of both heads}, \ H \text{ in bits}"
)
TRIES = (
    N_("Click the brightest cell beside the diagonal, and look at both maps."),
    N_("Are heads of the same layer more alike than those of different layers?"),
    N_("Two heads that are alike may stand in for each other: silence one of them, then both."),
)


def draw(opened: Opened) -> Shown | None:
    """Draw the map; a click on a cell names both heads."""
    kinds = list(dict.fromkeys(site.attention for site in opened.run.model.sites()))
    try:
        usual = cached.of_run(_telling_kind, opened.path, tuple(kinds))
        kind = ask_kind(kinds, usual, name=KIND)
        found = cached.of_run(head_likeness, opened.path, kind)
    except RunError as error:
        st.error(plain(explained(error)))
        return None
    cells.keep_only_of((opened.path, kind), PAIR)
    count = len(found.heads)
    pair = cells.linked(PAIR, count, count) or found.most_alike or (0, 0)
    shown = Matrices(panels=[_map(found, kind)], selected=(0, *pair))
    beside = count <= _MANY
    right, left = st.columns([13, 9], gap="medium") if beside else [st.container(), st.container()]
    named = [found.heads[each] for each in dict.fromkeys(pair)]
    with left:
        pictures = [matrices(shown, key=MAP, on_pick=partial(cells.take, MAP, PAIR))]
        st.caption(_summary(opened.run, found))
    with right:
        both = Matrices(panels=[_weights(opened, head) for head in named])
        pictures.insert(0, matrices(both, key=BOTH))
        named_heads.warn_whatever_the_sentence(opened.run, named)
        with st.container(horizontal=True):
            for head in named:
                named_heads.link_to_map(opened, head)
    return Shown(
        name=f"heads_alike_{kind}",
        title=shown.panels[0].title,
        numbers=lambda: stacked(numbers(found), *(_row_by_row(opened, head) for head in named)),
        python=_python(opened, kind, named),
        seen=_seen(found, *pair),
        code=(head_likeness, likeness),
        pictures=pictures,
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _telling_kind(run: Run, kinds: tuple[Kind, ...]) -> Kind:
    """Return the kind with the two heads that are most alike of all."""

    def most(kind: Kind) -> float:
        found = cached.of_run(head_likeness, run.path, kind)
        pair = found.most_alike
        return -1.0 if pair is None else float(found.likeness_NN[pair])

    return max(kinds, key=most)


def _map(found: Likeness, kind: Kind) -> Matrix:
    names = [TokenLabel(f"{head.layer}.{head.index}") for head in found.heads]
    axis = Axis(name=_("layer.head"), labels=names)
    return Matrix(
        title=_("How alike two heads are: {kind}").format(kind=_(kind.label)),
        values=found.likeness_NN.astype(np.float32),
        rows=axis,
        columns=axis,
        note=_("1: always the same weights; 0: never a token in common."),
        value_name=_("likeness"),
    )


def _weights(opened: Opened, head: Head) -> Matrix:
    """Return what one of the two heads does with the sentence."""
    inspection = opened.inspection
    return Matrix(
        title=notes.site_and_head(head),
        values=inspection.weights_of(head),
        visible=inspection.attention[head.site].visible_QK,
        rows=query_axis(inspection, head.kind),
        columns=key_axis(inspection, head.kind),
        value_name=_("weight"),
    )


def _row_by_row(opened: Opened, head: Head) -> Columns:
    weights_QK = opened.inspection.weights_of(head)
    queries, keys = np.indices(weights_QK.shape).reshape(2, -1).tolist()
    return {
        "head": [str(head)] * weights_QK.size,
        "query": queries,
        "key": keys,
        "weight": weights_QK.reshape(-1).tolist(),
    }


def _seen(found: Likeness, one: int, other: int) -> str:
    """Say in Markdown how alike two heads are, beside all pairs."""
    heads = [found.heads[each] for each in (one, other)]
    first, second = map(notes.site_and_head, heads)
    if found.mean is None:
        return _("There is one head only, and none to compare it with.")
    if one == other:
        return _("{first}: every head is wholly like itself.").format(first=first)
    if found.most_alike in {(one, other), (other, one)}:
        first, second = map(notes.within_sentence, heads)
        text = _("Most alike are {first} ↔ {second}: **{alike}**; mean of all pairs: {mean}.")
        if found.likeness_NN[one, other] < ALIKE:
            text = _(
                "No two heads are really alike. Most so are {first} ↔ {second}: **{alike}**; mean "
                "of all pairs: {mean}."
            )
    else:
        text = _("{first} ↔ {second}: **{alike}** alike; mean of all pairs: {mean}.")
    alike, mean = number(float(found.likeness_NN[one, other]), 2), number(found.mean, 2)
    return text.format(first=first, second=second, alike=alike, mean=mean)


def _summary(run: Run, found: Likeness) -> str:
    measured = _("Rows: {rows}, of {sentences}.").format(
        rows=number(found.n_rows), sentences=measured_on.drawn(run, found.n_sentences, SEED)
    )
    if found.loneliest is None:
        return measured
    lonely = found.loneliest
    nearest = found.nearest(lonely)
    return _(
        "The most distinctive head is {lonely}, whose nearest head, {nearest}, is {least} alike. "
        "{n}"
    ).format(
        lonely=_name(found, lonely),
        nearest=_name(found, nearest),
        least=number(float(found.likeness_NN[lonely, nearest]), 2),
        n=measured,
    )


def _name(found: Likeness, at: int) -> str:
    head = found.heads[at]
    return f"{head.layer}.{head.index}"


def numbers(found: Likeness) -> Columns:
    """Return a row for each pair of heads."""
    count = range(len(found.heads))
    pairs = [(found.heads[one], found.heads[other], one, other) for one in count for other in count]
    return {
        "head": [str(first) for first, *_rest in pairs],
        "other_head": [str(second) for _first, second, *_rest in pairs],
        "likeness": [float(found.likeness_NN[one, other]) for *_heads, one, other in pairs],
    }


def _python(opened: Opened, kind: Kind, named: Sequence[Head]) -> str:
    lines = [
        f'found = head_likeness(run, Kind("{kind}"))',
        "inspection = inspect_sentence(run, sentence)",
        f"named = [Head.parse(each) for each in {[str(head) for head in named]}]",
        "numbers = {",
        '    "likeness": found.likeness_NN.reshape(-1).tolist(),',
        '    "weight": [float(w) for each in named for w in inspection.weights_of(each).flat],',
        "}",
        "",
    ]
    imports = ["from core.studies.heads.likeness import head_likeness"]
    imports.append("from core.heads import Head, Kind")
    imports.append("from core.inspection import inspect_sentence")
    return snippets.naming(opened.path, opened.sentence, *imports) + "\n".join(lines)
