"""Under which conditions an experiment was judged, below its claim."""

from collections.abc import Iterator

import streamlit as st

from core.studies.experiments.experiment import BASE, LONGER, MOST_SEEDS, RATES, SEEDS, WITHIN
from core.studies.experiments.findings import ENOUGH, learned_share
from pages.frame.controls import fold
from pages.frame.language import _, joined, listed, n_, number, percent
from pages.views.experiments.question import Asked


def draw(asked: Asked) -> None:
    """Say how long, how often and how fast was trained, and what of the claim is judged."""
    st.caption(joined(_conditions(asked)))
    fold(_("How a claim is judged"), "protocol", lambda: st.markdown(_protocol()), compact=True)


def _conditions(asked: Asked) -> Iterator[str]:
    experiment = asked.experiment
    base = experiment.variant(BASE)
    text = n_(
        "Measured after {steps} steps, {n} seed, peak learning rate {rate}.",
        "Measured after {steps} steps, {n} seeds, peak learning rate {rate}.",
        asked.results.n_seeds[1],
        asked.n_seeds,
    )
    rate = asked.results.rates[BASE] * experiment.peak_rate(base)
    yield text.format(steps=number(asked.steps), rate=number(rate, significant=2))
    share = learned_share(experiment, asked.results)
    if share is not None:
        text = _("“{base}” has {share} of what it reaches in {times} times as many steps.")
        yield text.format(base=_(base.label), share=percent(share), times=number(LONGER))
    if experiment.judges:
        yield _("Judged here: {part}.").format(part=_(experiment.judges))


def _protocol() -> str:
    """Return the rules by which every claim is judged, in Markdown."""
    rules = (
        _(
            "Each variant is trained with {rates} times the learning rate of the question, and "
            "judged with the best of them on held-out sentences: by the loss, or by the steps or "
            "the right sentences that the claim is about."
        ),
        _(
            "All variants have the same number of steps. The base is trained {times} times as "
            "long, too: if it has not reached {enough} of that after the usual steps, the claim "
            "stays undecided."
        ),
        _(
            "Each variant is trained with {few} seeds, and with {many} where the interval of "
            "{few} allows both answers; some of these trainings are still to come."
        ),
        _(
            "A claim is borne out or refuted if the whole 95 % interval of the difference agrees. "
            "“As good” means at most {within} points worse. Everything else is undecided."
        ),
    )
    rates = listed(number(rate, 1) for rate in RATES)
    values = {
        "rates": rates,
        "times": number(LONGER),
        "enough": percent(ENOUGH),
        "few": number(SEEDS),
        "many": number(MOST_SEEDS),
        "within": number(round(100 * WITHIN)),
    }
    return "\n".join(f"- {rule.format(**values)}" for rule in rules)
