"""From layer to layer: the residual stream, what could be read off it, and what norms do to it.

B batch, S source length, K positions of either stack, L depths, D model width, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import one_row, pad
from ...config import ModelConfig
from ...decoding.sentence import translate
from ...decoding.step import mask_special_tokens
from ...describe.formulas import normalised
from ...heads import Kind, Site, Stack
from ...messages import N_, Message
from ...model import Record, Step, Transformer
from ...runs.run import Run
from ..cells import Table, cells
from .masks import read_texts
from .of_sentence import OfSentence, described, texts_of

_SUBLAYERS = {
    "embedding": N_("embedding"),
    "self": Kind.ENCODER_SELF.sublayer_label,
    "cross": Kind.CROSS.sublayer_label,
    "recurrent": N_("recurrent unit"),
    "mixing": N_("mixing"),
    "feed_forward": N_("feed-forward"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The vectors of one stack's positions, after the embedding and after each sublayer."""

    sites: tuple[Site, ...]
    """After which part each depth is; the embedding first."""
    norms_LK: NDArray[np.float64]
    """Euclidean norm of every position's vector. In a post-norm model a LayerNorm made it; in a
    pre-norm model the stack's last norm comes after the last depth, and is not in it."""
    added_LK: NDArray[np.float64]
    """Norm of what was added at each depth, one row fewer: the embedding adds to nothing."""

    def most_added(self, position: int) -> int:
        """Return the depth, the embedding being 0, at which most was added to a position."""
        return 1 + int(self.added_LK[:, position].argmax())

    @property
    def names(self) -> tuple[str, ...]:
        """Messages that call each depth by name: `embedding`, `self-attention 0` and so on."""
        return tuple(map(sublayer_name, self.sites))

    def table(self) -> Table:
        """Return a row for each depth and position."""
        nothing_1K = np.full((1, self.added_LK.shape[1]), np.nan)
        measures = {
            "norm": self.norms_LK,
            "added": np.concatenate([nothing_1K, self.added_LK]),
        }
        found = cells("depth", "position", measures)
        return found | {"after": [self.names[depth] for depth in found["depth"]]}


def sublayer_name(site: Site) -> Message:
    """Return a message that calls a sublayer, or the embedding, by name."""
    # A sublayer that is not known here is called as its model calls it.
    sublayer = Message(_SUBLAYERS.get(site.sublayer, site.sublayer))
    if site.sublayer == "embedding":
        return sublayer
    return Message("{sublayer} {layer}", layer=site.layer, sublayer=sublayer)


@torch.inference_mode()
def residual_stream(
    model: Transformer, source_ids: Sequence[int], fed_ids: Sequence[int]
) -> Mapping[Stack, Stream]:
    """Follow every position of both stacks through one forward pass."""
    record = Record(frozenset({Step.STREAM_OUT, Step.ADDED}))
    model(one_row(source_ids), one_row(fed_ids), record)
    return recorded_streams(model, record)


def recorded_streams(model: Transformer, record: Record) -> Mapping[Stack, Stream]:
    """Return the stream of each stack of a pass that recorded `STREAM_OUT` and `ADDED`."""
    return {stack: _stream(record, model.stream_sites(stack)) for stack in model.config.stacks}


def _stream(record: Record, sites: Sequence[Site]) -> Stream:
    def vectors(sites: Sequence[Site], step: Step) -> NDArray[np.float64]:
        return np.stack([record.tensors[site, step][0].double().numpy() for site in sites])

    stream_LKD = vectors(sites, Step.STREAM_OUT)
    return Stream(
        sites=tuple(sites),
        norms_LK=np.linalg.norm(stream_LKD, axis=-1),
        added_LK=np.linalg.norm(vectors(sites[1:], Step.ADDED), axis=-1),
    )


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

    def table(self) -> Table:
        """Return a row for each depth and position."""
        found = cells(
            "depth",
            "position",
            {
                "best_id": self.best_LK,
                "its_probability": self.best_probability_LK,
                "its_probability_followed": self.followed_probability_LK,
                "more_probable_tokens": self.followed_rank_LK,
            },
        )
        followed = [int(self.followed_K[position]) for position in found["position"]]
        return found | {"followed_id": followed}

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
    """
    record = Record(frozenset({Step.STREAM_OUT}))
    logits_BTV = model(one_row(source_ids), one_row(fed_ids), record)
    return recorded_lens(model, record, logits_BTV)


def recorded_lens(model: Transformer, record: Record, logits_BTV: Tensor) -> Lens:
    """Return the decoder's lens of a pass that recorded `STREAM_OUT`; see `decoder_lens`."""
    stream = _depths(model, record, "decoder")
    # One depth after the other, in the shape that the model has: the last is its own, bit by bit.
    logits = [model.logits(x_BTD)[0] for x_BTD in stream]
    said_TV = mask_special_tokens(logits_BTV[0], model.config)
    return _lens(torch.stack(logits), said_TV.argmax(dim=-1), model.config)


