"""What is measured of a trained variant beside its share of right sentences and its loss."""

from collections.abc import Callable
from dataclasses import dataclass

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import after_mistake
from core.messages import N_
from core.runs.records import read_rows
from core.runs.run import Run

EXACT_MATCH = "exact_match"
"""The measure that every experiment has."""
LEARNED = 0.95
"""Share of right sentences from which on a task counts as learned."""
N_FORCED = 400
"""Held-out sentences in which a mistake is forced."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a trained run."""

    name: str
    """In files."""
    label: str
    """What people call it; marked for translation."""
    of: Callable[[Run], float | None]
    """Measures it; None for a run that has no such figure."""
    share: bool = False
    """Whether it is a share, which is written in percent."""


def _steps_to_learn(run: Run) -> float | None:
    key = "held_out_exact_match"
    reached = [row["step"] for row in read_rows(run.path) if row.get(key, 0.0) >= LEARNED]
    return float(reached[0]) if reached else None


def _after_mistake(run: Run) -> float:
    return after_mistake(run.model, held_out_pairs(run, N_FORCED, 0)).accuracy


def _bleu(run: Run) -> float | None:
    return None if run.evaluation is None else float(run.evaluation["bleu"])


def _tokens(run: Run) -> float:
    """Return the mean number of tokens of a held-out target, END included."""
    pairs = held_out_pairs(run, N_FORCED, 0)
    return sum(len(pair.target) - 1 for pair in pairs) / len(pairs)


STEPS_TO_LEARN = Measure("steps_to_learn", N_("steps to 95 % exact match"), _steps_to_learn)
AFTER_MISTAKE = Measure(
    "after_mistake", N_("tokens right after a forced mistake"), _after_mistake, share=True
)
BLEU = Measure("bleu", N_("BLEU"), _bleu)
TOKENS = Measure("tokens", N_("tokens of a target"), _tokens)
