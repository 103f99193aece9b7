"""How the variants of an experiment learned."""

from core.experiments.results import Results
from pages.frame import charts, controls
from pages.frame.language import _, number, percent
from pages.frame.view import Columns, Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, curves

MEASURE = "experiment_measure"
LOSS, RIGHT = "loss", "held_out_exact_match"


def draw(asked: Asked) -> Shown | None:
    """Draw the mean over seeds of what was measured in training."""
    offered = {RIGHT: _("sentences right"), LOSS: _("training loss")}
    measure = controls.choice(_("What is drawn"), MEASURE, offered, RIGHT)
    found = {_(each.label): asked.results.curve(each.name, measure) for each in asked.trained}
    steps = next(iter(found.values()))[0]
    series = {label: values for label, (_steps, values) in found.items()}
    picture = charts.chart(
        curves(
            series,
            at=steps,
            x=Quantity(_("training step")),
            y=Quantity(_("sentences right"), share=True)
            if measure == RIGHT
            else Quantity(_("training loss, nats per token")),
            title=_("In training, mean over seeds"),
        )
    )
    return Shown(
        name=f"{asked.experiment.name}-learning",
        title=_("{question} In training").format(question=_(asked.experiment.question)),
        seen=_seen(series, measure, int(steps[-1])),
        numbers=lambda: _numbers(asked),
        python=_python(asked, measure),
        code=(Results, Results.curve),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _seen(series: dict[str, list[float]], measure: str, step: int) -> str:
    """Say where each variant ends."""
    one = _("{variant} **{value}**")
    written = percent if measure == RIGHT else number
    values = "; ".join(
        one.format(variant=name, value=written(values[-1])) for name, values in series.items()
    )
    text = _("After step {step}, of the sentences held out from training, right: {values}.")
    if measure == LOSS:
        text = _("After step {step}, training loss per token: {values}.")
    return text.format(step=number(step), values=values)


def _numbers(asked: Asked) -> Columns:
    rows = []
    for variant in asked.trained:
        steps, losses = asked.results.curve(variant.name, LOSS)
        _steps, shares = asked.results.curve(variant.name, RIGHT)
        rows += [
            (variant.name, step, loss, share)
            for step, loss, share in zip(steps, losses, shares, strict=True)
        ]
    names = ("variant", "step", LOSS, RIGHT)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _python(asked: Asked, measure: str) -> str:
    names = [each.name for each in asked.trained]
    lines = [
        question.reading(asked),
        "numbers = {",
        f'    "{measure}": [',
        f"        value for name in {names}",
        f'        for value in results.curve(name, "{measure}")[1]',
        "    ]",
        "}",
        "",
    ]
    return "\n".join(lines)
