"""What the masks lesson asks for, and what it measures."""

import streamlit as st

from core.analysis.mask_losses import losses_without
from core.analysis.masking import (
    MASKS,
    Attended,
    Mask,
    attended_of_run,
    companions,
    leak,
    padded_batch,
)
from core.run import RunError
from pages.lessons import controls as asked
from pages.lessons.mask_pictures import Chosen, case_name, leak_said
from pages.shared import cached, controls, lesson, opening, session
from pages.shared.charts import chart
from pages.shared.text import _, plain
from viz.bars import bars
from viz.curves import Quantity

LOSS_SAMPLES = 200
MOST_SENTENCES = 8


def ask(opened: opening.Opened, *, heads: bool) -> tuple[Chosen, tuple[str, ...]]:
    """Ask for the other sentences of the batch, and what of it to look at.

    Args:
        opened: The run and the first sentence.
        heads: True where a layer and a head are chosen, too.

    Returns:
        The choice, and all sentences.
    """
    own = cached.of_run(companions, opened.path)
    sites = opened.run.model.sites()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        others = asked.others("\n".join(own), of=opened.path.name)
        sentences = (opened.sentence, *others[: MOST_SENTENCES - 1])
        kind = controls.kind(list(dict.fromkeys(site.attention for site in sites)), "encoder.self")
        # The last one is short by default, so that there is padding to look at.
        last = len(sentences) - 1
        index = controls.number(_("sentence"), len(sentences), last, session.ROW)
        chosen_sites = [site for site in sites if site.attention == kind]
        layer, head = 0, 0
        if heads:
            n_heads = opened.run.settings.model.n_heads
            layer, head = controls.layer_and_head(len(chosen_sites), n_heads, (0, 0))
    batch = cached.of_run(padded_batch, opened.path, sentences)
    said = []
    if len(others) >= MOST_SENTENCES:
        said.append(_("Only the first {n} sentences are used.").format(n=MOST_SENTENCES))
    if any(batch.cut):
        said.append(_("A sentence was cut: the model has no more positions."))
    if said:
        st.caption(" ".join(said))
    return Chosen(opened.run.tokenizer, batch, index, chosen_sites[layer], head), sentences


def done(
    opened: opening.Opened, chosen: Chosen, sentences: tuple[str, ...], off: tuple[Mask, ...] = ()
) -> Attended:
    """Return what the chosen sublayer does with the batch when some masks are left out."""
    return cached.of_run(attended_of_run, opened.path, sentences, chosen.site, off)


def ask_without(chosen: Chosen) -> tuple[Mask, ...]:
    """Ask which masks of the chosen kind of attention are switched off."""
    offered = [mask for mask in MASKS if mask.attention == chosen.attention]
    names = [mask.name for mask in offered]
    off = asked.switched_off(names, default=names[-1:])
    return tuple(mask for mask in offered if mask.name in off)


def said_of_leak(chosen: Chosen, off: tuple[Mask, ...], changed: Attended) -> str:
    """Return how much weight of the chosen head leaks."""
    found = leak(changed.weights_BHQK, chosen.batch, chosen.attention, chosen.head)
    return leak_said(chosen, off, found)


def losses(opened: opening.Opened) -> None:
    """Measure on request what leaving out each mask costs on held-out sentences."""
    asked = _("Measure the loss without each mask on {n} held-out sentences")
    if not st.toggle(asked.format(n=LOSS_SAMPLES), key="measure_losses"):
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
