"""What becomes of a trained model when its masks are switched off."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.lessons.mask_losses import MaskLoss, losses_without
from core.analysis.lessons.masking import (
    LOOK_AHEAD,
    MASKS,
    PADDING,
    HeadOfBatch,
    Leak,
    Mask,
    leak,
    visible,
)
from core.model import Remask
from core.runs.run import Run, RunError
from pages.frame import cached, controls, measured_on, session
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.notes import site_and_head, within_sentence
from pages.frame.opening import Opened
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
    cases = _ask_losses(opened)
    if cases:
        pictures.append(chart(_losses(opened.run, cases)))
    return Shown(
        name=f"without.{chosen.head.site}.{chosen.head.index}",
        title=f"{site_and_head(chosen.head)}: {titles[1]}",
        numbers=lambda: _numbers(chosen, (done, changed), off, cases),
        seen=_leak_said(chosen, off, changed.leak),
        python=_python(chosen, off, measured=bool(cases)),
        code=(visible, Remask, leak, losses_without),
        pictures=pictures,
        about=chosen.about,
        formula=r"""\mathrm{leak} = \frac{1}{|\text{rows}|} \sum_{i} \sum_{j \text{ hidden}}
        w_{ij}, \qquad \mathcal{L} = -\frac{1}{T} \sum_t \log p(y_t \mid y_{<t}, x)""",
        tries=(
            _(
                "Decoder self-attention without look-ahead: the model could see the answer, "
                "but has never learned to use it. Measure its loss below."
            ),
            _(
                "Decoder self-attention without its padding mask: no row that is a word "
                "changes, because PAD stands behind every word, where the look-ahead mask "
                "hides it. Only the rows of PAD do, and nobody reads them."
            ),
            _("Cross-attention without its padding mask: measure what that costs below."),
        ),
    )


def _ask_which(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of the chosen kind of attention are switched off."""
    offered = [mask for mask in MASKS if mask.attention is chosen.kind]
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
            "Without {masks}, **{future}** of the weight of {where} goes to later words; with all "
            "masks none does (mean over the words of the {n} sentence).",
            "Without {masks}, **{future}** of the weight of {where} goes to later words; with all "
            "masks none does (mean over the words of all {n} sentences).",
            n,
        )
    elif chosen.kind.causal:
        said = n_(
            "Without {masks}, **{future}** of the weight of {where} goes to later words and "
            "**{padding}** to padding; with all masks none does (mean over the words of the {n} "
            "sentence).",
            "Without {masks}, **{future}** of the weight of {where} goes to later words and "
            "**{padding}** to padding; with all masks none does (mean over the words of all {n} "
            "sentences).",
            n,
        )
    else:
        said = n_(
            "Without {masks}, **{padding}** of the weight of {where} goes to padding; with all "
            "masks none does (mean over the words of the {n} sentence).",
            "Without {masks}, **{padding}** of the weight of {where} goes to padding; with all "
            "masks none does (mean over the words of all {n} sentences).",
            n,
        )
    return said.format(
        masks=_(" and ").join(_mask_said(mask) for mask in off),
        where=within_sentence(chosen.head),
        padding=percent(found.padding),
        future=percent(found.future),
        n=number(n),
    )


def _mask_said(mask: Mask) -> str:
    names = {
        PADDING: _("the padding mask of {kind}"),
        LOOK_AHEAD: _("the look-ahead mask of {kind}"),
    }
    return names[mask.name].format(kind=_(mask.attention.full_label))


def _ask_losses(opened: Opened) -> tuple[MaskLoss, ...]:
    """Measure on request what leaving out each mask costs on held-out sentences."""
    on = measured_on.sentences(opened.run, measured_on.most(opened.run, LOSS_SAMPLES))
    question = _("Measure the loss without each mask on {sentences}")
    if not controls.toggle(question.format(sentences=on), "measure_losses"):
        return ()
    try:
        with st.spinner(_("Measuring …")):
            return cached.of_run(losses_without, opened.path, LOSS_SAMPLES)
    except RunError as error:
        st.caption(plain(explained(error)))
        return ()


def _losses(run: Run, cases: Sequence[MaskLoss]) -> Chart:
    on = measured_on.sentences(run, measured_on.most(run, LOSS_SAMPLES))
    title = _("Loss of the loaded model on {sentences}, teacher-forced (seed 0)")
    return bars(
        {_("loss"): [case.loss for case in cases]},
        [_case_said(case) for case in cases],
        value=Quantity(_("cross-entropy per token, nats")),
        title=title.format(sentences=on),
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


def _python(chosen: Chosen, off: Sequence[Mask], *, measured: bool) -> str:
    masks = "".join(f'Mask(Kind("{mask.attention}"), "{mask.name}"), ' for mask in off)
    imports = [
        *(
            ["from core.analysis.lessons.masking import Mask", "from core.heads import Kind"]
            if off
            else []
        ),
        *(["from core.analysis.lessons.mask_losses import losses_without"] if measured else []),
    ]
    lines = [
        f"off = ({masks.strip()})",
        f"changed = head_of_batch(run.model, batch, head, {chosen.sentence}, off)",
        "numbers = [done.weights_QK, changed.weights_QK]",
        "numbers += [each.leak.padding for each in (done, changed)]",
        "numbers += [each.leak.future for each in (done, changed)]",
    ]
    if measured:
        lines += [
            f"cases = losses_without(run, {LOSS_SAMPLES})",
            "numbers += [case.loss for case in cases]",
            "numbers += [case.token_accuracy for case in cases]",
        ]
    return chosen.python(*imports) + "\n".join([*lines, ""])
