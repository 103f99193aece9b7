"""The pictures of the masks lesson: arrays of `core` with titles, axes and labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.analysis.lessons.mask_losses import MaskLoss
from core.analysis.lessons.masking import (
    LOOK_AHEAD,
    PADDING,
    HeadOfBatch,
    Leak,
    Mask,
    PaddedBatch,
    alone,
)
from core.analysis.lessons.prefixes import PrefixCheck
from core.heads import Head, Kind, Side
from core.model.masks import causal_mask
from core.tokenizer import Token, Tokenizer
from pages.frame.maps import labels
from pages.frame.notes import site_and_head
from pages.frame.text import _, percent
from viz.plane.matrices import Axis, Matrices, Matrix, numbered


@dataclass(frozen=True, slots=True)
class Chosen:
    """A batch, and what of it is looked at."""

    tokenizer: Tokenizer
    batch: PaddedBatch
    sentence: int
    head: Head

    @property
    def attention(self) -> Kind:
        """The kind of attention."""
        return self.head.kind

    @property
    def queries(self) -> Axis:
        """The tokens that look, PAD included."""
        side = self.attention.query_side
        looks, fed = _("query: the word that looks"), _("query: the word fed")
        return self._axis(side, fed if side == "target" else looks)

    @property
    def keys(self) -> Axis:
        """The tokens that are looked at, PAD included."""
        return self._axis(self.attention.key_side, _("key: the word looked at"))

    def _axis(self, side: Side, name: str) -> Axis:
        ids = self.batch.ids(side)[self.sentence].tolist()
        described = labels(self.tokenizer.describe(ids))
        return Axis(name=name, labels=described, side=side)


def received(chosen: Chosen, done: HeadOfBatch) -> Matrices:
    """Return the masks of one sentence for one kind of attention, and what the model received."""
    single = alone(chosen.batch, chosen.attention, chosen.sentence)
    titles = {
        PADDING: _("Padding mask: nobody looks at PAD"),
        LOOK_AHEAD: _("Look-ahead mask: nobody looks at what comes later"),
    }
    panels = [_mask(chosen, titles[name], visible_QK) for name, visible_QK in single.items()]
    title = _("What this attention receives in the model")
    return Matrices(panels=[*panels, _mask(chosen, title, done.visible_QK)])


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


def prefix_table(tokens: Sequence[Token]) -> Matrices:
    """Return the decoder's inputs step by step, beside the mask that stands in for them.

    Args:
        tokens: What the decoder is fed, from BOS on.
    """
    n = len(tokens)
    past_TT = causal_mask(n).numpy()
    rows = Axis(name=_("step: the last word fed"), labels=labels(tokens), side="target")
    texts = [token.text for token in tokens]
    table = Matrix(
        title=_("The prefix fed at each step"),
        values=past_TT.astype(np.float32),
        visible=past_TT,
        rows=rows,
        columns=numbered(_("position"), n),
        scale="mask",
        value_name=_("fed"),
        texts=[[*texts[: row + 1], *[""] * (n - row - 1)] for row in range(n)],
        hidden=_("not yet written"),
    )
    mask = Matrix(
        title=_("One masked pass: what each row may look at"),
        values=past_TT.astype(np.float32),
        visible=past_TT,
        rows=rows,
        columns=Axis(name=_("key: the word looked at"), labels=labels(tokens), side="target"),
        scale="mask",
        hidden_value="0",
        value_name=_("may look"),
    )
    return Matrices(panels=[table, mask])


def prefixes_said(check: PrefixCheck, n_all: int) -> str:
    """Return what the passes over the prefixes cost, and that they give the same."""
    n = check.positions_together
    said = [
        _(
            "One by one the {n} prefixes cost {alone} decoder positions, in one masked pass "
            "{together}. No logit of the {n} rows differs by more than {difference:.1e}."
        ).format(
            n=n,
            alone=check.positions_alone,
            together=check.positions_together,
            difference=check.largest_difference,
        )
    ]
    if n_all > n:
        said.append(_("Shown are the first {n} of {all} steps.").format(n=n, all=n_all))
    return " ".join(said)


def score_steps(chosen: Chosen, done: HeadOfBatch) -> Matrices:
    """Return one head's scores before the mask, with it, and after the softmax."""
    scores_QK, visible_QK = done.scores_QK, done.visible_QK
    limit = max(float(np.abs(scores_QK).max()), 1e-6)

    def signed(title: str, visible: NDArray[np.bool_] | None) -> Matrix:
        return Matrix(
            title=title,
            values=scores_QK,
            visible=visible,
            scale="signed",
            limit=limit,
            hidden_value="-inf",
            value_name=_("score"),
            rows=chosen.queries,
            columns=chosen.keys,
        )

    weights = _weights(chosen, done, _("Softmax of each row: the weights"))
    return Matrices(
        panels=[
            signed(_("Scores q·k / √d_k"), None),
            signed(_("With −∞ where hidden"), visible_QK),
            weights,
        ]
    )


