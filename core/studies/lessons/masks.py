"""The masks of a padded batch: what each hides, what leaks without it, what leaving it out costs.

B batch, S source length, T target length, H heads, Q queries, K keys, V vocabulary.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import Batch, Pair, collate, pad
from ...check import Report, check
from ...config import ModelConfig
from ...decoding.generate import generate
from ...decoding.sentence import fitting_source, model_input
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.loss import token_loss
from ...heads import Head, Kind, Side
from ...labels import held_out_as_learned
from ...model import Probes, Record, Remask, Step, Transformer
from ...model.masks import causal_mask, padding_mask
from ...runs.run import Run, RunError
from ...vocabulary import PAD
from ..cells import Table, cells, stacked
from .of_sentence import OfSentence, described

PADDING, LOOK_AHEAD = "padding", "look-ahead"
BATCH = 50
"""Sentences of all lengths go into one batch, so that there is padding to look at."""


@dataclass(frozen=True, slots=True)
class Mask:
    """One mask of one kind of attention."""

    attention: Kind
    name: str
    """PADDING or LOOK_AHEAD."""


MASKS = tuple(
    Mask(kind, name)
    for kind in Kind
    for name in ((PADDING, LOOK_AHEAD) if kind.causal else (PADDING,))
)


@dataclass(frozen=True, slots=True)
class PaddedBatch:
    """Sentences side by side, filled up with PAD to the longest."""

    source_ids: tuple[tuple[int, ...], ...]
    """Empty for a decoder alone."""
    fed_ids: tuple[tuple[int, ...], ...]
    """BOS and the model's own translation: what the decoder is fed, teacher-forced; of a decoder
    alone the sentences themselves. Empty for an encoder alone."""
    cut: bool
    """True where the end of a sentence was cut off to fit the model."""
    pad_id: int = PAD
    """The token that fills up; −1 where the model has none."""
    looks_ahead: bool = False
    """True for a parallel decoder, which has no look-ahead mask."""
    fill_id: int = PAD
    """What is put there: PAD, or where there is none another, which the look-ahead mask hides."""

    @property
    def missing(self) -> tuple[Mask, ...]:
        """The masks that this model does not have."""
        absent = [LOOK_AHEAD] * self.looks_ahead + [PADDING] * (self.pad_id < 0)
        return tuple(each for each in MASKS if each.name in absent)

    @property
    def source_BS(self) -> Tensor:
        """The sources as the encoder gets them."""
        return pad(self.source_ids, pad_id=self.fill_id)

    @property
    def fed_BT(self) -> Tensor:
        """The targets as the decoder gets them."""
        return pad(self.fed_ids, pad_id=self.fill_id)

    @property
    def inputs(self) -> tuple[Tensor | None, Tensor | None]:
        """What a model takes: source_BS and fed_BT, None for a stack that it does not have."""
        return (
            self.source_BS if any(self.source_ids) else None,
            self.fed_BT if any(self.fed_ids) else None,
        )

    def ids(self, side: Side) -> Tensor:
        """Return the tokens that the encoder gets, ids_BS, or the decoder, ids_BT."""
        return self.source_BS if side == "source" else self.fed_BT

    def is_text(self, side: Side) -> NDArray[np.bool_]:
        """Return is_text_BK: True for the tokens of a sentence, False for those that fill up.

        Their ids do not tell: there are models in which a target begins with what fills up.
        """
        rows = self.source_ids if side == "source" else self.fed_ids
        lengths_B = np.array([len(row) for row in rows])
        return np.arange(lengths_B.max()) < lengths_B[:, None]


def padded_batch(run: Run, sentences: Sequence[str]) -> PaddedBatch:
    """Return sentences with their translations as one batch; of one stack the sentences alone."""
    config = run.model.config
    rows, cut = read_texts(run, sentences)
    if not config.is_encoder_decoder:
        none: tuple[tuple[int, ...], ...] = ((),) * len(rows)
        sides = (rows, none) if "encoder" in config.stacks else (none, rows)
        return PaddedBatch(*sides, cut, config.pad_id, fill_id=fill_id(config))
    written = generate(run.model, pad(rows, pad_id=config.pad_id))
    fed = [
        (*config.begins, *(ids[:-1] if set(ids[-1:]) & set(config.eos_ids) else ids))
        for ids in written
    ]
    fed_ids = tuple(ids[: config.max_positions] for ids in fed)
    return PaddedBatch(rows, fed_ids, cut, config.pad_id, config.is_parallel, fill_id(config))


def fill_id(config: ModelConfig) -> int:
    """Return what fills up a batch: PAD, and where a model has none EOS, if it has that."""
    return config.pad_id if config.pad_id >= 0 else next(iter(config.eos_ids), 0)


def read_texts(run: Run, sentences: Sequence[str]) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return the ids that the first stack reads, and whether a sentence was cut to fit the model.

    An encoder reads a sentence with EOS, a decoder alone goes on from it.
    """
    if run.model.config.n_encoder_layers:
        fitted = [fitting_source(run, sentence) for sentence in sentences]
        return tuple(ids for ids, _ in fitted), any(cut for _, cut in fitted)
    given = [model_input(run, sentence) for sentence in sentences]
    return tuple(each.prompt for each in given), any(each.cut for each in given)


