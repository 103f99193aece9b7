"""What becomes of the stream and of the gradient from layer to layer in each variant's encoder."""

from collections.abc import Iterator, Mapping, Sequence

from core.studies.attribution.layers import AtLayer, by_layer
from core.studies.experiments.reach import VANISHED, vanishes
from core.studies.experiments.results import Results
from pages.frame import charts, controls
from pages.frame.language import N_, _, capitalised, number, percent
from pages.frame.listed import joined, listed_apart
from pages.frame.view import Columns, Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, curves
from viz.component.standalone import Drawn

MOMENT = "layers_of"
"""In the URL: which weights are measured."""
DRAWN, TRAINED = "drawn", "trained"
_MOMENTS = {DRAWN: N_("before training"), TRAINED: N_("after training")}
ALIKE = 0.01
"""Positions that are less than this apart are called alike."""
_SQUEEZED = 1e-4
_APART = "apart"
_GRADIENT = "gradient"
_MEASURED = (_APART, _GRADIENT, f"{DRAWN}_{_APART}", f"{DRAWN}_{_GRADIENT}")

Series = Mapping[str, Sequence[float]]


def measured(asked: Asked) -> bool:
    """Say whether layers were measured; most questions have none."""
    return all(asked.results.by_layer(each.name, _APART) for each in asked.trained)


def draw(asked: Asked) -> Shown | None:
    """Draw how far positions are apart behind each layer, and how much gradient comes there."""
    moments = {name: _(label) for name, label in _MOMENTS.items()}
    moment = controls.choice(_("Weights"), MOMENT, moments, DRAWN)
    apart, gradient = (_measured(asked, moment, name) for name in (_APART, _GRADIENT))
    pictures = [_chart_apart(apart), _chart_gradient(gradient)]
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-layers",
        title=_("{question} By layer").format(question=_(asked.experiment.question)),
        seen=joined(
            [*_alike(moments[moment], apart), *_verdict(asked, moment), *_vanished(gradient)]
        ),
        numbers=lambda: _numbers(asked),
        python=_python(asked),
        code=(by_layer, AtLayer, Results, Results.by_layer),
        pictures=pictures,
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\sum_i \lVert x_i - \bar{x} \rVert^2}}"
        r"{\sqrt{\sum_i \lVert x_i \rVert^2}} \qquad "
        r"\frac{\lVert \partial L / \partial x_l \rVert}{\lVert \partial L / \partial x_n \rVert}",
        how_to_read=_(
            "x is the residual stream of the encoder: 0 are the embeddings, 1 what the first layer "
            "hands on. Above: how far the vectors of a sentence are from their mean; at 0 % all "
            "words have the same vector, and nothing after them can tell the words apart. Below: "
            "how large the gradient of the loss is there, relative to that behind the last layer. "
            "Means over the trainings, held-out sentences."
        ),
    )


def _measured(asked: Asked, moment: str, name: str) -> Series:
    """Return label → value behind each layer, the embeddings first."""
    key = f"{DRAWN}_{name}" if moment == DRAWN else name
    return {_(each.label): asked.results.by_layer(each.name, key) for each in asked.trained}


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


def _verdict(asked: Asked, moment: str) -> Iterator[str]:
    """Say whether the gradient vanishes where that is claimed, by every training of it."""
    name = f"{DRAWN}_{_GRADIENT}" if moment == DRAWN else _GRADIENT
    trained = {each.name for each in asked.trained}
    claimed = [each for each in asked.experiment.vanishing if each in trained]
    found = {vanishes(asked.results, each, name) for each in claimed}
    if found == {True}:
        yield _("**That the gradient vanishes is borne out.**")
    elif found == {False}:
        yield _("**That the gradient vanishes is refuted.**")
    elif True in found:
        yield _("**That the gradient vanishes is borne out in part.**")
    elif found:
        yield _("**That the gradient vanishes is undecided.**")


def _vanished(gradient: Series) -> Iterator[str]:
    found = {label: values[0] for label, values in gradient.items()}
    vanished = [label for label, value in found.items() if value < VANISHED]
    if not vanished:
        text = _(
            "It vanishes nowhere: at the embeddings it is at least {smallest} times that behind "
            "the last layer (means over the trainings)."
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


def _numbers(asked: Asked) -> Columns:
    rows = [
        (variant.name, layer, *values)
        for variant in asked.trained
        for layer, values in enumerate(
            zip(*(asked.results.by_layer(variant.name, name) for name in _MEASURED), strict=True)
        )
    ]
    return dict(
        zip(("variant", "layer", *_MEASURED), map(list, zip(*rows, strict=True)), strict=True)
    )


def _python(asked: Asked) -> str:
    names = [each.name for each in asked.trained]
    lines = [question.reading(asked), f"names = {names}", "numbers = {"]
    lines += [
        f'    "{key}": [x for name in names for x in results.by_layer(name, "{key}")],'
        for key in _MEASURED
    ]
    return "\n".join([*lines, "}", ""])
