"""The output layer: how the scores of one step become probabilities."""

import math
from collections.abc import Sequence

import streamlit as st

from core.decoding.output import OutputLayer, ScoreRow, output_layer, output_rows
from core.decoding.step import DecodeStep
from pages.frame import controls
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown
from viz.component.standalone import Drawn

TEMPERATURE = "output_temperature"
LEAST_POWER = 1e-4
"""A smaller power of e is only said to be smaller; the files have it whole."""


def draw(
    opened: Opened, writing: Recipe[Sequence[DecodeStep]], step: int, above: Sequence[Drawn] = ()
) -> Shown:
    """Tabulate the most probable tokens of a step from score to probability.

    Args:
        opened: The run and the sentence.
        writing: Computes the steps of the decoding.
        step: The number of the step, from 0.
        above: The pictures above the table.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        temperature = controls.amount(
            _("Temperature τ"), TEMPERATURE, 1.0, limits=(0.1, 5.0), step=0.1, slides=True
        )
        text = view_text("decoding", "output")
        st.latex(text.formula)
    if opened.run.model.config.pointer:
        st.caption(
            _(
                "This model copies words, too: z is the logarithm of a word’s whole probability, "
                "generated and copied."
            )
        )
    scoring = Recipe(output_layer, opened.path, writing, step, temperature)
    found = scoring.result()
    _table(found, temperature)
    return Shown(
        name=f"output-layer.{step}",
        title=_("Step {step}: from scores to probabilities, temperature {temperature}").format(
            step=number(step + 1), temperature=number(temperature, 1)
        ),
        text=text,
        recipe=scoring,
        code=[output_rows],
        seen=_seen(found, temperature),
        pictures=above,
    )


def _seen(found: OutputLayer, temperature: float) -> str:
    """Say how far apart the first two scores are, and what the softmax makes of it."""
    (first, second), (one, other) = found.rows[:2], found.tokens[:2]
    text = _(
        "The score of **{first}** is **{gap}** above that of **{second}**. Divided by τ = {tau}, "
        "and e raised to it, that is {times} times the probability: {share} to {rest}."
    )
    gap = (first.logit or 0.0) - (second.logit or 0.0)
    return text.format(
        first=plain(one),
        second=plain(other),
        gap=number(gap, 2),
        tau=number(temperature, 1),
        times=_many(math.exp(min(gap / temperature, 700.0))),
        share=plain(percent(first.probability)),
        rest=plain(percent(second.probability)),
    )


def _many(times: float) -> str:
    """Return how many times, without an exponent as long as that can be read.

    >>> _many(1934.2), _many(2.5), _many(3.2e12)
    ('1,934', '2.5', '3.2e+12')
    """
    if 1000 <= times < 1e9:
        return number(round(times))
    return number(times, significant=2, padded=False)


def _table(found: OutputLayer, temperature: float) -> None:
    rest = n_("{n} other", "{n} others", found.n_others).format(n=number(found.n_others))

    def written(value: float | None) -> str:
        return "" if value is None else number(value, significant=4)

    columns = {
        _("token"): [*map(plain, found.tokens[:-1]), rest],
        "z": [written(row.logit) for row in found.rows],
    }
    power = "e^z"
    if temperature != 1:
        columns["z / τ"] = [written(row.scaled) for row in found.rows]
        power = "e^(z/τ)"
    columns[_("{power}, largest = 1").format(power=power)] = [_power(row) for row in found.rows]
    # Markdown would make a quotation of "> 99.999 %".
    columns["p"] = [plain(percent(row.probability)) for row in found.rows]
    st.table(columns, border="horizontal", hide_index=True)


def _power(row: ScoreRow) -> str:
    if 0 < row.exponential < LEAST_POWER:
        return f"< {number(LEAST_POWER, 4)}"
    return number(row.exponential, 4)
