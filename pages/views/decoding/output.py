"""The output layer: how the scores of one step become probabilities."""

import math
from collections.abc import Sequence

import streamlit as st

from core.decoding.output import ScoreRow, output_rows
from pages.frame import cached, controls, session
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.decoding import branches, methods, seen

TEMPERATURE = "output_temperature"
LEAST_POWER = 1e-4
"""A smaller power of e is only said to be smaller; the files have it whole."""
SOFTMAX = r"p_i = \frac{e^{z_i / \tau}}{\sum_j e^{z_j / \tau}}"


def draw(opened: Opened) -> Shown | None:
    """Tabulate the most probable tokens of a step from score to probability."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = methods.ask()
    if method is None:
        return None
    overrides = branches.chosen(opened, method)
    free = cached.decoded(opened.path, opened.sentence, method, overrides)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        usual = seen.step_of(opened, free, overrides)
        branches.keep_step(opened, method, free)
        step = controls.amount(
            _("Step"),
            session.DECODING_STEP,
            usual,
            limits=(0, len(free) - 1),
            of=branches.owner(opened, method),
        )
        temperature = controls.amount(
            _("Temperature τ"), TEMPERATURE, 1.0, limits=(0.1, 5.0), step=0.1, slides=True
        )
        st.latex(SOFTMAX)
    if opened.run.model.config.pointer:
        st.caption(
            _(
                "This model copies words, too: z is the logarithm of a word’s whole probability, "
                "generated and copied."
            )
        )
    rows = output_rows(free[step].logits_V, temperature)
    names = _names(opened, rows)
    _table(rows, names, len(free[step].logits_V))
    return Shown(
        name=f"output-layer.{step}",
        title=_("Step {step}: from scores to probabilities, temperature {temperature}").format(
            step=number(step), temperature=number(temperature, 1)
        ),
        numbers=lambda: _numbers(rows, names),
        python=methods.decoding(
            opened, method, overrides, "from core.decoding.output import output_rows"
        )
        + _lines(step, temperature),
        seen=_seen(rows, names, temperature),
        code=[output_rows],
        formula=SOFTMAX,
        how_to_read=_(
            "Each row is a token. Its score **z** is what the output layer says of it; divided by "
            "the temperature **τ** and raised to a power of e, it becomes positive; divided by the "
            "sum of all tokens it becomes a probability **p**. The largest score is subtracted "
            "first: that changes no probability, and keeps the powers finite."
        ),
        tries=[
            _("Lower the temperature: the most probable token takes everything."),
            _("Raise it to 5: the probabilities even out, but their order stays."),
            _("Find a step at which the model is undecided: its first two scores are close."),
        ],
    )


def _seen(rows: Sequence[ScoreRow], names: Sequence[str], temperature: float) -> str:
    """Say how far apart the first two scores are, and what the softmax makes of it."""
    (first, second), (one, other) = rows[:2], names[:2]
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


def _table(rows: Sequence[ScoreRow], names: Sequence[str], n_tokens: int) -> None:
    others = n_tokens - len(rows) + 1
    rest = n_("{n} other", "{n} others", others).format(n=number(others))
    st.table(
        {
            _("token"): [*map(plain, names[:-1]), rest],
            "z": [_written(row.logit) for row in rows],
            "z / τ": [_written(row.scaled) for row in rows],
            "e^(z/τ − max)": [_power(row.exponential) for row in rows],
            # Markdown would make a quotation of "> 99.999 %".
            "p": [plain(percent(row.probability)) for row in rows],
        },
        border="horizontal",
        hide_index=True,
    )


def _written(value: float | None) -> str:
    return "" if value is None else number(value, significant=4)


def _power(value: float | None) -> str:
    if value is not None and 0 < value < LEAST_POWER:
        return f"< {number(LEAST_POWER, 4)}"
    return "" if value is None else number(value, 4)


def _names(opened: Opened, rows: Sequence[ScoreRow]) -> list[str]:
    """Return the tokens' texts; that of the others is empty."""
    ids = [row.token for row in rows if row.token is not None]
    return [*(token.text for token in opened.run.target_tokenizer.describe_alone(ids)), ""]


def _numbers(rows: Sequence[ScoreRow], names: Sequence[str]) -> Columns:
    return {
        "token_id": [row.token for row in rows],
        "token": names,
        "z": [row.logit for row in rows],
        "scaled": [row.scaled for row in rows],
        "exponential": [row.exponential for row in rows],
        "probability": [row.probability for row in rows],
    }


def _lines(step: int, temperature: float) -> str:
    lines = [
        f"rows = output_rows(free[{step}].logits_V, {temperature})",
        "numbers = {",
        '    "z": [row.logit for row in rows],',
        '    "scaled": [row.scaled for row in rows],',
        '    "exponential": [row.exponential for row in rows],',
        '    "probability": [row.probability for row in rows],',
        "}",
        "",
    ]
    return "\n".join(lines)
