"""What becomes visible when masks are switched off, and what that costs."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.heads import Head
from core.model import Remask
from core.runs.run import RunError
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    PADDING,
    HeadOfBatch,
    Leak,
    Mask,
    MaskLoss,
    leak,
    mask_losses,
    masks_of,
    reads_texts,
    visible,
    without_masks,
)
from pages.frame import components, controls, measured_on
from pages.frame.charts import chart
from pages.frame.language import N_, _, capitalised, joined, labelled, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.notes import site_and_head
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import batch
from pages.views.lessons.batch import Chosen
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrices, Matrix

LOSS_SAMPLES = 100
WITHOUT = {PADDING: N_("without the padding mask"), LOOK_AHEAD: N_("without the look-ahead mask")}
UNMASKED = {PADDING: N_("padding"), LOOK_AHEAD: N_("later words")}
"""What is seen without a mask."""


def draw(opened: Opened) -> Shown:
    """Draw a head's weights with all masks and with some switched off, and what that costs."""
    with row():
        kind = batch.ask_kind(opened)
        switches = st.container(width="content")
        chosen = batch.ask(opened, kind, heads=True)
    with switches:
        off = _ask_which(chosen)
    batch.name_what_is_cut(chosen)
    costs, maps = st.columns([1, 2], gap="medium")
    with costs:
        losses = _losses(chosen)
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
    before, after = found.before, found.after
    names = _(" and ").join(_(WITHOUT[mask.name]) for mask in off)
    title = capitalised(names) if off else _("Nothing switched off")
    panels = [_map(chosen, before, _("With all masks"))]
    # Where none is off, both would be the same map.
    if off:
        later = _("above the diagonal: later words") if after.leak.future else ""
        panels.append(_map(chosen, after, title, later))
    with maps:
        pictures = [components.show(Matrices(panels=panels), key="leak_maps")]
    if found.losses:
        with costs:
            pictures.append(chart(_chart(chosen, off, found.losses)))
    return Shown(
        name=f"leaks.{chosen.head.site}.{chosen.head.index}",
        title=labelled(site_and_head(chosen.head), title),
        recipe=recipe,
        seen=joined((_cost(off, found.losses), _leaked(off, after.leak, chosen.head))),
        code=(visible, Remask, leak),
        pictures=pictures,
        about=chosen.about,
    )


def _ask_which(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of a kind of attention are switched off."""
    kind = chosen.kind
    masks = [mask for mask in masks_of(chosen.opened.run.model.config) if mask.attention is kind]
    # One sentence has no padding, so the mask that hides it changes nothing.
    is_single = len(chosen.sentences) == 1
    offered = [mask for mask in masks if mask.name != PADDING or not is_single] or masks
    names = controls.several(
        _("Switched off"),
        "off",
        {mask.name: _(WITHOUT[mask.name]) for mask in offered},
        [offered[-1].name],
        of=kind,
        older={"padding mask": PADDING, "look-ahead mask": LOOK_AHEAD},
    )
    return tuple(mask for mask in offered if mask.name in names)


def _map(chosen: Chosen, done: HeadOfBatch, title: str, note: str = "") -> Matrix:
    return Matrix(
        title=title,
        note=note,
        values=done.weights_QK,
        visible=done.visible_QK,
        value_name=_("weight"),
        **chosen.axes,
    )


def _cost(off: Sequence[Mask], cases: Sequence[MaskLoss]) -> str:
    """Say what leaving out the masks does to the loss, where that was measured."""
    losses = {case.without: case.loss for case in cases}
    if not off or tuple(off) not in losses:
        return ""
    before, after = (number(losses[each], 2) for each in ((), tuple(off)))
    text = _(
        "It gets worse: with {seen} visible the loss rises from {before} to **{after}**, since the "
        "model never saw {seen} in training."
    )
    if before == after:
        text = _("Nothing gets worse: with {seen} visible the loss stays at **{after}**.")
        if [mask.name for mask in off] == [PADDING] and off[0].attention.causal:
            text = _(
                "Nothing gets worse: the loss stays at **{after}**. Padding comes last, so the "
                "look-ahead mask hides it, too."
            )
    elif losses[()] > losses[tuple(off)]:
        text = _("It gets better: with {seen} visible the loss falls from {before} to **{after}**.")
    seen = _(" and ").join(_(UNMASKED[mask.name]) for mask in off)
    return text.format(seen=seen, before=before, after=after)


def _leaked(off: Sequence[Mask], found: Leak, head: Head) -> str:
    """Return how much of a head's weight went where the masks would not have let it."""
    if not off:
        return _("All masks are on: **no** weight goes where it should not. Switch one off.")
    text = _("{head}: **{share}** of its attention now goes to padding.")
    share = found.padding
    if found.future:
        text = _("{head}: **{share}** of its attention now goes to later words.")
        share = found.future
        if found.padding:
            text = _(
                "{head}: **{share}** of its attention now goes to later words, **{padding}** to "
                "padding."
            )
    return text.format(
        head=site_and_head(head), share=percent(share), padding=percent(found.padding)
    )


def _losses(chosen: Chosen) -> Recipe[tuple[MaskLoss, ...]] | None:
    """Measure what leaving out each mask costs; where that cannot be done, say why."""
    settings = chosen.opened.run.settings
    if settings.is_opened and settings.model.is_encoder_only:
        st.caption(_("Nothing is predicted of a text that is only read: there is no loss to tell."))
        return None
    losses = Recipe(mask_losses, chosen.opened.path, chosen.sentences, LOSS_SAMPLES)
    try:
        losses.result()
    except RunError as error:
        st.caption(plain(explained(error)))
        return None
    return losses


def _chart(chosen: Chosen, off: Sequence[Mask], cases: Sequence[MaskLoss]) -> Chart:
    """Draw the loss with all masks, and without those that are switched off."""
    run = chosen.opened.run
    on = measured_on.sentences(run, measured_on.most(run, LOSS_SAMPLES))
    if reads_texts(run):
        n = len(chosen.sentences)
        on = n_("the {n} text of the batch", "the {n} texts of the batch", n)
    of_kind = [
        case for case in cases if all(mask.attention is chosen.kind for mask in case.without)
    ]
    shown = [case for case in of_kind if set(case.without) <= set(off)]
    return bars(
        {_("loss"): [case.loss for case in shown]},
        [_case_label(case) for case in shown],
        value=Quantity(
            _("loss (longer bar: worse)"),
            # The bars keep their lengths when a mask is switched off.
            domain=(0.0, max(case.loss for case in of_kind)),
            write=partial(number, digits=2),
        ),
        title=_("Loss on {sentences}").format(sentences=on),
    )


def _case_label(case: MaskLoss) -> str:
    """Return in a few words what was left out when a loss was measured."""
    if not case.without:
        return _("all masks")
    if len(case.without) > 1:
        return _("neither mask")
    [mask] = case.without
    return _(WITHOUT[mask.name])
