"""All heads as points by any two of their measures: what they look at, add, and cost silenced."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.heads import Head, Kind
from core.runs.run import Run
from core.studies.effects.head_measures import (
    COSTS,
    RANDOM,
    SHARP,
    HeadMeasures,
    Measure,
    Measured,
    head_measures,
)
from core.studies.effects.measuring import stored_effects
from core.studies.effects.text_cost import N_TEXTS, costs_of_heads, knows_labels
from core.studies.heads.question import Role, heads_of
from core.studies.heads.roles import SEED, HeadRole, roles_of_heads
from core.studies.heads.row_statistics import RowStatistics, row_statistics
from pages.frame import cached, clicks, controls, links, measured_on, notes, selection, session
from pages.frame.charts import plotly_chart
from pages.frame.language import N_, _, capitalised, joined, listed_apart, n_, number, signs
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import head_text, named_heads, role_names
from pages.views.heads.own_text import offer_text
from viz import theme
from viz.charts.plotly_figures import Figure, Line, Points, scatter

POINTS, SELECTED = "heads_scatter", "heads_selected"
"""Keys of the figure, and of the selected heads in the URL, as `encoder.2.self:0`."""
X, Y, COST = "scatter_x", "scatter_y", "all_costs"
"""In the link: the measures of the two axes, and whether silencing every head is measured."""
MOST_LISTED = 6
"""Most selected heads whose numbers are written beside the picture."""
RELATED = 0.3
"""Two measures with a smaller rank correlation have little to do with each other."""
CLEARLY = 2.0
"""Times as often as the others that sharp heads matter if sharpness is a sign of it."""
MOST_SILENCED = 64
"""Heads of a model of one stack that are silenced while the visitor waits."""
WIDTH, HEIGHT = 300, 430
"""Pixels of the box for a measure, and of the figure."""
NAMES: Mapping[str, str] = {
    Measure.LARGEST_WEIGHT: N_("largest weight of a row"),
    Measure.ENTROPY: N_("entropy of a row (1: even)"),
    Measure.ADDED: N_("length of what it adds (% of the stream)"),
    Measure.DISTANCE: N_("distance it looks (tokens)"),
    Measure.EXACT_MATCH: N_("exact match lost (points)"),
    Measure.PRONOUN: N_("correct pronouns lost (points)"),
    Measure.LOSS: N_("loss added (nats per token)"),
}
"""Measure → what its axis is called; marked for translation."""
IN_PERCENT = (Measure.ADDED, Measure.EXACT_MATCH, Measure.PRONOUN)
"""Measures that are shares, and are shown times 100, as the roles are."""
SYMBOLS = {Kind.ENCODER_SELF: "circle", Kind.DECODER_SELF: "square", Kind.CROSS: "diamond"}
"""Kind of attention → the shape of its heads."""


def draw(opened: Opened, row: DeltaGenerator) -> Shown:
    """Draw the heads as points, and what is known of those that are selected.

    Args:
        opened: The run and the sentence.
        row: Of the controls.
    """
    session.belongs_to(SELECTED, str(opened.path))
    alone = not opened.run.settings.model.is_encoder_decoder
    with row:
        measured = alone and knows_labels(opened.run) and _ask_costs(opened.run)
        if opened.run.settings.is_opened:
            offer_text(opened)
    recipe = _recipe(opened, alone=alone, measured=measured)
    found = recipe.result()
    with row:
        x, y = _ask_axes(found)
    selected = _selected(found, x, y)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        take = partial(clicks.take_points, POINTS, SELECTED)
        picture = plotly_chart(_figure(found, x, y), POINTS, take)
        st.caption(_below(found, x, y))
    with right:
        _say_heads(opened, found, x, y, selected)
        if found.needed is None and not alone:
            _offer_to_measure(opened)
    text = view_text("heads", "roles").sections
    on = measured_on.drawn(opened.run, found.heads[0].n_sentences, SEED)
    return Shown(
        name=f"heads_{x}_{y}",
        title=_("All heads by {x} and {y}").format(x=_name(x), y=_name(y)),
        question=_("Do heads that look sharply also matter?")
        if _is_of_need(x, y)
        else _("Do two measures of the heads go together?"),
        recipe=recipe,
        code=(HeadMeasures, RowStatistics),
        seen=_seen(found, x, y),
        pictures=[picture],
        formula=text["Formula of the points"].strip("$\n"),
        how_to_read="\n".join(
            [text["How to read the points"], _("- Measured on {sentences}.").format(sentences=on)]
        ),
    )


def _ask_costs(run: Run) -> bool:
    """Ask whether to measure what silencing each head costs a model of one stack."""
    if len(heads_of(run.model)) > MOST_SILENCED:
        return False
    said = _("Reads {n} texts once more without each head.").format(n=number(N_TEXTS))
    return controls.toggle(_("what silencing costs"), COST, help=said)


def _recipe(opened: Opened, *, alone: bool, measured: bool) -> Recipe[HeadMeasures]:
    stored = not alone and notes.stored(opened.run) is not None
    return Recipe(
        head_measures,
        Recipe(roles_of_heads, opened.path),
        Recipe(row_statistics, opened.path),
        Recipe(stored_effects, opened.path) if stored else None,
        head_text.on_random(opened) if alone else None,
        Recipe(costs_of_heads, opened.path) if measured else None,
    )


def _ask_axes(found: HeadMeasures) -> tuple[str, str]:
    """Ask for the measures of both axes; at first how sharp a head is, and what it costs."""
    offered = {name: _name(name) for name in found.measures}
    cost = next((each for each in COSTS if each in offered), Measure.ADDED)
    across = {name: _("→ {name}").format(name=label) for name, label in offered.items()}
    x = controls.selection(
        _("Horizontal"), X, across, Measure.LARGEST_WEIGHT, WIDTH, labelled=False
    )
    # No head has both a role of self-attention and one of cross-attention.
    up = {
        name: _("↑ {name}").format(name=label)
        for name, label in offered.items()
        if found.having(x, name)
    }
    y = controls.selection(_("Vertical"), Y, up, cost, WIDTH, labelled=False, named=True)
    return x, y


def _name(name: str) -> str:
    """Return what a measure is called on its axis and in the box."""
    if name in NAMES:
        return _(NAMES[name])
    role = _(role_names.NAMES[Role(name.removeprefix(RANDOM))])
    text = _("{role} (% of rows)")
    if name.startswith(RANDOM):
        text = _("{role} (% of weight, random tokens)")
    return text.format(role=role)


def _selected(found: HeadMeasures, x: str, y: str) -> list[Head]:
    """Return the heads that the link names, of those that are drawn."""
    named = (session.linked(SELECTED) or "").split(",")
    return [each.head for each in found.having(x, y) if str(each.head) in named]


def _figure(found: HeadMeasures, x: str, y: str) -> Figure:
    """Return the heads as points; those that silencing does not hurt are hollow.

    It is the same whatever is selected: in the place of another one Streamlit would begin anew.
    """
    heads, named, kinds = found.having(x, y), found.outliers(x, y), list(SYMBOLS)
    points_N2 = found.points(x, y) * [_scale(x), _scale(y)]

    def look(at: int) -> tuple[bool, int, bool]:
        """Return how a point looks; one with a label is drawn last, and so on top."""
        head = heads[at].head
        needed = found.needed is None or head in found.needed
        return head in named, kinds.index(head.kind), needed

    groups = []
    for (labelled, of_kind, needed), alike in groupby(sorted(range(len(heads)), key=look), look):
        places, kind = list(alike), kinds[of_kind]
        group = Points(
            points=points_N2[places],
            labels=[_label(heads[at].head) for at in places],
            ids=[str(heads[at].head) for at in places],
            name=_(kind.label),
            colour=_colour(kind),
            labelled=labelled,
            symbol=SYMBOLS[kind] + ("" if needed else "-open"),
            details=["\n".join(_known(found, heads[at], x, y)) for at in places],
        )
        groups.append(group)
    return scatter(
        groups,
        (_name(x), _name(y)),
        title=_("Heads by two measures"),
        height=HEIGHT,
        drag="pan",
        same_scale=False,
        lines=[*_baselines(found, x, y), *_sharp_from(x, y)],
        signs=signs(),
    )


def _baselines(found: HeadMeasures, x: str, y: str) -> Iterator[Line]:
    """Yield the baselines of each kind of attention whose heads have the same."""
    axes: dict[Literal["x", "y"], str] = {"x": x, "y": y}
    for axis, name in axes.items():
        for kind in SYMBOLS:
            heads = [each.head for each in found.having(x, y) if each.head.kind is kind]
            baselines = {found.measures[name][head].baseline for head in heads}
            if len(baselines) == 1 and (baseline := baselines.pop()) is not None:
                yield Line(axis, baseline * _scale(name), _colour(kind))


def _sharp_from(x: str, y: str) -> Iterator[Line]:
    """Yield where heads begin to be sharp, if the question is whether such heads matter."""
    axes: dict[Literal["x", "y"], str] = {"x": x, "y": y}
    for axis, name in axes.items():
        if name == Measure.LARGEST_WEIGHT and _is_of_need(x, y):
            yield Line(axis, SHARP, theme.QUIET)


def _colour(kind: Kind) -> theme.Rgb:
    if not kind.is_self:
        return theme.HEADS[2]
    return theme.SOURCE if kind.query_side == "source" else theme.TARGET


def _label(head: Head) -> str:
    """Return a head's name beside its point; colour and shape show its kind of attention."""
    return _("L{layer} H{head}").format(layer=number(head.layer), head=number(head.index))


