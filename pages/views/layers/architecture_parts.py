"""The layers lesson: the parts of the model, and how many parameters they have."""

import streamlit as st

from core.model.description import Description, describe
from core.model.paper import TABLE_3
from core.model.part import Part
from pages.frame import clicks, lesson, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.architecture import drawing, sizes
from pages.frame.charts import chart
from pages.frame.components import architecture
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from viz.charts.bars import bars
from viz.charts.curves import Quantity


def parts_of_model(opened: Opened) -> None:
    """Draw the architecture with one part chosen, and say what there is to know of it."""
    inspection = opened.inspection
    described = describe(
        opened.run.model, len(inspection.source_tokens), len(inspection.fed_tokens)
    )
    left, right = st.columns([6, 5], gap="large")
    with right:
        part = described.part(lesson_controls.part(described.ids, described.sublayers[0].id))
        _facts(part, described)
    with left:
        architecture(drawing(described, part.id), key=session.DIAGRAM, on_pick=clicks.take_part)
    lesson.explained(
        Explanation(
            formula=part.formula,
            tries=(
                _("Click through a layer from the bottom up: what goes in comes out as wide."),
                _(
                    "Type a longer sentence: scores grow with the square of its length, parameters "
                    "do not grow at all."
                ),
                _(
                    "Compare cross-attention with self-attention: the same weights in number, keys "
                    "and values from another sequence."
                ),
            ),
            code=part.code,
        )
    )


def _facts(part: Part, described: Description) -> None:
    """Say what one part costs, and what shapes go through it."""
    parameters, work = described.parameters, described.multiply_adds
    wholly_shared = part.shared and part.parameters == 0
    shared = _("shared with the source embedding") if wholly_shared else ""
    st.table(
        {
            _("what"): [
                _("parameters"),
                _("multiply–adds for this sentence"),
                *(
                    _("shape: {name}").format(name=name.replace("_", " "))
                    for name, _s in part.shapes
                ),
            ],
            _("how many"): [
                shared or _of_all(part.parameters, parameters),
                _of_all(part.multiply_adds, work),
                *(sizes(shape) for name, shape in part.shapes),
            ],
        },
        border="horizontal",
        hide_index=True,
        hide_header=True,
    )
    st.caption(
        _(
            "The whole model: {parameters:,} parameters, {work:,} multiply–adds for one pass. Only "
            "matrix products are counted as work."
        ).format(parameters=parameters, work=work)
    )


def _of_all(count: int, total: int) -> str:
    return f"{count:,}" if count == 0 else f"{count:,} ({percent(count / total)})"


def counts(opened: Opened) -> None:
    """Show how many parameters each kind of part has, here and in the paper's models."""
    own = opened.run.settings.model
    names = [opened.path.name, *(row.name for row in TABLE_3)]
    configs = [own, *(row.config for row in TABLE_3)]
    described = [describe(config, 1, 1) for config in configs]
    groups = [each.by_group() for each in described]
    totals = [sum(each.values()) for each in groups]
    share = lesson_controls.as_share()
    series = {
        _(group): [
            each[group] / (total if share else 1e6)
            for each, total in zip(groups, totals, strict=True)
        ]
        for group in groups[0]
    }
    chart(
        bars(
            series,
            names,
            value=Quantity(_("share of the parameters"), share=True)
            if share
            else Quantity(_("millions of parameters")),
            title=_("Parameters of this model and of the paper's, by kind of part"),
            stacked=True,
        )
    )
    st.caption(
        _(
            "The paper's models with a joint vocabulary of 41,000 pieces, with which all ten "
            "counts published for base, B and C come out; “big” fits neither this nor the 37,000 "
            "usually quoted. Perplexity and BLEU are the paper's, on newstest2013."
        )
    )
    table = {
        _("model"): [plain(names[0]), *names[1:]],
        _("millions"): [f"{total / 1e6:.1f}" for total in totals],
        _("published"): ["", *(str(row.millions or "") for row in TABLE_3)],
        _("perplexity"): ["", *(f"{row.perplexity:.2f}" for row in TABLE_3)],
        "BLEU": ["", *(f"{row.bleu:.1f}" for row in TABLE_3)],
        "dropout": [f"{config.dropout:g}" for config in configs],
        "ε_ls": [
            f"{opened.run.settings.training.label_smoothing:g}",
            *(f"{row.label_smoothing:g}" for row in TABLE_3),
        ],
        _("steps"): [
            f"{opened.run.settings.training.steps:,}",
            *(f"{row.steps:,}" for row in TABLE_3),
        ],
    }
    lesson.numbers(
        "parameters",
        {
            "model": names,
            **{group: [each[group] for each in groups] for group in groups[0]},
            "published, millions": ["", *(row.millions or "" for row in TABLE_3)],
            "perplexity": ["", *(row.perplexity for row in TABLE_3)],
            "BLEU": ["", *(row.bleu for row in TABLE_3)],
        },
    )
    with st.expander(_("The whole table")):
        st.table(table, border="horizontal", hide_index=True)
    lesson.explained(
        Explanation(
            formula=_count_formulas(described[0]),
            tries=(
                _("Rows A: the number of heads changes no count, as long as h·d_k stays d_model."),
                _("Rows B: narrower keys and queries save little, and cost quality."),
                _("Rows D: no label smoothing has the better perplexity and the worse BLEU."),
            ),
            code=(describe, Description.by_group),
        )
    )


def _count_formulas(described: Description) -> str:
    """Return how many numbers a part of each group learns, in LaTeX."""
    found = {part.group: part.count for part in described.parts if part.count}
    return r", \qquad ".join(rf"\text{{{_(group)}: }} {count}" for group, count in found.items())
