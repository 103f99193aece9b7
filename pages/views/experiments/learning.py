"""How the variants of an experiment learned."""

from core.studies.experiments.results import Results
from core.training.trainer import EVALUATION_SAMPLES
from pages.frame import charts, controls
from pages.frame.language import _, number, percent
from pages.frame.listed import listed_apart
from pages.frame.view import Columns, Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, curves

MEASURE = "experiment_measure"
LOSS, RIGHT, HELD_OUT, REWARD = "loss", "held_out_exact_match", "held_out_loss", "reward"


def draw(asked: Asked) -> Shown | None:
    """Draw the mean over seeds of what was measured in training."""
    labels = {
        RIGHT: _("sentences right"),
        LOSS: _("training loss"),
        HELD_OUT: _("held-out loss"),
        REWARD: _("reward of samples"),
    }
    offered = {name: labels[name] for name in _offered(asked)}
    measure = controls.choice(_("What is drawn"), MEASURE, offered, RIGHT)
    shown = [each for each in asked.trained if measure in asked.results.of(each.name)[0].curve]
    found = {_(each.label): asked.results.curve(each.name, measure) for each in shown}
    series = {label: values for label, (_steps, values) in found.items()}
    places = {label: steps for label, (steps, _values) in found.items()}
    picture = charts.chart(
        curves(
            series,
            at=places,
            x=Quantity(_("training step")),
            y=_quantity(measure, labels[measure]),
            title=_("In training, mean over seeds"),
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-learning",
        title=_("{question} In training").format(question=_(asked.experiment.question)),
        seen=_seen(series, measure, max(int(steps[-1]) for steps, _values in found.values())),
        numbers=lambda: _numbers(asked),
        python=_python(asked, measure),
        code=(Results, Results.curve),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _has(asked: Asked, measure: str) -> bool:
    """Say whether all variants were measured so; older results have less."""
    return all(
        measure in each.curve
        for variant in asked.trained
        for each in asked.results.of(variant.name)
    )


def _offered(asked: Asked) -> list[str]:
    rewarded = any(REWARD in each.curve for each in asked.results.trained)
    # Where some make rewards large, the training losses are of two kinds.
    names = [RIGHT] if rewarded else [RIGHT, LOSS]
    if _has(asked, HELD_OUT):
        names.append(HELD_OUT)
    return [*names, REWARD] if rewarded else names


def _quantity(measure: str, label: str) -> Quantity:
    if measure == RIGHT:
        return Quantity(label, share=True)
    if measure == REWARD:
        return Quantity(label)
    if measure == HELD_OUT:
        return Quantity(_("held-out loss, nats per token"))
    return Quantity(_("training loss, nats per token"))


def _seen(series: dict[str, list[float]], measure: str, step: int) -> str:
    """Say where each variant ends."""
    one = _("{variant} **{value}**")
    written = percent if measure == RIGHT else number
    values = listed_apart(
        one.format(variant=name, value=written(values[-1])) for name, values in series.items()
    )
    text = _("After step {step}, right of the sentences for measuring (n = {n}): {values}.")
    if measure == LOSS:
        text = _("After step {step}, training loss per token: {values}.")
    elif measure == HELD_OUT:
        text = _("After step {step}, loss per token of held-out sentences: {values}.")
    elif measure == REWARD:
        text = _("In the steps up to {step}, mean reward of the samples: {values}.")
    return text.format(step=number(step), n=number(EVALUATION_SAMPLES), values=values)


def _numbers(asked: Asked) -> Columns:
    """Return a row for each measurement; a column for what all variants were measured by."""
    steps = [asked.results.curve(each.name, RIGHT)[0] for each in asked.trained]
    names = [each.name for each in asked.trained]
    columns: dict[str, list[str] | list[float]] = {
        "variant": [name for name, at in zip(names, steps, strict=True) for _step in at],
        "step": [step for at in steps for step in at],
    }
    for measure in (LOSS, RIGHT, HELD_OUT):
        if _has(asked, measure):
            of_each = [asked.results.curve(name, measure)[1] for name in names]
            columns[measure] = [value for values in of_each for value in values]
    return columns


def _python(asked: Asked, measure: str) -> str:
    names = [each.name for each in asked.trained if measure in asked.results.of(each.name)[0].curve]
    # Rewards are of some variants only, and in no row of the numbers.
    column = measure if measure != REWARD else RIGHT
    if measure == REWARD:
        names = [each.name for each in asked.trained]
    lines = [
        question.reading(asked),
        "numbers = {",
        f'    "{column}": [',
        f"        value for name in {names}",
        f'        for value in results.curve(name, "{column}")[1]',
        "    ]",
        "}",
        "",
    ]
    return "\n".join(lines)