def companions(run: Run, n: int = 40) -> tuple[str, ...]:
    """Return the longest and the shortest of `n` held-out sentences of the run's task.

    Source and target count together: beside the longest, most sentences are filled up with PAD on
    both sides. Empty where the task's file of pairs cannot be used any more.
    """
    try:
        pairs = held_out_pairs(run, n, seed=0)
    except RunError:
        return ()
    by_length = sorted(pairs, key=lambda pair: len(pair.source) + len(pair.target))
    return (by_length[-1].text, by_length[0].text)


def visible(
    source_BS: Tensor, target_BT: Tensor, without: Collection[Mask] = (), pad_id: int = PAD
) -> Mapping[Kind, Tensor]:
    """Return what each kind of attention may look at.

    Returns:
        Kind of attention → visible_BQK with dimensions of size 1 where all are the same; in
        decoder self-attention both masks combined, else the source's padding mask alone.
    """
    everything_111 = torch.ones(1, 1, 1, dtype=torch.bool)
    ids: Mapping[Side, Tensor] = {"source": source_BS, "target": target_BT}
    combined = {mask.attention: everything_111 for mask in MASKS}
    for mask in set(MASKS) - set(without):
        keys_BK = ids[mask.attention.key_side]
        if not keys_BK.shape[1]:
            # A stack that the model does not have.
            continue
        if mask.name == LOOK_AHEAD:
            alone_BQK = causal_mask(keys_BK.shape[1])[None]
        else:
            alone_BQK = padding_mask(keys_BK, pad_id)
            alone_BQK[..., 0] |= mask.attention.key_side == "target"
        combined[mask.attention] = combined[mask.attention] & alone_BQK
    return combined


def alone(batch: PaddedBatch, kind: Kind, sentence: int) -> Mapping[str, NDArray[np.bool_]]:
    """Return visible_QK of each mask that a kind of attention has, taken by itself."""
    n_queries, n_keys = (batch.ids(side).shape[1] for side in kind.sides)
    n_batch = len(batch.source_ids)
    found = {}
    for mask in MASKS:
        if mask.attention is kind and mask not in batch.missing:
            others = set(MASKS) - {mask}
            visible_BQK = visible(batch.source_BS, batch.fed_BT, others, batch.pad_id)[kind]
            found[mask.name] = visible_BQK.expand(n_batch, n_queries, n_keys)[sentence].numpy()
    return found


@dataclass(frozen=True, slots=True)
class Leak:
    """Shares of a head's weight that lie where the masks would have put none, 0 to 1."""

    padding: float
    """On padded keys."""
    future: float
    """On later words; 0 outside decoder self-attention, where every word may be looked at."""


