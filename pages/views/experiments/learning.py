"""How the variants of an experiment learned: step by step, and layer by layer."""

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from core.studies.attribution.encoder_gradients import AtLayer, by_layer
from core.studies.experiments.findings import VANISHED
from core.studies.experiments.results import Results, of_curves, of_layers
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import charts, controls
from pages.frame.language import (
    N_,
    _,
    capitalised,
    joined,
    listed,
    listed_apart,
    n_,
    number,
    percent,
)
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.experiments import claims, question
from pages.views.experiments.question import Asked, extremes
from viz.charts.curves import Quantity, curves
from viz.component.standalone import Drawn

BY, MEASURE, MOMENT = "learning_by", "experiment_measure", "layers_of"
"""In the URL: what the horizontal axis is, what is drawn over steps, which weights over layers."""
STEP, LAYER = "step", "layer"
LOSS, RIGHT, HELD_OUT, REWARD = "loss", "held_out_exact_match", "held_out_loss", "reward"
DRAWN, TRAINED = "drawn", "trained"
_MOMENTS = {DRAWN: N_("before training"), TRAINED: N_("after training")}
ALIKE = 0.01
"""Positions that are less than this apart are called alike."""
_SQUEEZED = 1e-4
_FAR = 1.25
"""Losses that are farther apart than by this factor are not called about as low."""
_LOSSES = (LOSS, HELD_OUT)
_MEASURES = {
    RIGHT: N_("correct sentences"),
    LOSS: N_("training loss"),
    HELD_OUT: N_("held-out loss"),
    REWARD: N_("reward of samples"),
}
"""What is measured in training → what people call it."""
_APART, _GRADIENT = "apart", "gradient"

HALF = 0.5

Series = Mapping[str, Sequence[float]]
Curve = tuple[Sequence[float], Sequence[float]]
"""Steps, and what was measured there."""


def draw(asked: Asked) -> Shown | None:
    """Draw each variant over the steps of training, or over the layers of its encoder."""
    with st.container(horizontal=True):
        by = STEP
        # Most questions have none.
        if all(asked.results.by_layer(each.name, _APART) for each in asked.trained):
            offered = {STEP: _("in training"), LAYER: _("by layer")}
            by = controls.choice(_("Horizontal axis"), BY, offered, STEP)
        if by == LAYER:
            moments = {name: _(label) for name, label in _MOMENTS.items()}
            moment = controls.choice(_("Weights"), MOMENT, moments, DRAWN)
        else:
            labels = _labels(asked)
            measure = controls.choice(_("What is drawn"), MEASURE, labels, RIGHT)
    return _draw_layers(asked, moment) if by == LAYER else _draw_steps(asked, measure)


def _labels(asked: Asked) -> dict[str, str]:
    """Return what was measured in training → what people call it."""
    curves = [each.curve for each in asked.results.trained]
    measured = {name for name in _MEASURES if all(name in each for each in curves)}
    if any(REWARD in each for each in curves):
        # Where some make rewards large, the training losses are of two kinds.
        measured = measured - {LOSS} | {REWARD}
    return {name: _(label) for name, label in _MEASURES.items() if name in measured}


