"""What the masks of a padded batch do, and what happens without them.

B batch, S source length, T target length, H heads, Q queries, K keys, V vocabulary.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.evaluation import held_out_pairs
from core.batch import pad
from core.decoding.greedy import decode_greedily
from core.decoding.sentence import fitting_source
from core.masks import PAD, causal_mask, padding_mask
from core.model import Probes, Record, Remask, Site, Step, Transformer
from core.run import Run, RunError
from core.tokenizer import BOS, EOS

PADDING, LOOK_AHEAD = "padding", "look-ahead"


@dataclass(frozen=True, slots=True)
class Mask:
    """One mask of one kind of attention."""

    attention: str
    """Such as decoder.self."""
    name: str
    """PADDING or LOOK_AHEAD."""


MASKS = (
    Mask("encoder.self", PADDING),
    Mask("decoder.self", PADDING),
    Mask("decoder.self", LOOK_AHEAD),
    Mask("decoder.cross", PADDING),
)


@dataclass(frozen=True, eq=False)
class PaddedBatch:
    """Sentences side by side, filled up with PAD to the longest."""

    source_BS: Tensor
    fed_BT: Tensor
    """BOS and the model's own translation: what the decoder is fed, teacher-forced."""
    cut: tuple[bool, ...]
    """True where the end of a sentence was cut off to fit the model."""


def padded_batch(run: Run, sentences: Sequence[str]) -> PaddedBatch:
    """Return sentences with their translations as one batch.

    Raises:
        SentenceError: One of them has no text.
    """
    fitted = [fitting_source(run, sentence) for sentence in sentences]
    source_BS = pad([ids for ids, _ in fitted])
    written = decode_greedily(run.model, source_BS)
    fed = [(BOS, *(ids[:-1] if ids[-1:] == (EOS,) else ids)) for ids in written]
    longest = run.settings.model.max_positions
    return PaddedBatch(
        source_BS, pad([ids[:longest] for ids in fed]), tuple(cut for _, cut in fitted)
    )


def companions(run: Run, n: int = 40) -> tuple[str, ...]:
    """Return two held-out sentences of the run's task, the shortest and a middling of `n`.

    Empty where the task's file of pairs cannot be used any more.
    """
    try:
        pairs = held_out_pairs(run, n, seed=0)
    except RunError:
        return ()
    by_length = sorted(pairs, key=lambda pair: len(pair.source))
    return (by_length[len(pairs) // 2].text, by_length[0].text)


def visible(
    source_BS: Tensor, target_BT: Tensor, without: Collection[Mask] = ()
) -> Mapping[str, Tensor]:
    """Return what each kind of attention may look at.

    Args:
        source_BS: Padded source ids.
        target_BT: Padded target ids.
        without: Masks that are left out.

    Returns:
        Kind of attention → visible_BQK with dimensions of size 1 where all are the same; for
        decoder.self both masks combined, for the others the source's padding mask alone.
    """
    everything_111 = torch.ones(1, 1, 1, dtype=torch.bool)
    masks = {
        Mask("encoder.self", PADDING): padding_mask(source_BS),
        Mask("decoder.self", PADDING): padding_mask(target_BT),
        Mask("decoder.self", LOOK_AHEAD): causal_mask(target_BT.shape[1])[None],
        Mask("decoder.cross", PADDING): padding_mask(source_BS),
    }
    combined = {mask.attention: everything_111 for mask in MASKS}
    for mask in set(MASKS) - set(without):
        combined[mask.attention] = combined[mask.attention] & masks[mask]
    return combined


@dataclass(frozen=True, eq=False)
class Attended:
    """What one attention sublayer did with a batch."""

    visible_BQK: NDArray[np.bool_]
    scores_BHQK: NDArray[np.float32]
    """Divided by √d_k, before the mask."""
    weights_BHQK: NDArray[np.float32]


@torch.inference_mode()
def attended(
    model: Transformer, batch: PaddedBatch, site: Site, without: Collection[Mask] = ()
) -> Attended:
    """Run a batch with some masks left out in all layers, and record one sublayer."""
    record = Record(frozenset({Step.VISIBLE, Step.SCORES, Step.WEIGHTS}), frozenset({site}))
    probes = [Remask(visible(batch.source_BS, batch.fed_BT, without))] if without else []
    model(batch.source_BS, batch.fed_BT, Probes([*probes, record]))
    scores, weights = (record.tensors[site, step] for step in (Step.SCORES, Step.WEIGHTS))
    n_batch, _, n_queries, n_keys = weights.shape
    seen_BQK = record.tensors[site, Step.VISIBLE].expand(n_batch, n_queries, n_keys)
    return Attended(seen_BQK.numpy(), scores.numpy(), weights.numpy())


def attended_of_run(
    run: Run, sentences: tuple[str, ...], site: Site, without: tuple[Mask, ...]
) -> Attended:
    """Do `attended` for sentences as `padded_batch` puts them together."""
    return attended(run.model, padded_batch(run, sentences), site, without)


@dataclass(frozen=True, slots=True)
class Leak:
    """Shares of a head's weight that lie where the masks would have put none, 0 to 1."""

    padding: float
    """On padded keys."""
    future: float
    """On later words; 0 outside decoder self-attention, where every word may be looked at."""


def leak(weights_BHQK: NDArray[np.float32], batch: PaddedBatch, attention: str, head: int) -> Leak:
    """Return how much weight of a head is on padding and on the future, over rows that are words.

    Args:
        weights_BHQK: Of a sublayer.
        batch: That it looked at.
        attention: Its kind, such as decoder.self.
        head: The one that is meant.
    """
    queries_BQ = batch.source_BS if attention == "encoder.self" else batch.fed_BT
    keys_BK = batch.fed_BT if attention == "decoder.self" else batch.source_BS
    weights_NK = weights_BHQK[:, head][(queries_BQ != PAD).numpy()].astype(np.float64)
    n_queries, n_keys = weights_BHQK.shape[2:]
    padded_BQK = (keys_BK == PAD)[:, None, :].expand(-1, n_queries, n_keys).numpy()
    padded_NK = padded_BQK[(queries_BQ != PAD).numpy()]
    later_QK = np.triu(np.ones((n_queries, n_keys), bool), 1) & (attention == "decoder.self")
    later_NK = np.broadcast_to(later_QK, padded_BQK.shape)[(queries_BQ != PAD).numpy()]
    total = len(weights_NK)
    return Leak(
        padding=float(weights_NK[padded_NK].sum() / total),
        future=float(weights_NK[later_NK & ~padded_NK].sum() / total),
    )