def leak(weights_BHQK: NDArray[np.float32], batch: PaddedBatch, head: Head) -> Leak:
    """Return how much weight a head has on padding and on the future, over rows of words."""
    queries_BQ, keys_BK = (batch.is_text(side) for side in head.kind.sides)
    weights_NK = weights_BHQK[:, head.index][queries_BQ].astype(np.float64)
    n_queries, n_keys = weights_BHQK.shape[2:]
    padded_BQK = np.broadcast_to(~keys_BK[:, None, :], (len(keys_BK), n_queries, n_keys))
    padded_NK = padded_BQK[queries_BQ]
    later_QK = np.triu(np.ones((n_queries, n_keys), bool), 1)
    later_QK &= head.kind.causal and not batch.looks_ahead
    later_NK = np.broadcast_to(later_QK, padded_BQK.shape)[queries_BQ]
    total = len(weights_NK)
    return Leak(
        padding=float(weights_NK[padded_NK].sum() / total),
        future=float(weights_NK[later_NK & ~padded_NK].sum() / total),
    )


@dataclass(frozen=True, slots=True, eq=False)
class HeadOfBatch:
    """What one head did with one sentence of a batch."""

    visible_QK: NDArray[np.bool_]
    weights_QK: NDArray[np.float32]
    leak: Leak
    """Over all sentences."""
    masks: Mapping[str, NDArray[np.bool_]]
    """PADDING, LOOK_AHEAD → visible_QK of the mask by itself, as far as the attention has it."""

    def table(self) -> Table:
        """Return a row for each query and key."""
        return cells(
            "query",
            "key",
            {
                **{f"{name} mask": mask_QK for name, mask_QK in self.masks.items()},
                "may_look": self.visible_QK,
                "weight": self.weights_QK,
            },
        )


@torch.inference_mode()
def head_of_batch(
    model: Transformer,
    batch: PaddedBatch,
    head: Head,
    sentence: int,
    without: Collection[Mask] = (),
) -> HeadOfBatch:
    """Run a batch with some masks left out in all layers; return one head of one sentence."""
    site, index = head.site, head.index
    record = Record(frozenset({Step.VISIBLE, Step.WEIGHTS}), frozenset({site}))
    changed = visible(batch.source_BS, batch.fed_BT, {*without, *batch.missing}, batch.pad_id)
    probes = [Remask(changed)] if without else []
    model(*batch.inputs, Probes([*probes, record]))
    weights_BHQK = record.tensors[site, Step.WEIGHTS].numpy()
    n_batch, _, n_queries, n_keys = weights_BHQK.shape
    visible_BQK = record.tensors[site, Step.VISIBLE].expand(n_batch, n_queries, n_keys)
    return HeadOfBatch(
        visible_QK=visible_BQK[sentence].numpy().copy(),
        weights_QK=weights_BHQK[sentence, index].copy(),
        leak=leak(weights_BHQK, batch, head),
        masks=alone(batch, head.kind, sentence),
    )


@dataclass(frozen=True, slots=True)
class MaskLoss:
    """How good a model is under teacher forcing when masks are left out in all its layers."""

    without: tuple[Mask, ...]
    loss: float
    """Cross-entropy per target token, in nats."""


def mask_losses(run: Run, sentences: Sequence[str], n: int) -> tuple[MaskLoss, ...]:
    """Measure on `n` held-out sentences: with all masks, without each, and without several.

    Several are all of one kind of attention, and all there are.

    An opened decoder alone is measured in the texts themselves, where it predicts each next token;
    nothing is returned where no text has two tokens.
    """
    config = run.model.config
    if reads_texts(run):
        rows, _cut = read_texts(run, sentences)
        pairs = [Pair(source=(), target=row) for row in rows if len(row) > 1]
    else:
        pairs = held_out_pairs(run, n, seed=0)
        if not config.is_encoder_decoder:
            pairs = held_out_as_learned(pairs, config, run.tokenizer)
    return _cases(run.model, pairs) if pairs else ()


def reads_texts(run: Run) -> bool:
    """Return whether a loss is that of the texts shown: nobody knows what the model learned."""
    return run.settings.is_opened and run.settings.model.is_decoder_only


def checked(model: Transformer, batch: PaddedBatch) -> Report:
    """Return whether a model sees what it must not see in the longest text of a batch.

    A copy of the model with the same weights is checked: others may use the model meanwhile.
    """
    weights = {id(x): x for x in (*model.parameters(), *model.buffers())}
    return check(deepcopy(model, weights), batch.inputs)


