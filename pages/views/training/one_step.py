"""One training step in slow motion: forward, loss, backward, update, on one sentence."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.config import ModelConfig
from core.evaluate.loss import token_loss
from core.inspection import inspect_sentence
from core.runs.checkpoint import stops
from core.runs.run import Run
from core.studies.forward_pass import forward_pass
from core.studies.lessons.gradient_step import RATES, BlockGradient, GradientStep, gradient_step
from core.training.loop import train
from pages.frame import components, controls, needs, selection
from pages.frame.cached import RunAt
from pages.frame.charts import chart
from pages.frame.language import _, joined, n_, number, percent, plain
from pages.frame.needs import Need
from pages.frame.passes import whole_of
from pages.frame.recipe import Recipe
from pages.frame.view import Shown
from pages.views.training import heads_at_step
from viz.charts.curves import Chart, Level, Quantity, Rule, curves
from viz.component.standalone import Drawn
from viz.descent.descent import Descent

RATE = "rate"
NEEDS = (Need.WRITING, Need.NEXT)
LITTLE = 0.1
"""A loss that falls by a smaller share than this hardly falls."""
_HEIGHT = 280
"""Of the chart, in pixels."""


def draw(path: Path) -> Shown | None:
    """Show what one step of gradient descent on a sentence does to a model at a snapshot.

    Args:
        path: The run's folder.
    """
    if why := needs.why_not(heads_at_step.untrained(path), NEEDS):
        st.info(why)
        return None
    of_step, of_rate = st.columns([3, 2], gap="medium")
    of_sentence, of_target = st.columns([3, 2], gap="medium")
    with of_step:
        step = heads_at_step.ask_step(stops(path), _usual(path))
    with of_sentence:
        sentence = heads_at_step.ask_sentence(path)
    with of_target, st.container(horizontal=True, vertical_alignment="center"):
        target = _ask_target(path, sentence)
    run = RunAt(path, step)
    if not target:
        st.info(_("Type the true target of the sentence."))
        return None
    recipe = Recipe(gradient_step, run, sentence, target)
    found = recipe.result()
    losses = dict(zip(found.rates, found.updated_losses, strict=True))
    with of_rate:
        offered = {rate: number(rate, padded=False) for rate in RATES}
        best = min(losses, key=losses.__getitem__)
        rate = controls.along(_("learning rate η"), RATE, offered, best)
    picture = _picture(run, sentence, target, found, rate)
    return Shown(
        name=f"{path.name}-step-{step}",
        title=_("One training step on a sentence"),
        seen=_seen(found, rate),
        recipe=recipe,
        code=[token_loss, train],
        pictures=[picture, chart(_chart(losses, found.loss, rate))],
        about={"step": str(step), "sentence": sentence, "translation": target},
    )


def _usual(path: Path) -> int:
    """Return the first snapshot after some training; without any, the model before training."""
    offered = stops(path)
    return offered[1] if len(offered) > heads_at_step.FEW else offered[0]


def _ask_target(path: Path, sentence: str) -> str:
    """Ask for the true target; where none is known, it is what the newest weights write."""
    alone = heads_at_step.untrained(path).settings.model.is_decoder_only
    known = heads_at_step.true_target(path, sentence)
    newest = Recipe(inspect_sentence, RunAt(path, stops(path)[-1]), sentence)
    usual = newest.result().translation.text if known is None else known
    target = selection.ask_reference(sentence, usual, goes_on=alone).strip()
    if known is None and target == usual:
        st.caption(_("No true target is known: this is what the newest weights write."))
    return target


def _picture(run: RunAt, sentence: str, target: str, found: GradientStep, rate: float) -> Drawn:
    """Draw the step over the pass of the true words."""
    opened = heads_at_step.untrained(run.path)
    inspecting = Recipe(inspect_sentence, run, sentence, target)
    passed = Recipe(forward_pass, run, inspecting).result()
    title = _("One training step at learning rate {rate}, from step {step} on").format(
        rate=number(rate, padded=False), step=number(run.step)
    )
    # In training all words are fed at once: nothing is written after the other.
    whole = replace(whole_of(opened, passed, title, None), best=(), guesses=(), step=0)
    shown = Descent(
        whole=whole,
        truth=found.tokens,
        first=found.first,
        log_probabilities_T=found.log_probabilities_T,
        updated_T=found.updated_RT[found.rates.index(rate)],
        # A bias before training is 0, and has no ratio.
        gradients={_place(each): each.relative for each in found.blocks if each.weight_norm},
        names=_names(opened),
        rate=number(rate, padded=False),
    )
    return components.show(shown, key="descent")


def _place(block: BlockGradient) -> str:
    """Return where a block stands in the picture; see `Descent.gradients`."""
    if block.site is None:
        return "output"
    return block.site.side if block.site.sublayer == "embedding" else str(block.site)


def _names(run: Run) -> dict[str, str]:
    """Return what embeddings and the output are called; a matrix that is both, where it counts."""
    config: ModelConfig = run.model.config
    first = "target" if config.tied == "target" or config.is_decoder_only else "source"
    names = {"source": _("embedding"), "target": _("embedding"), "output": _("output")}
    if config.tied in ("all", "target"):
        names[first] = _("embeddings and output")
    return names


def _seen(found: GradientStep, rate: float) -> str:
    """Say how the loss changes in one step, and which words gain and lose probability."""
    at = found.rates.index(rate)
    after = found.updated_losses[at]
    text = _(
        "One step at learning rate {rate} lowers the loss on this sentence from {loss} to "
        "**{after}**."
    )
    if after > found.loss:
        text = _(
            "Learning rate {rate} is **too large**: the step goes past the minimum, and the loss "
            "on this sentence rises from {loss} to **{after}**."
        )
    hardly = abs(found.loss - after) < LITTLE * found.loss
    if hardly:
        text = _(
            "At learning rate {rate} the loss on this sentence hardly changes: from {loss} to "
            "**{after}**."
        )
    changed = text.format(
        rate=number(rate, padded=False), loss=number(found.loss), after=number(after)
    )
    return changed if hardly else joined([changed, *_moved(found, at)])


def _moved(found: GradientStep, at: int) -> Iterator[str]:
    """Yield which word gains most at a learning rate, and how many become less probable."""
    before_T, after_T = found.probabilities_T, found.updated_probabilities_RT[at]
    word = int((after_T - before_T).argmax())
    if after_T[word] > before_T[word]:
        yield _("“{word}” gains most: from {before} to **{now}**.").format(
            word=plain(found.tokens[word]),
            before=percent(float(before_T[word])),
            now=percent(float(after_T[word])),
        )
    if n := int((after_T < before_T).sum()):
        text = n_(
            "{n} of {of} words becomes less probable.", "{n} of {of} words become less probable.", n
        )
        if found.updated_losses[at] < found.loss:
            yield text.format(of=number(len(before_T)))


def _chart(losses: dict[float, float], before: float, rate: float) -> Chart:
    """Draw the loss after the step at each learning rate."""
    figure = curves(
        {_("after the step"): list(losses.values())},
        x=Quantity(_("learning rate η"), log=True),
        y=Quantity(_("loss (nats)")),
        at=list(losses),
        title=_("The loss after one step, at each learning rate"),
        rules=[
            Level(before, _("before the step")),
            Rule(rate, f"η = {number(rate, padded=False)}"),
        ],
    )
    return figure.properties(height=_HEIGHT)
