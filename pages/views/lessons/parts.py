"""The parts of the model: their shapes, their parameters, their work."""

from functools import partial

import streamlit as st

from core.describe import Description, describe
from core.describe.parts import Part
from core.studies.lessons.of_sentence import sentence_parts
from pages.frame import clicks, controls, session
from pages.frame.components import architecture
from pages.frame.language import N_, _, n_, number, percent, plain, translated
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons.architecture import drawing, sizes

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
    """Draw the architecture with one part chosen, and say what there is to know of it."""
    recipe = Recipe(sentence_parts, opened.path, opened.sentence)
    described = recipe.result().described
    left, right = st.columns([6, 5], gap="large")
    with right:
        offered = {name: name for name in described.ids}
        usual = described.sublayers[0].id
        part = described.part(controls.selection(_("Part"), session.PART, offered, usual))
        _facts(part, described)
    with left:
        picture = architecture(
            drawing(described, part.id),
            key=session.DIAGRAM,
            on_pick=partial(clicks.take, session.DIAGRAM, session.PART),
        )
    return Shown(
        name="parts",
        title=_("The parts of the model, and {part} chosen").format(part=part.id),
        seen=_seen(part, described),
        recipe=recipe,
        code=[*part.code, describe],
        pictures=[picture],
        formula=part.formula,
    )


def _seen(part: Part, described: Description) -> str:
    """Say which share of the parameters and of the work a part has."""
    text = _(
        "**{name}** ({part}) has {parameters} of the model's parameters and does **{work}** of its "
        "work on this sentence."
    )
    return text.format(
        name=plain(_(part.label)),
        part=plain(part.id),
        parameters=f"**{percent(part.parameters / max(1, described.parameters))}**",
        work=percent(part.multiply_adds / max(1, described.multiply_adds)),
    )


def _facts(part: Part, described: Description) -> None:
    """Say what one part costs, and what shapes go through it."""
    parameters, work = described.parameters, described.multiply_adds
    wholly_shared = part.shared and part.parameters == 0
    shared = _("shared with the source embedding") if wholly_shared else ""
    shapes = translated(SHAPES)
    st.table(
        {
            _("what"): [
                _("parameters"),
                _("multiply–adds for this sentence"),
                *(
                    _("shape: {name}").format(name=shapes.get(name, name))
                    for name, _shape in part.shapes
                ),
            ],
            _("how many"): [
                shared or _of_all(part.parameters, parameters),
                _of_all(part.multiply_adds, work),
                *(sizes(shape) for _name, shape in part.shapes),
            ],
        },
        border="horizontal",
        hide_index=True,
        hide_header=True,
    )
    st.caption(
        n_(
            "The whole model: {parameters} parameter, {work} multiply–adds for one pass. "
            "Only matrix products are counted as work.",
            "The whole model: {parameters} parameters, {work} multiply–adds for one pass."
            " Only matrix products are counted as work.",
            parameters,
        ).format(parameters=number(parameters), work=number(work))
    )


def _of_all(count: int, total: int) -> str:
    return number(count) if count == 0 else f"{number(count)}, {percent(count / total)}"