def masks_of(config: ModelConfig) -> tuple[Mask, ...]:
    """Return the masks that a model has; one without PAD hides no padding."""
    stacks = config.stacks
    return tuple(
        mask
        for mask in MASKS
        if mask.attention.stack in stacks
        and (len(stacks) == 2 or mask.attention.is_self)
        and (config.pad_id >= 0 or mask.name != PADDING)
    )


def _cases(model: Transformer, pairs: Sequence[Pair]) -> tuple[MaskLoss, ...]:
    masks = masks_of(model.config)
    batches = list(_batches(pairs, model.config.pad_id))
    # Where there is but one mask, to leave out all is to leave out that.
    of_kinds = (tuple(mask for mask in masks if mask.attention is kind) for kind in Kind)
    several = (of_kind for of_kind in of_kinds if len(of_kind) > 1)
    cases = list(dict.fromkeys([(), *((mask,) for mask in masks), *several, masks]))
    return tuple(_measured(model, batches, case) for case in cases)


def _batches(pairs: Sequence[Pair], pad_id: int) -> Iterator[Batch]:
    for start in range(0, len(pairs), BATCH):
        yield collate(pairs[start : start + BATCH], pad_id)


@torch.inference_mode()
def _measured(model: Transformer, batches: Sequence[Batch], without: tuple[Mask, ...]) -> MaskLoss:
    loss, n_tokens = 0.0, 0
    for batch in batches:
        probe = None
        if without:
            probe = Remask(visible(batch.source_BS, batch.fed_BT, without, batch.pad_id))
        # Where there is no PAD, another token fills up: what stands before it does not look ahead.
        fills = fill_id(model.config)
        given = [each if each is None else each.where(each >= 0, fills) for each in batch.inputs]
        logits_BTV = model(*given, probe)
        loss += token_loss(logits_BTV, batch.labels_BT, pad_id=batch.pad_id).item() * batch.n_tokens
        n_tokens += batch.n_tokens
    return MaskLoss(without, loss / n_tokens)


def masked_head(
    run: Run, batch: PaddedBatch, head: Head, sentence: int = 0
) -> OfSentence[HeadOfBatch]:
    """Return what a head does with one sentence of a padded batch."""
    found = head_of_batch(run.model, batch, head, sentence)
    return OfSentence(found, _of_batch(run, batch, head, sentence))


@dataclass(frozen=True, slots=True, eq=False)
class WithoutMasks:
    """A head with all masks and with some left out, and what each mask is worth."""

    before: HeadOfBatch
    after: HeadOfBatch
    without: tuple[Mask, ...]
    losses: tuple[MaskLoss, ...]
    """Empty where they were not measured."""

    def table(self) -> Table:
        """Return a row for each query and key, the leaks, and the losses."""
        weights = {"weight": self.before.weights_QK, "weight_without": self.after.weights_QK}
        sides = {"": self.before.leak, _named(self.without): self.after.leak}
        leaks: Table = {
            "without": list(sides),
            "leak_to_padding": [each.padding for each in sides.values()],
            "leak_to_future": [each.future for each in sides.values()],
        }
        losses: Table = {
            "without": [_named(each.without) for each in self.losses],
            "loss": [each.loss for each in self.losses],
        }
        return stacked(cells("query", "key", weights), leaks, losses)


def without_masks(
    run: Run,
    batch: PaddedBatch,
    head: Head,
    sentence: int,
    without: Sequence[Mask],
    losses: Sequence[MaskLoss] = (),
) -> OfSentence[WithoutMasks]:
    """Compare a head with all masks and with some left out; see `masked_head`."""
    before = head_of_batch(run.model, batch, head, sentence)
    after = head_of_batch(run.model, batch, head, sentence, without)
    found = WithoutMasks(before, after, tuple(without), tuple(losses))
    return OfSentence(found, _of_batch(run, batch, head, sentence))


def _named(masks: Sequence[Mask]) -> str:
    return ", ".join(f"{mask.attention}:{mask.name}" for mask in masks)


def _of_batch(
    run: Run, batch: PaddedBatch, head: Head, sentence: int
) -> Mapping[str, tuple[str, ...]]:
    """Return the tokens of queries and keys, what fills up among them."""
    sides = dict(zip(("query", "key"), head.kind.sides, strict=True))
    return {
        name: described(run, side, batch.ids(side)[sentence].tolist())
        for name, side in sides.items()
    }
