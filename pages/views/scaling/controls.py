"""The controls of the lesson on scaling. Each returns a plain value, and keeps it in the URL."""

import streamlit as st

from core.analysis.lessons.scaling import AVERAGES, DISTRIBUTIONS, Average, Distribution
from core.analysis.lessons.scores import LARGEST
from pages.frame import session
from pages.frame.controls import amount, choice
from pages.frame.text import _

SIZE, SCORES, FACTOR, COMPONENTS = "a", "scores", "factor", "components"
SAMPLES, SAMPLE_SEED, KEYS, QUERIES, AVERAGE = (
    "samples",
    "sample_seed",
    "keys",
    "queries",
    "average",
)


def size() -> float:
    """Ask for a in softmax([a, a, 2a])."""
    return amount("a", SIZE, 1.0, limits=(-LARGEST, LARGEST))


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
    chosen = amount(_("Factor"), FACTOR, 1.0, limits=(0.0, 1000.0))
    for name, value in (("× 1", 1.0), (f"× √d_k = {root:.3g}", root), ("× 100", 100.0)):
        st.button(
            name, key=f"factor {name}", type="tertiary", on_click=_choose, args=(FACTOR, value)
        )
    return chosen


def components() -> Distribution:
    """Ask how the components of sampled vectors are distributed."""
    return choice(_("Components"), COMPONENTS, DISTRIBUTIONS, DISTRIBUTIONS[0])


def samples() -> int:
    """Ask how many pairs of a query and a key are sampled."""
    return int(choice(_("Samples n"), SAMPLES, ("30", "100", "1000"), "1000"))


def n_keys() -> int:
    """Ask how many keys a sampled query has."""
    return int(choice(_("Keys"), KEYS, ("2", "4", "8", "16"), "8"))


def n_queries() -> int:
    """Ask how many queries are sampled."""
    return int(choice(_("Queries n"), QUERIES, ("10", "30", "100"), "100"))


def average() -> Average:
    """Ask how a number is made of those of all queries."""
    return choice(_("Over queries"), AVERAGE, AVERAGES, AVERAGES[0])


def sample_seed() -> int:
    """Ask for the seed of whatever is sampled."""
    return amount(_("Seed"), SAMPLE_SEED, 0, limits=(0, 9999))


def _choose(key: str, value: float) -> None:
    session.choose({key: value})
