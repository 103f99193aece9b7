"""What decodes a sentence in two ways at each step, folded below the stepper."""

from collections.abc import Sequence

import streamlit as st

from core.evaluate.side_by_side import Side, TwoDecodings
from pages.frame import charts, controls
from pages.frame.language import _
from viz.charts.curves import Quantity, curves
from viz.component.standalone import Drawn

_HEIGHT = 260
"""Of a chart, in pixels."""


def draw(decodings: TwoDecodings, *, is_own: bool) -> list[Drawn]:
    """Draw the inputs of each step, and how far the two sides part; return the open pictures.

    Args:
        decodings: Both sides.
        is_own: Whether the reference is what the model writes itself.
    """
    pictures: list[Drawn] = []

    def draw_curves() -> None:
        pictures.extend(_curves(decodings, is_own=is_own))

    controls.fold(_("Inputs per step"), "inputs", lambda: _inputs(decodings, is_own=is_own))
    controls.fold(_("How far the two sides part"), "apart", draw_curves)
    return pictures


def _inputs(decodings: TwoDecodings, *, is_own: bool) -> None:
    free, forced = decodings.sides["free"], decodings.sides["forced"]
    n_steps = max(len(free.steps), len(forced.steps))
    true = [_text(forced, step, figures.true) for step, figures in enumerate(forced.figures)]
    columns: dict[str, Sequence[object]] = {
        _("step"): list(range(1, n_steps + 1)),
        _("fed when free"): _prefixes(free),
        _("appended"): [
            _text(free, step, figures.predicted) for step, figures in enumerate(free.figures)
        ],
        _("fed when forced"): _prefixes(forced),
        _("reference, next") if is_own else _("true next"): true,
    }
    padded = {name: [*each, *[""] * (n_steps - len(each))] for name, each in columns.items()}
    st.dataframe(padded, hide_index=True, alt=_("Inputs per step"))


def _prefixes(side: Side) -> list[str]:
    """Return what each step was fed."""
    n_before = len(side.fed) - len(side.steps) + 1
    words = [token.text for token in side.fed]
    return [" ".join(words[: n_before + step]) for step in range(len(side.steps))]


def _text(side: Side, step: int, token: int | None) -> str:
    """Return the text of a token that is listed for a step."""
    return "" if token is None else side.named[step][side.figures[step].tokens.index(token)].text


def _curves(decodings: TwoDecodings, *, is_own: bool) -> list[Drawn]:
    names = {"free": _("free running"), "forced": _("teacher forcing")}
    of_true = {
        names[name]: [
            each.true_probability for each in side.figures if each.true_probability is not None
        ]
        for name, side in decodings.sides.items()
    }
    probability = _("probability of the true token")
    if is_own:
        probability = _("probability of the reference’s token")
    kl, step = _("KL(forced ‖ free), nats"), Quantity(_("step"))
    at = range(1, max(map(len, of_true.values())) + 1)
    drawn = (
        curves({kl: decodings.divergence}, x=step, y=Quantity(kl), at=at, title=kl),
        curves(of_true, x=step, y=Quantity(probability, share=True), at=at, title=probability),
    )
    return charts.charts(st.columns(2), (each.properties(height=_HEIGHT) for each in drawn))
