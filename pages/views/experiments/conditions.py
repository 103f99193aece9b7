"""Under which conditions an experiment was judged, in a line below its claim."""

from collections.abc import Iterator

import streamlit as st

from core.studies.experiments.conditions import CHANCE, Conditions, Pronouns, conditions
from core.studies.experiments.experiment import WITHIN, Expected
from core.studies.experiments.findings import margin
from pages.frame.language import _, joined, listed_apart, n_, number, percent
from pages.views.experiments.question import Asked

ALIKE = 1.01
"""Variants count as equally large up to this ratio of parameters."""


def draw(asked: Asked) -> None:
    """Say how long, how often and how fast was trained, and what no variant can by then."""
    found = conditions(asked.experiment, asked.results)
    st.caption(joined([*_trained(asked, found), *_pronouns(asked, found.pronouns)]))


def _trained(asked: Asked, found: Conditions) -> Iterator[str]:
    text = n_(
        "Measured after {steps} steps, {n} seed, peak learning rate {rate}.",
        "Measured after {steps} steps, {n} seeds, peak learning rate {rate}.",
        found.seeds,
    )
    if found.before:
        text = n_(
            "Measured after {steps} steps that follow {before} of cross-entropy, {n} seed, peak "
            "learning rate {rate}.",
            "Measured after {steps} steps that follow {before} of cross-entropy, {n} seeds, peak "
            "learning rate {rate}.",
            found.seeds,
        )
    yield text.format(
        steps=number(found.steps),
        before=number(found.before),
        n=number(found.seeds),
        rate=number(found.rate, significant=2),
    )
    if asked.experiment.judges:
        yield _("Judged here: {part}.").format(part=_(asked.experiment.judges))
    fewest, most = found.parameters
    if most > ALIKE * fewest:
        yield _("Parameters differ: {fewest} to {most}.").format(
            fewest=number(fewest), most=number(most)
        )
    experiment = asked.experiment
    if experiment.untested or not margin(experiment.measure(experiment.judged_by)):
        return
    claimed = {each.expected for each in asked.trained}
    points = number(round(100 * WITHIN))
    if claimed & {Expected.LESS, Expected.AS_GOOD}:
        yield _(
            "“Lower”: the whole 95 % interval of the difference lies below 0; “as good”: it goes "
            "at most {points} percentage points below."
        ).format(points=points)
    if claimed & {Expected.MORE, Expected.NO_MORE}:
        yield _(
            "“Higher”: the whole 95 % interval of the difference lies above 0; “no higher”: it "
            "goes at most {points} percentage points above."
        ).format(points=points)


def _pronouns(asked: Asked, found: Pronouns | None) -> Iterator[str]:
    if found is None:
        return
    text = _(
        "**By then no variant knows the pronouns**: {low} to {high} of {n} right in single "
        "trainings, chance {chance}."
    )
    if len(found.known) == found.variants:
        text = _(
            "By then every variant knows the pronouns: {low} to {high} of {n} right in single "
            "trainings."
        )
    elif found.known:
        text = _(
            "By then pronouns are known in a training of {variants} alone: {low} to {high} of {n} "
            "right in single trainings, chance {chance}."
        )
    labels = [_(each.label) for each in asked.trained if each.name in found.known]
    yield text.format(
        low=percent(found.low),
        high=percent(found.high),
        n=number(found.n),
        chance=percent(CHANCE),
        variants=listed_apart(labels),
    )
