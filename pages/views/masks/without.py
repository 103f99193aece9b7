"""What becomes of a trained model when its masks are switched off."""

from collections.abc import Collection, Sequence

import streamlit as st

from core.heads import Kind
from core.model import Remask
from core.runs.run import Run, RunError
from core.studies.lessons.masks import (
    LOOK_AHEAD,
    MASKS,
    PADDING,
    HeadOfBatch,
    Leak,
    Mask,
    MaskLoss,
    leak,
    losses_in_texts,
    losses_without,
    visible,
)
from pages.frame import cached, controls, measured_on, session
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.listed import joined, labelled
from pages.frame.messages import explained
from pages.frame.notes import site_and_head
from pages.frame.opening import Opened
from pages.frame.snippets import listed
from pages.frame.view import Columns, Shown
from pages.views.masks.batch import Chosen, ask, weights_map
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.plane.matrices import Matrices

LOSS_SAMPLES = 200


def draw(opened: Opened) -> Shown:
    """Draw a head's weights with all masks and with some switched off, and what that costs."""
    chosen = ask(opened, heads=True)
    off = _ask_which(chosen)
    done, changed = chosen.of_head(), chosen.of_head(off)
    titles = [_("With all masks"), _without_said(off)]
    panels = [weights_map(chosen, done, titles[0])]
    # Where none is off, both would be the same map.
    if off:
        panels.append(weights_map(chosen, changed, titles[1]))
    pictures = [matrices(Matrices(panels=panels), key="leak_maps")]
    cases = _ask_losses(opened, chosen)
    if cases:
        pictures.append(chart(_losses(opened.run, chosen, cases)))
    return Shown(
        name=f"without.{chosen.head.site}.{chosen.head.index}",
        title=labelled(site_and_head(chosen.head), titles[1]),
        numbers=lambda: _numbers(chosen, (done, changed), off, cases),
        seen=joined((_leak_said(chosen, off, changed.leak), _cost(off, cases))),
        python=_python(chosen, off, _measuring(opened.run, chosen) if cases else ""),
        code=(visible, Remask, leak, losses_in_texts if _has_texts(opened.run) else losses_without),
        pictures=pictures,
        about=chosen.about,
        formula=r"""\mathrm{leak} = \frac{1}{|\text{rows}|} \sum_{i} \sum_{j \text{ hidden}}
        w_{ij}, \qquad \mathcal{L} = -\frac{1}{T} \sum_t \log p(y_t \mid y_{<t}, x)""",
        tries=_tries({site.attention for site in opened.run.model.sites()}, chosen),
    )


def _tries(kinds: Collection[Kind], chosen: Chosen) -> list[str]:
    said = []
    if Kind.DECODER_SELF in kinds:
        said.append(
            _(
                "Decoder self-attention without look-ahead: the model could see the answer, "
                "but has never learned to use it. Measure its loss below."
            )
        )
    if Kind.DECODER_SELF in kinds and chosen.batch.pad_id >= 0:
        said.append(
            _(
                "Decoder self-attention without its padding mask: no row that is a word "
                "changes, because PAD stands behind every word, where the look-ahead mask "
                "hides it. Only the rows of PAD do, and nobody reads them."
            )
        )
    if Kind.CROSS in kinds:
        said.append(_("Cross-attention without its padding mask: measure what that costs below."))
    if Kind.DECODER_SELF not in kinds:
        said.append(_("Make one of the other sentences longer: more of the weight leaks to PAD."))
    return said