def rows_said(chosen: Chosen, done: HeadOfBatch) -> str:
    """Return between what the sums of a head's rows lie."""
    least, most = done.row_sums
    return _("{where}: the rows of all sentences sum to {least:.6f} … {most:.6f}.").format(
        where=site_and_head(chosen.head), least=least, most=most
    )


def with_and_without(
    chosen: Chosen, done: HeadOfBatch, changed: HeadOfBatch, off: Sequence[Mask]
) -> Matrices:
    """Return one head's weights with all masks, and with some left out."""
    titles = {PADDING: _("padding mask off"), LOOK_AHEAD: _("look-ahead mask off")}
    without = ", ".join(titles[mask.name] for mask in off) or _("nothing switched off")
    return Matrices(
        panels=[
            _weights(chosen, done, _("With all masks")),
            _weights(chosen, changed, without[0].upper() + without[1:]),
        ]
    )


def _weights(chosen: Chosen, done: HeadOfBatch, title: str) -> Matrix:
    return Matrix(
        title=title,
        values=done.weights_QK,
        visible=done.visible_QK,
        rows=chosen.queries,
        columns=chosen.keys,
        hidden_value="0",
        value_name=_("weight"),
    )


def leak_said(chosen: Chosen, off: Sequence[Mask], found: Leak) -> str:
    """Return how much of a head's weight went where the masks would not have let it."""
    if not off:
        return _("All masks are on: no weight leaks.")
    said = _("Without {masks}, {padding} of the weight of {where} goes to padding")
    if chosen.attention.causal:
        said += _(", {future} to later words")
    said += _(
        " (mean over the rows that are words, in all {n} sentences). Rows of PAD are computed, "
        "too, but nobody reads them."
    )
    return said.format(
        masks=_(" and ").join(mask_name(mask) for mask in off),
        where=site_and_head(chosen.head),
        padding=percent(found.padding),
        future=percent(found.future),
        n=len(chosen.batch.source_ids),
    )


def mask_name(mask: Mask) -> str:
    """Return what a mask is called."""
    kinds = {
        Kind.ENCODER_SELF: _("encoder self-attention"),
        Kind.DECODER_SELF: _("decoder self-attention"),
        Kind.CROSS: _("cross-attention"),
    }
    names = {
        PADDING: _("the padding mask of {kind}"),
        LOOK_AHEAD: _("the look-ahead mask of {kind}"),
    }
    return names[mask.name].format(kind=kinds[mask.attention])


def case_name(case: MaskLoss) -> str:
    """Return in a few words what was left out when a loss was measured."""
    if len(case.without) != 1:
        return _("no mask on") if case.without else _("all masks on")
    [mask] = case.without
    kinds = {
        Kind.ENCODER_SELF: _("encoder"),
        Kind.DECODER_SELF: _("decoder"),
        Kind.CROSS: _("cross"),
    }
    names = {PADDING: _("{kind}: no padding mask"), LOOK_AHEAD: _("{kind}: no look-ahead")}
    return names[mask.name].format(kind=kinds[mask.attention])


def kinds_said(batch: PaddedBatch) -> str:
    """Return which masks each kind of attention gets, with the shapes."""
    n_source, n_target = batch.source_BS.shape[1], batch.fed_BT.shape[1]
    return _(
        "Batch of {n} × {source} source tokens, {padding} of them PAD. Encoder "
        "self-attention ({source} × {source}) and cross-attention ({target} × {source}) get the "
        "padding mask of the source; decoder self-attention ({target} × {target}) gets look-ahead "
        "and padding combined."
    ).format(n=len(batch.source_ids), source=n_source, target=n_target, padding=batch.n_padding)