def _known(found: HeadMeasures, each: HeadRole, x: str, y: str) -> Iterator[str]:
    """Yield what is known of a head, line by line: its name, its role, and the two measures."""
    yield notes.site_and_head(each.head)
    yield _("role: {role}").format(role=role_names.farthest(each))
    for name in dict.fromkeys((x, y)):
        yield _said(name, found.measures[name][each.head])
    if found.needed is not None and each.head not in found.needed:
        yield _("silencing it costs nothing measurable")


def _said(name: str, measured: Measured) -> str:
    """Return one measure of a head with its baseline or its interval."""
    known = {"measure": _name(name), "value": _written(name, measured.value)}
    if measured.interval is not None:
        low, high = (_written(name, each) for each in measured.interval)
        return _("{measure}: {value} (95 %: {low} to {high})").format(**known, low=low, high=high)
    if measured.baseline is not None:
        baseline = _written(name, measured.baseline)
        return _("{measure}: {value} (baseline: {baseline})").format(**known, baseline=baseline)
    return _("{measure}: {value}").format(**known)


def _scale(name: str) -> float:
    """Return what a measure is multiplied with on its axis: shares are in percent."""
    return 100.0 if name in IN_PERCENT or name not in NAMES else 1.0


def _written(name: str, value: float) -> str:
    digits = {Measure.LARGEST_WEIGHT: 2, Measure.ENTROPY: 2, Measure.LOSS: 3}
    return number(_scale(name) * value, digits.get(Measure(name), 1) if name in NAMES else 1)