def _ask_which(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of the chosen kind of attention are switched off."""
    absent = chosen.batch.missing
    offered = [mask for mask in MASKS if mask.attention is chosen.kind and mask not in absent]
    labels = {PADDING: _("padding mask"), LOOK_AHEAD: _("look-ahead mask")}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("switched off"), width="content")
        names = controls.several(
            _("Switched off"),
            session.OFF,
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
    n = len(chosen.batch.source_ids)
    if chosen.kind.causal and not found.padding:
        said = n_(
            "Without {masks} **{future}** of this head's weight goes to later words, else none "
            "(mean over the words of {n} sentence).",
            "Without {masks} **{future}** of this head's weight goes to later words, else none "
            "(mean over the words of {n} sentences).",
            n,
        )
    elif chosen.kind.causal:
        said = n_(
            "Without {masks} **{future}** of this head's weight goes to later words and "
            "**{padding}** to padding, else none (mean over the words of {n} sentence).",
            "Without {masks} **{future}** of this head's weight goes to later words and "
            "**{padding}** to padding, else none (mean over the words of {n} sentences).",
            n,
        )
    else:
        said = n_(
            "Without {masks} **{padding}** of this head's weight goes to padding, else none "
            "(mean over the words of {n} sentence).",
            "Without {masks} **{padding}** of this head's weight goes to padding, else none "
            "(mean over the words of {n} sentences).",
            n,
        )
    return said.format(
        masks=_(" and ").join(dict.fromkeys(_mask_said(mask) for mask in off)),
        padding=percent(found.padding),
        future=percent(found.future),
        n=number(n),
    )


def _mask_said(mask: Mask) -> str:
    return {PADDING: _("the padding mask"), LOOK_AHEAD: _("the look-ahead mask")}[mask.name]


def _cost(off: Sequence[Mask], cases: Sequence[MaskLoss]) -> str:
    """Say what leaving out the masks does to the loss, where that was measured."""
    losses = {case.without: case.loss for case in cases}
    if not off or tuple(off) not in losses:
        return ""
    before, after = losses[()], losses[tuple(off)]
    text = _("The loss goes from {before} to **{after}** nats per token.")
    return text.format(before=number(before, 3), after=number(after, 3))


def _has_texts(run: Run) -> bool:
    """Return whether a loss is that of the texts shown: nobody knows what the model learned."""
    return run.settings.is_opened and run.settings.model.is_decoder_only


def _measured_on(run: Run, chosen: Chosen) -> str:
    """Return in words what losses are measured on."""
    if _has_texts(run):
        n = len(chosen.sentences)
        return n_("the {n} text of the batch", "the {n} texts of the batch", n).format(n=number(n))
    return measured_on.sentences(run, measured_on.most(run, LOSS_SAMPLES))


def _measuring(run: Run, chosen: Chosen) -> str:
    """Return the Python that measures the losses."""
    if _has_texts(run):
        return f"losses_in_texts(run, {listed(chosen.sentences)})"
    return f"losses_without(run, {LOSS_SAMPLES})"


def _ask_losses(opened: Opened, chosen: Chosen) -> tuple[MaskLoss, ...]:
    """Measure on request what leaving out each mask costs on held-out sentences."""
    run = opened.run
    if run.settings.is_opened and run.settings.model.is_encoder_only:
        st.caption(_("Nothing is predicted of a text that is only read: there is no loss to tell."))
        return ()
    question = _("Measure the loss without each mask on {sentences}")
    asked = question.format(sentences=_measured_on(run, chosen))
    if not controls.toggle(asked, "measure_losses"):
        return ()
    try:
        if _has_texts(run):
            return cached.of_run(losses_in_texts, opened.path, chosen.sentences)
        return cached.of_run(losses_without, opened.path, LOSS_SAMPLES)
    except RunError as error:
        st.caption(plain(explained(error)))
        return ()


def _losses(run: Run, chosen: Chosen, cases: Sequence[MaskLoss]) -> Chart:
    title = _("Loss of the loaded model on {sentences}, teacher-forced (seed 0)")
    if _has_texts(run):
        title = _("Loss of the loaded model on {sentences}, teacher-forced")
    return bars(
        {_("loss"): [case.loss for case in cases]},
        [_case_said(case) for case in cases],
        value=Quantity(_("cross-entropy per token, nats")),
        title=title.format(sentences=_measured_on(run, chosen)),
    )


def _case_said(case: MaskLoss) -> str:
    """Return in a few words what was left out when a loss was measured."""
    if len(case.without) != 1:
        return _("no mask on") if case.without else _("all masks on")
    [mask] = case.without
    names = {PADDING: _("{kind}: no padding mask"), LOOK_AHEAD: _("{kind}: no look-ahead")}
    return names[mask.name].format(kind=_(mask.attention.label))


def _numbers(
    chosen: Chosen,
    done: Sequence[HeadOfBatch],
    off: Sequence[Mask],
    cases: Sequence[MaskLoss],
) -> Columns:
    """Return both maps cell by cell, how much leaks, and the losses where they were measured."""
    names = ["", _names(off)]
    maps = [
        chosen.cells(without=name, weight=each.weights_QK)
        for name, each in zip(names, done, strict=True)
    ]
    leaks: Columns = {
        "without": names,
        "leak_to_padding": [each.leak.padding for each in done],
        "leak_to_future": [each.leak.future for each in done],
    }
    losses: Columns = {
        "without": [_names(case.without) for case in cases],
        "loss": [case.loss for case in cases],
        "token_accuracy": [case.token_accuracy for case in cases],
    }
    return stacked(*maps, leaks, *([losses] if cases else []))


def _names(off: Sequence[Mask]) -> str:
    """Return masks as files name them, in every language; nothing where all are on."""
    return ", ".join(f"{mask.attention}:{mask.name}" for mask in off)


def _python(chosen: Chosen, off: Sequence[Mask], measuring: str) -> str:
    """Return Python that computes all numbers again; `measuring` is that of the losses, if any."""
    measures = measuring.partition("(")[0]
    masks = "".join(f'Mask(Kind("{mask.attention}"), "{mask.name}"), ' for mask in off)
    imports = [
        *(
            ["from core.studies.lessons.masks import Mask", "from core.heads import Kind"]
            if off
            else []
        ),
        *([f"from core.studies.lessons.masks import {measures}"] if measures else []),
    ]
    lines = [
        f"off = ({masks.strip()})",
        f"changed = head_of_batch(run.model, batch, head, {chosen.sentence}, off)",
        "numbers = [done.weights_QK, changed.weights_QK]",
        "numbers += [each.leak.padding for each in (done, changed)]",
        "numbers += [each.leak.future for each in (done, changed)]",
    ]
    if measuring:
        lines += [
            f"cases = {measuring}",
            "numbers += [case.loss for case in cases]",
            "numbers += [case.token_accuracy for case in cases]",
        ]
    return chosen.python(*imports) + "\n".join([*lines, ""])