def _draw_steps(asked: Asked, measure: str) -> Shown:
    """Draw the mean over seeds of what was measured in training."""
    shown = [each for each in asked.trained if measure in asked.results.of(each.name)[0].curve]
    found = {_(each.label): asked.results.curve(each.name, measure) for each in shown}
    series = {label: values for label, (_steps, values) in found.items()}
    places = {label: steps for label, (steps, _values) in found.items()}
    label, last = _(_MEASURES[measure]), max(int(steps[-1]) for steps, _values in found.values())
    is_loss = measure in _LOSSES
    unit = _("{measure}, nats per token") if is_loss else "{measure}"
    if measure == RIGHT:
        unit = _("correct, of {n} held-out sentences")
    title = n_(
        "How fast each variant learns ({n} training of each)",
        "How fast each variant learns (mean of {n} trainings)",
        asked.results.n_seeds[1],
        asked.n_seeds,
    )
    picture = charts.chart(
        curves(
            series,
            at=places,
            x=Quantity(_("training step")),
            y=Quantity(
                unit.format(measure=label, n=number(EVALUATION_SAMPLES)),
                share=measure == RIGHT,
                log=is_loss,
            ),
            title=title,
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-learning",
        title=_("{question} In training").format(question=_(asked.experiment.question)),
        seen=_seen(found, measure, label, last),
        recipe=asked.recipe(of_curves),
        code=(Results.curve,),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _seen(found: Mapping[str, Curve], measure: str, label: str, step: int) -> str:
    """Return by which step variants get half right; of other measures, where each ends."""
    if measure == RIGHT:
        return _by_half(found, step)
    ends = {name: values[-1] for name, (_steps, values) in found.items()}
    if measure in _LOSSES:
        return _loss(ends, step)
    text = _("{measure} after step {step}")
    return extremes(text.format(measure=capitalised(label), step=number(step)), ends, number)


def _loss(ends: Mapping[str, float], step: int) -> str:
    """Say how many times as high the loss of the worst variant ends as that of the best."""
    least, most = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
    text = _(
        "**The loss ends about as low with all variants**: at {low} to {high} nats per token after "
        "step {step}."
    )
    if ends[most] > _FAR * ends[least]:
        text = _(
            "**The loss ends {times} times as high with {most} as with {least}**: at {high} "
            "against {low} nats per token after step {step}."
        )
    return text.format(
        times=number(ends[most] / ends[least], significant=2),
        most=question.quoted(most),
        least=question.quoted(least),
        high=number(ends[most]),
        low=number(ends[least]),
        step=number(step),
    )


def _by_half(found: Mapping[str, Curve], step: int) -> str:
    """Say which variants are the last to get half right, and when the others do."""
    reached: dict[float, list[str]] = {}
    never: dict[str, str] = {}
    for name, (steps, shares) in found.items():
        at = next((at for at, share in zip(steps, shares, strict=True) if share >= HALF), None)
        if at is None:
            never[name] = percent(shares[-1])
        else:
            reached.setdefault(at, []).append(name)
    first, last = min(reached, default=0), max(reached, default=0)
    slowest = [*never] or reached[last]
    if not reached:
        text = _(
            "**Even at step {step} fewer than half of the held-out sentences are correct** "
            "({shares})."
        )
    elif never:
        text = n_(
            "**{slowest} learns most slowly**: even at step {step} fewer than half of the held-out "
            "sentences are correct ({shares}); with the others half are, by step {last}.",
            "**{slowest} learn most slowly**: even at step {step} fewer than half of the held-out "
            "sentences are correct ({shares}); with the others half are, by step {last}.",
            len(never),
        )
    elif first == last:
        text = _(
            "**All variants learn about as fast**: half of the held-out sentences are correct by "
            "step {last}."
        )
    else:
        text = n_(
            "**{slowest} learns most slowly**: half of the held-out sentences are correct by step "
            "{last}, with {fastest} by step {first}.",
            "**{slowest} learn most slowly**: half of the held-out sentences are correct by step "
            "{last}, with {fastest} by step {first}.",
            len(slowest),
        )
    return text.format(
        slowest=capitalised(question.names(slowest, found)),
        shares=listed(dict.fromkeys(never.values())),
        fastest=question.names(reached.get(first, []), found),
        step=number(step),
        first=number(first),
        last=number(last),
    )


def _draw_layers(asked: Asked, moment: str) -> Shown:
    """Draw how far positions are apart behind each layer, and how much gradient comes there."""
    apart, gradient = (_measured(asked, moment, name) for name in (_APART, _GRADIENT))
    found = claims.of_gradient(asked, _key(moment, _GRADIENT), _(_MOMENTS[moment]))
    judged = [question.bold(claims.of_parts(verdict, [part])) for verdict, part in found.items()]
    pictures = [_chart_apart(apart), _chart_gradient(gradient)]
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-layers",
        title=_("{question} By layer").format(question=_(asked.experiment.question)),
        seen=joined([*judged, *_vanished(gradient), *_alike(_(_MOMENTS[moment]), apart)]),
        recipe=asked.recipe(of_layers),
        code=(by_layer, AtLayer),
        pictures=pictures,
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\sum_i \lVert x_i - \bar{x} \rVert^2}}"
        r"{\sqrt{\sum_i \lVert x_i \rVert^2}} \qquad "
        r"\frac{\lVert \partial L / \partial x_l \rVert}{\lVert \partial L / \partial x_n \rVert}",
        how_to_read=view_text("experiments", "learning").sections["By layer"],
    )


def _measured(asked: Asked, moment: str, name: str) -> Series:
    """Return label → value behind each layer, the embeddings first."""
    key = _key(moment, name)
    return {_(each.label): asked.results.by_layer(each.name, key) for each in asked.trained}


def _key(moment: str, name: str) -> str:
    """Return what the results call a measurement behind each layer."""
    return f"{DRAWN}_{name}" if moment == DRAWN else name


def _chart_apart(series: Series) -> Drawn:
    return charts.chart(
        curves(
            series,
            at={label: range(len(values)) for label, values in series.items()},
            x=Quantity(_("layer")),
            y=Quantity(_("apart from their mean (symmetric log)"), share=True, squeezed=_SQUEEZED),
            title=_("How different the words of a sentence still are behind each layer"),
        )
    )


def _chart_gradient(series: Series) -> Drawn:
    # There is no logarithm of a gradient that is 0.
    found = {
        label: [(layer, value) for layer, value in enumerate(values) if value > 0]
        for label, values in series.items()
    }
    return charts.chart(
        curves(
            {label: [value for _layer, value in each] for label, each in found.items()},
            at={label: [layer for layer, _value in each] for label, each in found.items()},
            x=Quantity(_("layer")),
            y=Quantity(_("gradient norm, last layer = 1 (log)"), log=True),
            title=_("How much of the gradient comes back to each layer"),
        )
    )


def _alike(moment: str, apart: Series) -> Iterator[str]:
    found = {label: values[-1] for label, values in apart.items()}
    alike = [label for label, value in found.items() if value < ALIKE]
    others = [(label, value) for label, value in found.items() if value >= ALIKE]
    if alike:
        text = _(
            "**{moment}**, behind the last layer all words of a sentence have nearly the same "
            "vector (less than {least} apart): {variants}."
        )
        yield text.format(
            moment=capitalised(moment), least=percent(ALIKE), variants=listed_apart(alike)
        )
    if others:
        one = _("{variant} ({value})")
        variants = listed_apart(
            one.format(variant=label, value=percent(value)) for label, value in others
        )
        yield _("They stay apart: {variants}.").format(variants=variants)


def _vanished(gradient: Series) -> Iterator[str]:
    found = {label: values[0] for label, values in gradient.items()}
    vanished = [label for label, value in found.items() if value < VANISHED]
    if not vanished:
        text = _(
            "At the embeddings it is at least {smallest} times that behind the last layer (means "
            "over the trainings)."
        )
        yield text.format(smallest=number(min(found.values()), significant=2))
        return
    one = _("{variant} ({share} left)")
    variants = listed_apart(
        one.format(variant=label, share=percent(found[label])) for label in vanished
    )
    yield _("It vanishes on its way back to the embeddings only here: {variants}.").format(
        variants=variants
    )
