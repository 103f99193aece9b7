"""The answer to the question of an experiment, by whether its claim holds."""

from core.studies.experiments.experiment import Experiment
from pages.frame.language import _
from pages.frame.texts import toml


def of_claim(experiment: Experiment, *, holds: bool) -> str:
    """Return the answer of `pages/texts/<language>/answers.toml`, and the verdict."""
    answer = toml("answers")[experiment.name]["holds" if holds else "fails"]
    verdict = _("The claim is borne out.") if holds else _("The claim is refuted.")
    return f"**{answer}** {verdict}"
