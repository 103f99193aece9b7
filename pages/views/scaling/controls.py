"""The controls of the lesson on scaling. Each returns a plain value, and keeps it in the URL."""

import streamlit as st

from core.analysis.lessons.scaling import AVERAGES, DISTRIBUTIONS, Average, Distribution
from core.analysis.lessons.scores import LARGEST
from pages.frame import address
from pages.frame.controls import amount, choice, text, words
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
    return text(_("Scores x (up to 16, with commas between them)"), SCORES, "1, 2, 3", width=340)


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
    offered = words(DISTRIBUTIONS)
    return choice(_("Components"), COMPONENTS, offered, DISTRIBUTIONS[0], labelled=True)


def samples() -> int:
    """Ask how many pairs of a query and a key are sampled."""
    return int(choice(_("Samples n"), SAMPLES, words(("30", "100", "1000")), "1000", labelled=True))


def n_keys() -> int:
    """Ask how many keys a sampled query has."""
    return int(choice(_("Keys"), KEYS, words(("2", "4", "8", "16")), "8", labelled=True))


def n_queries() -> int:
    """Ask how many queries are sampled."""
    return int(choice(_("Queries n"), QUERIES, words(("10", "30", "100")), "100", labelled=True))


def average() -> Average:
    """Ask how a number is made of those of all queries."""
    return choice(_("Over queries"), AVERAGE, words(AVERAGES), AVERAGES[0], labelled=True)


def sample_seed() -> int:
    """Ask for the seed of whatever is sampled."""
    return amount(_("Seed"), SAMPLE_SEED, 0, limits=(0, 9999))


def _choose(key: str, value: float) -> None:
    address.choose({key: value})
