"""The masks of one sentence of a padded batch, and what the model makes of them."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.config import ModelConfig
from core.heads import Site
from core.model.masks import causal_mask, decoder_mask, padding_mask
from core.studies.lessons.masks import LOOK_AHEAD, PADDING, PaddedBatch, alone
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, n_, number, plain
from pages.frame.listed import joined, listed
from pages.frame.opening import Opened
from pages.frame.view import Shown
from pages.views.masks.batch import Chosen, ask
from viz.plane.matrices import Matrices, Matrix

RECEIVED = "received"
"""What the mask that the model makes of the others is called beside them."""
FORMULAS = {
    PADDING: r"\underbrace{[\,x_j \neq \mathrm{PAD}\,]}_{\text{padding mask}}",
    LOOK_AHEAD: r"\underbrace{[\,j \le i\,]}_{\text{look-ahead mask}}",
}
"""What each mask leaves visible."""


def draw(opened: Opened) -> Shown:
    """Draw each mask of a kind of attention, and what it receives in the model."""
    chosen = ask(opened, heads=False)
    single = alone(chosen.batch, chosen.kind, chosen.sentence)
    masks = {**single, RECEIVED: chosen.of_head().visible_QK}
    titles = {
        PADDING: _("Padding mask: nobody looks at PAD"),
        LOOK_AHEAD: _("Look-ahead mask: nobody looks at what comes later"),
        RECEIVED: _("What this attention receives in the model"),
    }
    panels = [_mask(chosen, titles[name], visible_QK) for name, visible_QK in masks.items()]
    picture = matrices(Matrices(panels=panels), key="received_maps")
    config = opened.run.settings.model
    st.caption(
        _kinds_said(chosen.batch, config) if config.is_encoder_decoder else _one_kind_said(chosen)
    )
    return Shown(
        name=f"masks.{chosen.kind}",
        title=_("Which word may look at which: {kind}").format(kind=_(chosen.kind.label)),
        # 1 where the query may look at the key, 0 where it may not.
        numbers=lambda: stacked(
            *(chosen.cells(mask=name, may_look=each.astype(float)) for name, each in masks.items())
        ),
        seen=_seen(masks),
        python=chosen.python("from core.studies.lessons.masks import alone")
        + f"masks = alone(batch, head.kind, {chosen.sentence})\n"
        + "numbers = [*masks.values(), done.visible_QK]\n",
        code=(padding_mask, causal_mask, decoder_mask),
        pictures=[picture],
        about={name: fact for name, fact in chosen.about.items() if name != "head"},
        formula=r"\mathrm{visible}_{ij} = "
        + r" \;\wedge\; ".join(FORMULAS[name] for name in single),
        tries=_tries(opened.run.model.sites(), single, config),
    )


def _tries(sites: Sequence[Site], masks: Collection[str], config: ModelConfig) -> list[str]:
    """Return what to try.

    Args:
        sites: Of the model.
        masks: The names of those that the kind of attention has.
        config: Of the model.
    """
    said = [_("Make one of the other sentences longer: every map grows, and so does its padding.")]
    if len({site.attention for site in sites}) > 1:
        said.append(
            _("Switch between the kinds of attention: why may each look at all words?")
            if config.is_parallel
            else _(
                "Switch between the kinds of attention: which may not look ahead, and why "
                "do the others need no such mask?"
            )
        )
    if LOOK_AHEAD in masks:
        said.append(_("Delete all other sentences: the look-ahead mask hides as much as before."))
    else:
        said.append(_("Delete all other sentences: without padding there is nothing to hide."))
    return said


def _seen(masks: Mapping[str, NDArray[np.bool_]]) -> str:
    """Say how many cells are hidden, and which mask hides them."""
    received = masks[RECEIVED]
    hidden, total = int((~received).sum()), received.size
    text = n_(
        "**{hidden}** of {n} cell is hidden", "**{hidden}** of {n} cells are hidden", total
    ).format(hidden=number(hidden), n=number(total))
    parts = []
    if PADDING in masks:
        padded = number(int((~masks[PADDING]).sum()))
        parts.append(_("{n} by the padding mask").format(n=padded))
    if LOOK_AHEAD in masks:
        ahead = number(int((~masks[LOOK_AHEAD]).sum()))
        parts.append(_("{n} by the look-ahead mask").format(n=ahead))
    if len(parts) == 2:
        both = ~masks[PADDING] & ~masks[LOOK_AHEAD]
        if both.any():
            parts.append(_("{n} of them by both").format(n=number(int(both.sum()))))
    return _("{hidden}: {masks}.").format(hidden=text, masks=listed(parts))


def _mask(chosen: Chosen, title: str, visible_QK: NDArray[np.bool_]) -> Matrix:
    return Matrix(
        title=title,
        values=visible_QK.astype(np.float32),
        visible=np.ascontiguousarray(visible_QK),
        rows=chosen.queries,
        columns=chosen.keys,
        scale="mask",
        hidden_value="0",
        value_name=_("may look"),
    )


def _one_kind_said(chosen: Chosen) -> str:
    """Return which masks the attention of a model of one stack gets, with the shapes."""
    batch, side = chosen.batch, chosen.batch.first_side
    if side == "source":
        said = _(
            "Batch of {n} × {length} (texts × tokens), {padding} of them PAD. Encoder "
            "self-attention ({length} × {length}) gets the padding mask, and no look-ahead "
            "mask: it reads a text that is there as a whole."
        )
    elif batch.missing:
        said = _(
            "Batch of {n} × {length} (texts × tokens), {padding} of them fill up: this model "
            "has no PAD, so that {token} takes its place. Its decoder self-attention "
            "({length} × {length}) gets the look-ahead mask alone, which hides from every word all "
            "that stands behind it."
        )
    else:
        said = _(
            "Batch of {n} × {length} (texts × tokens), {padding} of them PAD. Decoder "
            "self-attention ({length} × {length}) gets look-ahead and padding combined."
        )
    [fills] = chosen.tokenizers[side].describe([batch.fill_id])
    return said.format(
        n=number(len(chosen.sentences)),
        length=number(batch.ids(side).shape[1]),
        padding=number(batch.n_padding),
        token=plain(fills.text),
    )


def _kinds_said(batch: PaddedBatch, config: ModelConfig) -> str:
    """Return which masks each kind of attention gets, with the shapes."""
    n_source, n_target = batch.source_BS.shape[1], batch.fed_BT.shape[1]
    said = _(
        "Batch of {n} × {source} source tokens, {padding} of them PAD. Encoder "
        "self-attention ({source} × {source}) and cross-attention ({target} × {source}) get the "
        "padding mask of the source;"
    )
    if config.cross == "none":
        said = _(
            "Batch of {n} × {source} source tokens, {padding} of them PAD. Encoder "
            "self-attention ({source} × {source}) gets the padding mask of the source, and the "
            "decoder has no cross-attention;"
        )
    elif config.encoder_mixing != "attention":
        said = _(
            "Batch of {n} × {source} source tokens, {padding} of them PAD. Cross-attention "
            "({target} × {source}) gets the padding mask of the source, and the encoder has no "
            "self-attention;"
        )
    if config.is_parallel:
        rest = _(
            "decoder self-attention ({target} × {target}) gets the padding mask of the "
            "target, and no look-ahead mask: a parallel decoder is never asked for the next word, "
            "but for words that are masked, and may look at those on both sides of them."
        )
    elif config.decoder_mixing == "attention":
        rest = _(
            "decoder self-attention ({target} × {target}) gets look-ahead and padding combined."
        )
    elif config.decoder_mixing == "none":
        rest = _("the decoder has no self-attention: a word knows nothing of those before it.")
    else:
        rest = _(
            "the decoder has no self-attention: what takes its place has only the words before a "
            "word, and needs no mask."
        )
    return joined([said, rest]).format(
        n=number(len(batch.source_ids)),
        source=number(n_source),
        target=number(n_target),
        padding=number(batch.n_padding),
    )