@torch.inference_mode()
def encoder_lens(model: Transformer, source_ids: Sequence[int]) -> Lens:
    """Read which token's vector has the largest dot product with the encoder's stream.

    Nothing in the model asks the encoder for a word: this is the dot product of the stream, after
    the encoder's last norm (post-norm models have none), with every token's vector of the source
    embedding, and the softmax of it. It says how much of a token is still to be read where it
    stands, not what the model thinks.
    """
    record = Record(frozenset({Step.STREAM_OUT}))
    source_BS = pad([source_ids])
    model.encode(source_BS, record)
    tokens_VD = model.embedding("encoder").tokens.weight
    stream = _depths(model, record, "encoder")
    logits = [model.encoder_norm(x_BSD)[0] @ tokens_VD.T for x_BSD in stream]
    return _lens(torch.stack(logits), source_BS[0], model.config)


def _depths(model: Transformer, record: Record, stack: Stack) -> list[Tensor]:
    embedding, *sites = model.stream_sites(stack)
    depths = [embedding, *{site.layer: site for site in sites}.values()]
    return [record.tensors[site, Step.STREAM_OUT] for site in depths]


def formula(model: Transformer, stack: Stack) -> str:
    """Return how a depth of a stack is read, in LaTeX."""
    last = normalised(model.final_norm(stack), "x_l")
    return (
        rf"p_l = \mathrm{{softmax}}\!\left(W\, {last}\right), \quad W: "
        r"\text{output matrix; in the encoder the source embedding; PAD and BOS left out}"
    )


def _lens(logits_LKV: Tensor, followed_K: Tensor, config: ModelConfig) -> Lens:
    log_LKV = mask_special_tokens(logits_LKV, config).double().log_softmax(dim=-1)
    best_LK = log_LKV.argmax(dim=-1)
    followed_LK1 = followed_K.expand(best_LK.shape)[..., None]
    followed_log_LK1 = log_LKV.gather(-1, followed_LK1)
    return Lens(
        best_LK=best_LK.numpy(),
        best_probability_LK=log_LKV.exp().amax(dim=-1).numpy(),
        followed_K=followed_K.numpy(),
        followed_probability_LK=followed_log_LK1.exp()[..., 0].numpy(),
        followed_rank_LK=(log_LKV > followed_log_LK1).sum(dim=-1).numpy(),
    )


EPS = 1e-5
"""What both norms add to a variance before its root is taken."""


def batch_norm(
    x_BKD: NDArray[np.float64], counted_BK: NDArray[np.bool_], eps: float = EPS
) -> NDArray[np.float64]:
    """Return what BatchNorm makes of a batch in training: normed_BKD, without gain and bias.

    Every feature is brought to mean 0 and variance 1 over positions (Ioffe & Szegedy 2015,
    algorithm 1); the variance divides by how many there are.

    Args:
        x_BKD: All positions of all sentences.
        counted_BK: True where a position goes into mean and variance; the others are normalised
            with what those have.
        eps: Added to the variance.
    """
    counted = x_BKD[counted_BK]
    return (x_BKD - counted.mean(axis=0)) / np.sqrt(counted.var(axis=0) + eps)


