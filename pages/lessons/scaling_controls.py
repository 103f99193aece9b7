"""The controls of the lesson on scaling. Each returns a plain value, and keeps it in the URL."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from core.analysis.scaling import AVERAGES, DISTRIBUTIONS, Average, Distribution
from core.analysis.scores import LARGEST
from pages.shared import session
from pages.shared.text import _

SIZE, SCORES, FACTOR, COMPONENTS = "a", "scores", "factor", "components"
SAMPLES, SAMPLE_SEED, KEYS, QUERIES, AVERAGE = (
    "samples",
    "sample_seed",
    "keys",
    "queries",
    "average",
)
Chosen = TypeVar("Chosen", bound=str)
Amount = TypeVar("Amount", int, float)


def size() -> float:
    """Ask for a in softmax([a, a, 2a])."""
    return _number("a", SIZE, default=1.0, low=-LARGEST, high=LARGEST, step=1.0)


def scores() -> str:
    """Ask for scores."""
    session.recall(SCORES)
    typed = st.text_input(
        _("Scores x (up to 16, with commas between them)"),
        value="1, 2, 3",
        key=SCORES,
        bind="query-params",
        width=340,
    )
    session.remember(SCORES, typed)
    return str(typed or "")


def factor(root: float) -> float:
    """Ask what the scores are multiplied with.

    Args:
        root: √d_k of the loaded model, one click away.
    """
    chosen = _number(_("Factor"), FACTOR, default=1.0, low=0.0, high=1000.0, step=1.0)
    for name, value in (("× 1", 1.0), (f"× √d_k = {root:.3g}", root), ("× 100", 100.0)):
        st.button(
            name, key=f"factor {name}", type="tertiary", on_click=_choose, args=(FACTOR, value)
        )
    return chosen


def components() -> Distribution:
    """Ask how the components of sampled vectors are distributed."""
    return _choice(_("Components"), COMPONENTS, DISTRIBUTIONS, DISTRIBUTIONS[0])


def samples() -> int:
    """Ask how many pairs of a query and a key are sampled."""
    return int(_choice(_("Samples n"), SAMPLES, ("30", "100", "1000"), "1000"))


def n_keys() -> int:
    """Ask how many keys a sampled query has."""
    return int(_choice(_("Keys"), KEYS, ("2", "4", "8", "16"), "8"))


def n_queries() -> int:
    """Ask how many queries are sampled."""
    return int(_choice(_("Queries n"), QUERIES, ("10", "30", "100"), "100"))


def average() -> Average:
    """Ask how a number is made of those of all queries."""
    return _choice(_("Over queries"), AVERAGE, AVERAGES, AVERAGES[0])


def sample_seed() -> int:
    """Ask for the seed of whatever is sampled."""
    return int(_number(_("Seed"), SAMPLE_SEED, default=0, low=0, high=9999, step=1))


def _choice(label: str, key: str, offered: Sequence[Chosen], default: Chosen) -> Chosen:
    session.recall(key, offered)
    # Shown without words around it, because what is shown is what stands in the URL.
    chosen = st.segmented_control(
        label, offered, default=default, required=True, key=key, bind="query-params"
    )
    session.remember(key, chosen)
    return default if chosen is None else chosen


def _number(
    label: str, key: str, *, default: Amount, low: Amount, high: Amount, step: Amount
) -> Amount:
    session.recall(key)
    chosen = st.number_input(
        label,
        low,
        high,
        default,
        step,
        format="%d" if isinstance(default, int) else "%.6g",
        key=key,
        bind="query-params",
        width=150,
    )
    session.remember(key, chosen)
    return default if chosen is None else chosen


def _choose(key: str, value: float) -> None:
    session.choose({key: value})
