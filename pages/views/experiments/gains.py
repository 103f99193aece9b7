"""What variants gain over the weights that they all begin with: as a chart and in words."""

from collections.abc import Callable, Sequence

from core.studies.experiments.experiment import Experiment
from core.studies.experiments.measures import EXACT_MATCH, Measure
from core.studies.experiments.results import Results
from core.studies.experiments.verdicts import Gain, Verdict, best_gain, gains
from pages.frame.language import _, capitalised, joined, listed_apart, n_, number
from pages.views.experiments.claims import of_claim
from viz.charts.curves import Chart, Quantity
from viz.charts.intervals import Measured, intervals


def of(experiment: Experiment, results: Results, measure: str) -> list[Gain]:
    """Return what each variant gained; nothing where they do not all begin with one."""
    found = gains(experiment, results, measure)
    return found if len(found) > 1 else []


def chart(
    experiment: Experiment, results: Results, measure: Measure | None, write: Callable[[float], str]
) -> Chart:
    """Draw each variant's gain over its own start, which is the zero line.

    Args:
        experiment: One for which `of` returns something.
        results: Its trainings.
        measure: The measure; None for right sentences, in percentage points.
        write: Writes the measure itself.
    """
    name, label, scale = _gained(measure)
    found = of(experiment, results, name)
    start = experiment.start
    things = []
    for each in found:
        row = _(each.variant.label)
        if each.variant == start:
            own = write(results.estimate(start.name, name).mean)
            row = _("{variant} ({value})").format(variant=row, value=own)
            things.append(Measured(row, 0.0, float("-inf"), float("inf")))
            continue
        more = each.more
        mean, low, high = (scale * value for value in (more.mean, more.low, more.high))
        things.append(Measured(row, mean, low, high, [scale * one for one in each.of_seeds]))
    unit = _("{measure}, percentage points") if scale > 1 else "{measure}"
    n = len(results.seeds)
    title = n_(
        "{measure} gained over its own start: {n} training of each",
        "{measure} gained over its own start: mean of {n} trainings of each, 95 % interval",
        n,
    )
    return intervals(
        things,
        value=Quantity(
            _("gained: {measure}").format(measure=unit.format(measure=label)),
        ),
        of_each=_("training with seed"),
        write=_signed,
        title=title.format(measure=capitalised(label), n=number(n)),
        compared=[each.variant for each in found].index(start) if start else 0,
    )


def _gained(measure: Measure | None) -> tuple[str, str, int]:
    """Return a measure's name and label, and 100 where percentage points are gained, else 1."""
    if measure is None:
        return EXACT_MATCH, _("sentences right"), 100
    return measure.name, _(measure.label), 100 if measure.share else 1


def _signed(value: float) -> str:
    return number(value, 1, signed=True) if value else number(0)


def seen(
    experiment: Experiment,
    results: Results,
    measure: Measure | None,
    write: Callable[[float], str],
    *,
    judged: bool,
) -> str:
    """Say in Markdown what the gains mean, then what they are; nothing where there are none.

    Args:
        experiment: Which.
        results: Its trainings.
        measure: The measure; None for right sentences, in percentage points.
        write: Writes the measure itself.
        judged: Whether the claim is about this measure; others get no verdict.
    """
    name, label, scale = _gained(measure)
    found, start = of(experiment, results, name), experiment.start
    if not found or start is None:
        return ""
    one = _("{variant} **{value}**")
    values = listed_apart(
        one.format(variant=_(each.variant.label), value=_signed(scale * each.more.mean))
        for each in found
        if each.variant != start
    )
    text = _("{measure} gained over its own start ({start} on average): {values}.")
    if scale > 1:
        text = _(
            "{measure} gained over its own start ({start} on average), in percentage points: "
            "{values}."
        )
    said = text.format(
        measure=capitalised(label),
        start=write(results.estimate(start.name, name).mean),
        values=values,
    )
    means = _meaning if judged else _beside
    return joined([*means(experiment, results, name), said])


def _meaning(experiment: Experiment, results: Results, measure: str) -> Sequence[str]:
    """Say in a sentence whether what is claimed to help does, and more than the base."""
    if (best := best_gain(experiment, results, measure)) is None:
        return []
    if best.than_control is not Verdict.HOLDS:
        said = _("**Undecided**: a constant reward may help as much.")
    elif best.than_base is Verdict.HOLDS:
        said = of_claim(experiment, holds=True)
    elif best.than_base is Verdict.FAILS:
        said = of_claim(experiment, holds=False)
    else:
        said = _(
            "**Undecided**: the reward helps more than a constant one, but not measurably more "
            "than as many updates of cross-entropy."
        )
    return [said]


def _beside(experiment: Experiment, results: Results, measure: str) -> Sequence[str]:
    """Say in a sentence how the best gain of a measure compares that nothing is claimed of."""
    if (best := best_gain(experiment, results, measure)) is None:
        return []
    match best.than_base:
        case Verdict.HOLDS:
            said = _("The reward helps **more** than as many updates of cross-entropy.")
        case Verdict.FAILS:
            said = _("The reward helps **less** than as many updates of cross-entropy.")
        case _:
            said = _(
                "Between the reward and as many updates of cross-entropy **no difference** is "
                "shown."
            )
    return [said]
