"""The parts of the model: their shapes, their parameters, their share of the computation."""

from dataclasses import replace
from functools import partial

import streamlit as st

from core.describe import Description, describe
from core.describe.parts import Part
from core.studies.lessons.of_sentence import sentence_parts
from pages.frame import clicks, components, controls, session
from pages.frame.language import N_, _, capitalised, joined, number, percent, plain, translated
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons.architecture import drawing, most, parameters, sizes

SHAPES = {
    "input": N_("input"),
    "memory": N_("memory"),
    "positions": N_("positions"),
    "query": N_("query"),
    "key": N_("key"),
    "value": N_("value"),
    "scores": N_("scores"),
    "weights": N_("weights"),
    "mixed": N_("mixed"),
    "hidden": N_("hidden"),
    "output": N_("output"),
}
"""Name of a shape → what people call it."""


def draw(opened: Opened) -> Shown:
    """Draw the architecture with one part chosen, and tabulate what is known of it."""
    recipe = Recipe(sentence_parts, opened.writer, opened.sentence)
    described = recipe.result().described
    usual = described.sublayers[0].id
    drawn = drawing(described, usual)
    names = {node.id: capitalised(node.name) for node in drawn.nodes if node.id in described.ids}
    left, right = st.columns([3, 4], gap="large")
    with right:
        part = described.part(controls.selection(_("Part"), session.PART, names, usual))
        _facts(part, described)
    with left:
        picture = components.show(
            replace(drawn, selected=part.id),
            key=session.DIAGRAM,
            on_pick=partial(clicks.take, session.DIAGRAM, session.PART),
        )
    return Shown(
        name="parts",
        title=_("The parts of the model, and {part} chosen").format(part=part.id),
        seen=_seen(part, names[part.id], described),
        recipe=recipe,
        code=[*part.code, describe],
        pictures=[picture],
        formula=part.formula,
    )


def _seen(part: Part, name: str, described: Description) -> str:
    """Say where most parameters of the model are, and what the chosen part has of them."""
    largest, share = most(described.by_group())
    whole = _("This model has **{parameters}**, **{share}** of them in {part}.").format(
        parameters=parameters(described.parameters), share=share, part=largest
    )
    chosen = _("{name} has {share} of them and does {work} of the computation.").format(
        name=plain(name),
        share=percent(part.parameters / max(1, described.parameters)),
        work=percent(part.multiply_adds / max(1, described.multiply_adds)),
    )
    return joined([whole, chosen])


def _facts(part: Part, described: Description) -> None:
    """Tabulate what one part costs, and what shapes go through it."""
    wholly_shared = part.shared and part.parameters == 0
    shared = _("shared with the source embedding") if wholly_shared else ""
    labels = translated(SHAPES)
    shapes = {
        _("shape: {name}").format(name=labels.get(name, name)): sizes(shape)
        for name, shape in part.shapes
    }
    facts = {
        _("parameters"): shared or _of_all(part.parameters, described.parameters),
        _("multiply–adds for this sentence"): _of_all(part.multiply_adds, described.multiply_adds),
        **shapes,
    }
    st.table(
        {_("what"): list(facts), _("how many"): list(facts.values())},
        border="horizontal",
        hide_index=True,
        hide_header=True,
    )
    st.caption(
        _(
            "Shapes: tokens × width; in attention heads × tokens × width. Computation: the {n} "
            "multiply–adds of the matrix products of one pass."
        ).format(n=number(described.multiply_adds))
    )


def _of_all(count: int, total: int) -> str:
    return number(count) if count == 0 else f"{number(count)}, {percent(count / total)}"
