"""The output layer: how the last vector of one step becomes scores, and these probabilities."""

import math
from collections.abc import Sequence

import streamlit as st

from core.decoding.output import (
    OutputLayer,
    ScoreRow,
    ScoreSum,
    output_layer,
    output_rows,
    score_sums,
)
from core.decoding.step import DecodeStep
from pages.frame import controls, session
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
    brief = session.is_brief()
    text = view_text("decoding", "output")
    temperature = 1.0 if brief else _ask_temperature(text.formula)
    if opened.run.model.config.pointer:
        st.caption(
            _(
                "This model copies words, too: z is the logarithm of a word’s whole probability, "
                "generated and copied."
            )
        )
    scoring = Recipe(output_layer, opened.writer, opened.sentence, writing, step, temperature)
    found = scoring.result()
    if found.sums and not brief:
        st.markdown(_how_scored(found))
    _table(found, temperature, with_sums=bool(found.sums) and not brief)
    return Shown(
        name=f"output-layer.{step}",
        title=_("Step {step}: from scores to probabilities, temperature {temperature}").format(
            step=number(step + 1), temperature=number(temperature, 1)
        ),
        text=text,
        recipe=scoring,
        code=[score_sums, output_rows],
        seen=_seen(found, temperature),
        pictures=above,
    )


def _ask_temperature(formula: str) -> float:
    """Ask for the temperature, beside the formula that has it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        temperature = controls.amount(
            _("Temperature τ"),
            TEMPERATURE,
            1.0,
            limits=(0.1, 5.0),
            step=0.1,
            slides=True,
            help=_(
                "The scores are divided by τ. 1: the model’s own probabilities; below 1 the first "
                "token gets more, above 1 the others do."
            ),
        )
        st.latex(formula)
    return temperature


def _seen(found: OutputLayer, temperature: float) -> str:
    """Say how far apart the first two scores are, and what the softmax makes of it."""
    (first, second), (one, other) = found.rows[:2], found.tokens[:2]
    text = _(
        "The score of **{first}** is **{gap}** above that of **{second}**. e to the power of {gap} "
        "is {times}, so it is {times} times as probable: {share} to {rest}."
    )
    if temperature != 1:
        text = _(
            "The score of **{first}** is **{gap}** above that of **{second}**. Divided by τ = "
            "{tau}, and e raised to it, that is {times} times the probability: {share} to {rest}."
        )
    gap = (first.logit or 0.0) - (second.logit or 0.0)
    return text.format(
        first=plain(one),
        second=plain(other),
        gap=number(gap, 3),
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


def _table(found: OutputLayer, temperature: float, *, with_sums: bool) -> None:
    rest = n_("{n} other", "{n} others", found.n_others)

    def written(value: float | None) -> str:
        return "" if value is None else number(value, significant=4)

    columns = {_("token"): [*map(plain, found.tokens[:-1]), rest]}
    if with_sums:
        columns[_sum_title(found)] = [*map(_written_sum, found.sums), ""]
    columns["z"] = [written(row.logit) for row in found.rows]
    largest = written(found.rows[0].scaled)
    power = f"e^(z − {largest})"
    if temperature != 1:
        columns["z / τ"] = [written(row.scaled) for row in found.rows]
        power = f"e^(z/τ − {largest})"
    columns[_("relative to the first: {power}").format(power=power)] = [
        _power(row) for row in found.rows
    ]
    # Markdown would make a quotation of "> 99.999 %".
    columns[_("p: share of the sum")] = [plain(percent(row.probability)) for row in found.rows]
    st.table(columns, border="horizontal", hide_index=True)


def _how_scored(found: OutputLayer) -> str:
    """Say how the last vector becomes a score for each token."""
    text = _(
        "**x** is the decoder’s last vector: {d} numbers, length {length}. Each token has a vector "
        "**w** of as many numbers, its row of the output matrix. Its score is their dot product, "
        "z = {score}."
    )
    return text.format(d=number(found.d_model), length=number(found.length), score=_symbols(found))


def _symbols(found: OutputLayer) -> str:
    return "x · w" if found.sums[0].bias is None else "x · w + b"


def _sum_title(found: OutputLayer) -> str:
    shown = len(found.sums[0].products)
    return _("{score}: the {k} largest products + the other {n}").format(
        score=_symbols(found), k=number(shown), n=number(found.d_model - shown)
    )


def _written_sum(score: ScoreSum) -> str:
    """Return the terms of a score, with their signs between them."""
    bias = [] if score.bias is None else [score.bias]
    terms = [*score.products, score.others, *bias]
    signed = [f"{'−' if term < 0 else '+'} {number(abs(term), 2)}" for term in terms[1:]]
    return " ".join([number(terms[0], 2), *signed])


def _power(row: ScoreRow) -> str:
    if 0 < row.exponential < LEAST_POWER:
        return f"< {number(LEAST_POWER, 4)}"
    return number(row.exponential, 4)