@dataclass(frozen=True, slots=True, eq=False)
class Norms:
    """A norm of a sentence, and how far its vectors move when other sentences stand beside it.

    Changes are mean absolute ones per position, relative to the sentence alone. A bare feature's
    standard deviation is about 1, so that 1 would be a large change.
    """

    layer_norm_K: NDArray[np.float64]
    """The model's own LayerNorm, with gain and bias, in a padded batch: 0 but for rounding. It
    counts no other position, so that padding makes no second case."""
    batch_norm_K: NDArray[np.float64]
    """BatchNorm over the tokens of all the sentences."""
    n_alone: int
    """Positions of the sentence."""

    def table(self) -> Table:
        """Return a row for each position."""
        return {
            "position": list(range(self.n_alone)),
            "layer_norm": self.layer_norm_K.tolist(),
            "batch_norm": self.batch_norm_K.tolist(),
        }


@torch.inference_mode()
def study_norms(
    model: Transformer, site: Site, source_ids: Sequence[int], others: Sequence[Sequence[int]]
) -> Norms:
    """Compare a LayerNorm with BatchNorm on the vectors that it gets in the model.

    Two passes of the stack that reads: the sentence alone, and the sentence as the first of a
    batch.
    """
    alone_B1 = pad([source_ids])
    # A model without a token that fills up is a decoder alone, which sees nothing of what follows.
    together_BS = pad([source_ids, *others], pad_id=max(model.config.pad_id, 0))
    before_alone, after_alone = _encoded(model, site, alone_B1)
    before, after = _encoded(model, site, together_BS)
    lengths_B = np.array([len(ids) for ids in (source_ids, *others)])
    tokens_BS = np.arange(together_BS.shape[1]) < lengths_B[:, None]
    length = len(source_ids)
    reference_KD = batch_norm(before_alone, tokens_BS[:1, :length])[0]

    def change(normed_BSD: NDArray[np.float64], alone_KD: NDArray[np.float64]) -> NDArray[Any]:
        return np.abs(normed_BSD[0, :length] - alone_KD).mean(axis=-1)

    return Norms(
        layer_norm_K=change(after, after_alone[0]),
        batch_norm_K=change(batch_norm(before, tokens_BS), reference_KD),
        n_alone=length,
    )


def _encoded(
    model: Transformer, site: Site, source_BS: Tensor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return before_BSD and after_BSD the norm."""
    record = Record(frozenset({Step.BEFORE_NORM, Step.AFTER_NORM}), frozenset({site}))
    if site.in_encoder:
        model.encode(source_BS, record)
    else:
        model.decode(source_BS, None, None, record)
    before_BSD, after_BSD = (
        record.tensors[site, step].double().numpy() for step in (Step.BEFORE_NORM, Step.AFTER_NORM)
    )
    return before_BSD, after_BSD


def sentence_stream(run: Run, sentence: str, stack: Stack) -> OfSentence[Stream]:
    """Follow every position of a stack through one pass over a sentence and its translation."""
    written = translate(run, sentence)
    streams = residual_stream(run.model, written.source_ids, written.fed_ids)
    return OfSentence(streams[stack], {"position": texts_of(run, written, stack)})


def sentence_lens(run: Run, sentence: str, stack: Stack) -> OfSentence[Lens]:
    """Read which token the stream of a stack is nearest to at every depth."""
    written = translate(run, sentence)
    if Kind.self_of(stack).query_side == "source":
        found = encoder_lens(run.model, written.source_ids)
    else:
        found = decoder_lens(run.model, written.source_ids, written.fed_ids)
    ids = sorted({*found.best_LK.ravel().tolist(), *found.followed_K.tolist()})
    named = dict(zip(ids, described(run, "source", ids), strict=True))
    texts = texts_of(run, written, stack)
    return OfSentence(found, {"position": texts, "best_id": named, "followed_id": named})


def sentence_norms(run: Run, sentences: Sequence[str], site: Site) -> OfSentence[Norms]:
    """Read what a norm of the stack that reads does to the first of some sentences.

    The others stand beside it in a batch.
    """
    rows, _cut = read_texts(run, sentences)
    side = Kind.self_of(site.stack).query_side
    found = study_norms(run.model, site, rows[0], rows[1:])
    return OfSentence(found, {"position": described(run, side, rows[0])})