def _below(found: HeadMeasures, x: str, y: str) -> str:
    """Return what the marks mean, and how many heads are drawn where some are not."""
    n, of = len(found.having(x, y)), len(found.heads)
    hollow = _("Hollow: silencing the head costs nothing measurable.")
    dotted = _("Dotted: the baseline.")
    sharp = _("Grey: sharp from here on.")
    fewer = n_(
        "{n} of {of} heads has both measures.", "{n} of {of} heads have both measures.", n
    ).format(of=number(of))
    label = _("L2 H0: layer 2, head 0.")
    has_lines = any(_baselines(found, x, y))
    return joined(
        [
            label,
            "" if found.needed is None else hollow,
            dotted if has_lines else "",
            sharp if any(_sharp_from(x, y)) else "",
            fewer if n < of else "",
        ]
    )


def _say_heads(
    opened: Opened, found: HeadMeasures, x: str, y: str, selected: Sequence[Head]
) -> None:
    """Name the selected heads, or else those far from the others, each with its numbers."""
    listed = selected or found.outliers(x, y)
    st.markdown(_("**Selected heads**") if selected else _("**Farthest from the others**"))
    of = {each.head: each for each in found.heads}
    for head in listed[:MOST_LISTED]:
        name, *known = _known(found, of[head], x, y)
        selection.link_to_head(opened, head, name)
        st.caption(listed_apart(known))
    if len(listed) > MOST_LISTED:
        n = len(listed) - MOST_LISTED
        st.caption(n_("{n} more head is selected.", "{n} more heads are selected.", n))
    if len(selected) == 1:
        named_heads.link_to_map(opened, selected[0])
    elif not selected:
        st.caption(_("Click a point to read about it, or draw around several with the lasso."))


def _offer_to_measure(opened: Opened) -> None:
    """Link to where silencing is measured, if it was not yet."""
    query = {
        session.TRIAL: "silence",
        session.MODEL: cached.listed_name(opened.path),
        session.SENTENCE: opened.sentence,
    }
    links.link("heads", _("Measure what silencing costs"), ":material/science:", query)


def _seen(found: HeadMeasures, x: str, y: str) -> str:
    """Say whether sharp heads matter, or else how far the two measures rise together."""
    sharp = found.sharp
    others = {each.head for each in found.heads} - sharp
    if found.needed is None or not _is_of_need(x, y) or not sharp:
        return _together(found, x, y)
    shares = [len(each & found.needed) / max(1, len(each)) for each in (sharp, others)]
    text = _(
        "No: **{m} of {n} sharp heads matter** when silenced, {of_others} of the {rest} others."
    )
    if shares[0] >= CLEARLY * shares[1] and shares[0] > 0:
        text = _(
            "Rather: **{m} of {n} sharp heads matter** when silenced, {of_others} of the {rest} "
            "others."
        )
    said = text.format(
        m=number(len(sharp & found.needed)),
        n=number(len(sharp)),
        of_others=number(len(others & found.needed)),
        rest=number(len(others)),
    )
    meaning = _("Sharp: a row’s largest weight is {least} or more on average.")
    return joined([said, meaning.format(least=number(SHARP, 1))])


def _is_of_need(x: str, y: str) -> bool:
    """Return whether the one measure is how sharp heads are, the other what they cost."""
    sharpness = {Measure.LARGEST_WEIGHT, Measure.ENTROPY}
    return not sharpness.isdisjoint((x, y)) and not set(COSTS).isdisjoint((x, y))


def _together(found: HeadMeasures, x: str, y: str) -> str:
    """Say how far two measures rise together."""
    n, rho = len(found.having(x, y)), found.rank_correlation(x, y)
    if rho is None:
        return _("Of these two measures at least one is the same for all heads.")
    meaning = _("the two have little to do with each other")
    if rho >= RELATED:
        meaning = _("heads with more of the one have more of the other")
    elif rho <= -RELATED:
        meaning = _("heads with more of the one have less of the other")
    said = _("{x} and {y}: **{meaning}** (rank correlation {rho} over {n} heads).")
    names = {"x": capitalised(_name(x)), "y": _name(y)}
    return said.format(**names, meaning=meaning, rho=number(rho, 2), n=number(n))
