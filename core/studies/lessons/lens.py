"""The logit lens: what a model would say if its layers ended here (nostalgebraist 2020).

S source length, T target length, K positions (either), L depths, D model width, V vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.batch import one_row, pad
from core.config import ModelConfig
from core.decoding.step import sayable
from core.describe import describe
from core.describe.formulas import normalised
from core.heads import Stack
from core.messages import Message
from core.model import Record, Step, Transformer


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """What a distribution over tokens says at every depth of one stack, for every position.

    Depth 0 is the embedding, depth l + 1 the residual stream after layer l. PAD and BOS, which are
    no words, have probability 0.
    """

    best_LK: NDArray[np.int64]
    """The most probable token's id."""
    best_probability_LK: NDArray[np.float64]
    followed_K: NDArray[np.int64]
    """The token that is followed through depth: in the decoder the one that the model predicts in
    the end, in the encoder the one that stands there."""
    followed_probability_LK: NDArray[np.float64]
    followed_rank_LK: NDArray[np.int64]
    """How many tokens are more probable than the followed one; 0 when it is the best."""
    entropy_LK: NDArray[np.float64]
    """How undecided the distribution is, in nats."""
    divergence_LK: NDArray[np.float64]
    """KL(last depth ‖ this depth) in nats: what taking this depth's word for the last one's would
    cost. 0 at the last."""

    @property
    def decided_last(self) -> int:
        """The position whose followed token has the highest rank one layer before the end."""
        return int(self.followed_rank_LK[-2].argmax())

    def decided(self, position: int) -> int | None:
        """Return the depth from which on the followed token is the best guess of a position.

        None where it is not at the end.
        """
        behind_L = np.flatnonzero(self.followed_rank_LK[:, position])
        first = int(behind_L[-1]) + 1 if len(behind_L) else 0
        return first if first < len(self.best_LK) else None

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each depth: `no layer`, then `layer 0` and so on; messages to translate."""
        layers = range(len(self.best_LK) - 1)
        return (Message("no layer"), *(Message("layer {layer}", layer=each) for each in layers))


@torch.inference_mode()
def decoder_lens(model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]) -> Lens:
    """Read the decoder's guess of the next token at every depth.

    The stream goes through what comes after the last layer: the last norm (post-norm models have
    none), the output matrix, the softmax. At the last depth this is the model's own distribution.

    Args:
        model: In evaluation mode.
        source_ids: The source, with EOS.
        fed_ids: What the decoder is fed, BOS first.
    """
    record = Record(frozenset({Step.STREAM_OUT}))
    logits_BTV = model(one_row(source_ids), one_row(fed_ids), record)
    stream = _depths(model, record, "decoder")
    # One depth after the other, in the shape that the model has: the last is its own, bit by bit.
    logits = [model.logits(x_BTD)[0] for x_BTD in stream]
    said_TV = sayable(logits_BTV[0], model.config)
    return _lens(torch.stack(logits), said_TV.argmax(dim=-1), model.config)


@torch.inference_mode()
def encoder_lens(model: Transformer, source_ids: Sequence[int]) -> Lens:
    """Read which token's vector has the largest dot product with the encoder's stream.

    Nothing in the model asks the encoder for a word: this is the dot product of the stream, after
    the encoder's last norm (post-norm models have none), with every token's vector of the source
    embedding, and the softmax of it. It says how much of a token is still to be read where it
    stands, not what the model thinks.

    Args:
        model: In evaluation mode.
        source_ids: The source, with EOS.
    """
    record = Record(frozenset({Step.STREAM_OUT}))
    source_BS = pad([source_ids])
    model.encode(source_BS, record)
    tokens_VD = model.source_embedding.tokens.weight
    stream = _depths(model, record, "encoder")
    logits = [model.encoder_norm(x_BSD)[0] @ tokens_VD.T for x_BSD in stream]
    return _lens(torch.stack(logits), source_BS[0], model.config)


def _depths(model: Transformer, record: Record, stack: Stack) -> list[Tensor]:
    sites = describe(model, 1, 1).depths(stack)
    return [record.tensors[site, Step.STREAM_OUT] for site in sites]


def formula(model: Transformer, stack: Stack) -> str:
    """Return how a depth of a stack is read, in LaTeX."""
    last = normalised(model.final_norm(stack), "x_l")
    return (
        rf"p_l = \mathrm{{softmax}}\!\left(W\, {last}\right), \quad W: "
        r"\text{output matrix; in the encoder the source embedding; PAD and BOS left out}"
    )


def _lens(logits_LKV: Tensor, followed_K: Tensor, config: ModelConfig) -> Lens:
    log_LKV = sayable(logits_LKV, config).double().log_softmax(dim=-1)
    probabilities_LKV = log_LKV.exp()
    best_LK = log_LKV.argmax(dim=-1)
    followed_LK1 = followed_K.expand(best_LK.shape)[..., None]
    followed_log_LK1 = log_LKV.gather(-1, followed_LK1)
    # Tokens that cannot be said have −∞ on both sides, and add nothing.
    possible_LKV = log_LKV.masked_fill(log_LKV == -math.inf, 0.0)
    last_KV = probabilities_LKV[-1]
    divergence_LK = (last_KV * (possible_LKV[-1] - possible_LKV)).sum(dim=-1)
    return Lens(
        best_LK=best_LK.numpy(),
        best_probability_LK=probabilities_LKV.amax(dim=-1).numpy(),
        followed_K=followed_K.numpy(),
        followed_probability_LK=followed_log_LK1.exp()[..., 0].numpy(),
        followed_rank_LK=(log_LKV > followed_log_LK1).sum(dim=-1).numpy(),
        entropy_LK=torch.special.entr(probabilities_LKV).sum(dim=-1).numpy(),
        # Rounding must not make a sum negative.
        divergence_LK=divergence_LK.clamp_min(0.0).numpy(),
    )
