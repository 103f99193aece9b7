"""What goes with what in an experiment: runs that differ in guidance, sentences of equal length."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.analysis.comparison import most_alike
from core.analysis.intervals import wilson
from core.analysis.interventions import BeforeAfter, before_after
from core.decoding.sentence import fitting_source
from core.model import Silence, Site
from core.run import Run, RunSettings


def counterparts(settings: RunSettings, others: Mapping[str, RunSettings]) -> list[str]:
    """Return the runs of the same task and sizes that were guided where this one was not.

    Args:
        settings: Of a run, guided or free.
        others: Name → settings of all runs.

    Returns:
        Names; first those whose training differs in nothing but guidance.
    """
    fitting = [
        name
        for name, other in others.items()
        if (other.task, other.model) == (settings.task, settings.model)
        and bool(other.training.guide) != bool(settings.training.guide)
    ]
    return sorted(fitting, key=lambda name: _unguided(others[name]) != _unguided(settings))


def _unguided(settings: RunSettings) -> object:
    return replace(settings.training, guide="", guide_weight=0.0)


def length(run: Run, sentence: str) -> int:
    """Return how many tokens the encoder reads, EOS counted.

    Raises:
        SentenceError: There is no text.
    """
    return len(fitting_source(run, sentence)[0])


def alike_in_length(run: Run, sentence: str, others: Sequence[str]) -> str:
    """Return, of other sentences with as many tokens, the most similar; empty if there is none.

    Raises:
        SentenceError: There is no text.
    """
    n = length(run, sentence)
    fitting = [other for other in others if other != sentence and length(run, other) == n]
    return most_alike(sentence, fitting) if fitting else ""


def silenced_outcome(run: Run, sentence: str, site: Site, head: int) -> BeforeAfter:
    """Translate a sentence with the model as it is, and with one head silenced.

    Raises:
        SentenceError: There is no text.
    """
    return before_after(run, sentence, Silence.of([(site, head)]))


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share of `n` that was measured."""
    return wilson(round(share * n), n)
