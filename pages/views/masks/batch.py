"""What the masks lesson asks for, and what it measures."""

import streamlit as st

from core.analysis.lessons.mask_losses import losses_without
from core.analysis.lessons.masking import (
    MASKS,
    HeadOfBatch,
    Mask,
    head_of_batch,
    padded_batch,
)
from core.heads import Head, Kind
from core.runs.run import RunError
from pages.frame import cached, controls, lesson, opening, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.charts import chart
from pages.frame.text import _, plain
from pages.views.masks.pictures import Chosen, case_name
from viz.charts.bars import bars
from viz.charts.curves import Quantity

LOSS_SAMPLES = 200


def ask(opened: opening.Opened, *, heads: bool) -> Chosen:
    """Ask for the other sentences of the batch, and what of it to look at.

    Args:
        opened: The run and the first sentence.
        heads: True where a layer and a head are chosen, too.
    """
    sites = opened.run.model.sites()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentences = lesson_controls.sentences(opened)
        kinds = list(dict.fromkeys(site.attention for site in sites))
        kind = controls.kind(kinds, Kind.DECODER_SELF, name=session.ATTENTION)
        # The last one is short by default, so that there is padding to look at.
        last = len(sentences) - 1
        index = controls.number(_("sentence"), len(sentences), last, session.ROW)
        chosen_sites = [site for site in sites if site.attention is kind]
        layer, head = 0, 0
        if heads:
            n_heads = opened.run.settings.model.n_heads
            layer, head = controls.layer_and_head(len(chosen_sites), n_heads, (0, 0))
    batch = cached.of_run(padded_batch, opened.path, sentences)
    said = [_("Shown is sentence {n}: “{text}”").format(n=index, text=plain(sentences[index]))]
    if batch.cut:
        said.append(_("A sentence was cut: the model has no more positions."))
    st.caption(" ".join(said))
    return Chosen(opened.run.tokenizer, batch, index, Head(chosen_sites[layer], head))


def done(opened: opening.Opened, chosen: Chosen, off: tuple[Mask, ...] = ()) -> HeadOfBatch:
    """Return what the chosen head does with the batch when some masks are left out."""
    where = (chosen.batch, chosen.head, chosen.sentence)
    return cached.of_model(head_of_batch, opened.path, *where, off)


def ask_without(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of the chosen kind of attention are switched off."""
    offered = [mask for mask in MASKS if mask.attention is chosen.attention]
    names = [mask.name for mask in offered]
    off = lesson_controls.switched_off(names, default=names[-1:], of=chosen.attention)
    return tuple(mask for mask in offered if mask.name in off)


def losses(opened: opening.Opened) -> None:
    """Measure on request what leaving out each mask costs on held-out sentences."""
    question = _("Measure the loss without each mask on {n} held-out sentences")
    if not controls.toggle(question.format(n=LOSS_SAMPLES), "measure_losses"):
        return
    try:
        with st.spinner(_("Measuring …")):
            cases = cached.of_run(losses_without, opened.path, LOSS_SAMPLES)
    except RunError as error:
        st.caption(plain(str(error)))
        return
    names = [case_name(case) for case in cases]
    loss = [case.loss for case in cases]
    title = _("Loss of the loaded model on {n} held-out sentences, teacher-forced (seed 0)")
    chart(
        bars(
            {"loss": loss},
            names,
            value=Quantity(_("cross-entropy per token, nats")),
            title=title.format(n=LOSS_SAMPLES),
        )
    )
    accuracy = [case.token_accuracy for case in cases]
    lesson.numbers(
        "losses_without_masks", {"masks": names, "loss (nats)": loss, "token accuracy": accuracy}
    )
