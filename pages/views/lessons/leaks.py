"""What becomes visible when masks are switched off, and what that costs."""

from collections.abc import Sequence

import streamlit as st

from core.model import Remask
from core.runs.run import RunError
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    PADDING,
    Leak,
    Mask,
    MaskLoss,
    leak,
    mask_losses,
    reads_texts,
    visible,
)
from core.studies.lessons.of_sentence import without_masks
from pages.frame import controls, measured_on, selection
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.language import _, joined, labelled, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.notes import site_and_head
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import batch
from pages.views.lessons.batch import Chosen
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrices

LOSS_SAMPLES = 200


def draw(opened: Opened) -> Shown:
    """Draw a head's weights with all masks and with some switched off, and what that costs."""
    with selection.row():
        chosen = batch.ask(opened, heads=True)
    batch.say(chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        off = _ask_which(chosen)
    # Its place is below the maps, and the recipe holds what was measured.
    maps = st.container()
    losses = _ask_losses(chosen)
    recipe = Recipe(
        without_masks,
        opened.path,
        chosen.batching,
        chosen.head,
        chosen.sentence,
        off,
        losses or (),
    )
    found = recipe.result().result
    title = _without_said(off)
    panels = [batch.weights_map(chosen, found.before, _("With all masks"))]
    # Where none is off, both would be the same map.
    if off:
        panels.append(batch.weights_map(chosen, found.after, title))
    with maps:
        pictures = [matrices(Matrices(panels=panels), key="leak_maps")]
    if found.losses:
        pictures.append(chart(_losses(chosen, found.losses)))
    return Shown(
        name=f"leaks.{chosen.head.site}.{chosen.head.index}",
        title=labelled(site_and_head(chosen.head), title),
        recipe=recipe,
        seen=joined((_leak_said(chosen, off, found.after.leak), _cost(off, found.losses))),
        code=(visible, Remask, leak),
        pictures=pictures,
        about=chosen.about,
    )


def _ask_which(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of the chosen kind of attention are switched off."""
    offered = chosen.masks()
    labels = {PADDING: _("padding mask"), LOOK_AHEAD: _("look-ahead mask")}
    st.caption(_("switched off"), width="content")
    names = controls.several(
        _("Switched off"),
        "off",
        {mask.name: labels[mask.name] for mask in offered},
        [offered[-1].name],
        of=chosen.kind,
        older={"padding mask": PADDING, "look-ahead mask": LOOK_AHEAD},
    )
    return tuple(mask for mask in offered if mask.name in names)


def _without_said(off: Sequence[Mask]) -> str:
    """Return in a few words which masks are off; a title."""
    match [mask.name for mask in off]:
        case []:
            return _("Nothing switched off")
        case [name]:
            one = {PADDING: _("Padding mask off"), LOOK_AHEAD: _("Look-ahead mask off")}
            return one[name]
    return _("Padding mask off, look-ahead mask off")


def _leak_said(chosen: Chosen, off: Sequence[Mask], found: Leak) -> str:
    """Return how much of a head's weight went where the masks would not have let it."""
    if not off:
        return _("All masks are on: **no** weight goes where it should not. Switch one off.")
    shares = []
    if chosen.kind.causal:
        shares.append(_("**{share}** to later words").format(share=percent(found.future)))
    if found.padding or not shares:
        shares.append(_("**{share}** to padding").format(share=percent(found.padding)))
    n = len(chosen.sentences)
    text = n_(
        "Without {masks} this head gives {shares} (mean over the words of {n} sentence).",
        "Without {masks} this head gives {shares} (mean over the words of {n} sentences).",
        n,
    )
    said = {PADDING: _("the padding mask"), LOOK_AHEAD: _("the look-ahead mask")}
    return text.format(
        masks=_(" and ").join(said[mask.name] for mask in off),
        shares=_(" and ").join(shares),
        n=number(n),
    )


def _cost(off: Sequence[Mask], cases: Sequence[MaskLoss]) -> str:
    """Say what leaving out the masks does to the loss, where that was measured."""
    losses = {case.without: case.loss for case in cases}
    if not off or tuple(off) not in losses:
        return ""
    before, after = losses[()], losses[tuple(off)]
    text = _("The loss goes from {before} to **{after}** nats per token.")
    return text.format(before=number(before, 3), after=number(after, 3))


def _measured_on(chosen: Chosen) -> str:
    """Return in words what losses are measured on."""
    run = chosen.opened.run
    if reads_texts(run):
        n = len(chosen.sentences)
        return n_("the {n} text of the batch", "the {n} texts of the batch", n).format(n=number(n))
    return measured_on.sentences(run, measured_on.most(run, LOSS_SAMPLES))


def _ask_losses(chosen: Chosen) -> Recipe[tuple[MaskLoss, ...]] | None:
    """Measure on request what leaving out each mask costs on held-out sentences."""
    settings = chosen.opened.run.settings
    if settings.is_opened and settings.model.is_encoder_only:
        st.caption(_("Nothing is predicted of a text that is only read: there is no loss to tell."))
        return None
    question = _("Measure the loss without each mask on {sentences}")
    if not controls.toggle(question.format(sentences=_measured_on(chosen)), "measure_losses"):
        return None
    losses = Recipe(mask_losses, chosen.opened.path, chosen.sentences, LOSS_SAMPLES)
    try:
        losses.result()
    except RunError as error:
        st.caption(plain(explained(error)))
        return None
    return losses


def _losses(chosen: Chosen, cases: Sequence[MaskLoss]) -> Chart:
    title = _("Loss of the loaded model on {sentences}, teacher-forced")
    return bars(
        {_("loss"): [case.loss for case in cases]},
        [_case_said(case) for case in cases],
        value=Quantity(_("cross-entropy per token, nats")),
        title=title.format(sentences=_measured_on(chosen)),
    )


def _case_said(case: MaskLoss) -> str:
    """Return in a few words what was left out when a loss was measured."""
    if len(case.without) != 1:
        return _("no mask on") if case.without else _("all masks on")
    [mask] = case.without
    names = {PADDING: _("{kind}: no padding mask"), LOOK_AHEAD: _("{kind}: no look-ahead")}
    return names[mask.name].format(kind=_(mask.attention.label))
