"""Which head reads what which head wrote: path patching from one attention head to another.

The model runs on a clean sentence, but one head, the receiver, is given what its input would be if
another head, the sender, had written what it writes in another sentence. All that stands between
them adds what it adds in the clean sentence, so that nothing but the direct path through the
residual stream is changed; norms work on the changed stream, for they are part of that path.

Sources: Wang et al. (2022), "Interpretability in the Wild: a Circuit for Indirect Object
Identification in GPT-2 small"; Goldowsky-Dill et al. (2023), "Localizing Model Behavior with Path
Patching".

N senders, one in each row of a batch, B batch, H heads, Q queries, K keys, S source length,
T target length, D model width, E width of one head, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.decoding.sentence import Translation
from core.heads import Head, Site
from core.model import Patch, Probes, Record, Step, Transformer
from core.model.attention import MultiHeadAttention
from core.runs.run import Run
from core.studies.effects.patching import patching_study
from core.studies.effects.second_sentence import Fed, Paired, Passes, PatchingError, paired
from core.tokenizer.tokenizer import Token

Array = NDArray[np.float64]
_TOKENS_AT_ONCE = 512
"""Tokens in a pass: large vocabularies have long rows of scores."""


class Read(StrEnum):
    """What a receiver computes from the changed stream."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    ALL = "all"


# With rotary positions, too: these steps come before queries and keys are turned.
_STEP_OF = {Read.QUERY: Step.QUERY, Read.KEY: Step.KEY, Read.VALUE: Step.VALUE}


def heads_in_order(model: Transformer) -> tuple[Head, ...]:
    """Return all heads as the stream meets them: the encoder's, then layer by layer."""
    sites = (residual.site for layer in model.layers() for _block, residual in layer.blocks())
    n_heads = model.config.n_heads
    return tuple(head for site in sites if site.is_attention for head in site.heads(n_heads))


def log_probability_of(token: int, logits_BV: Tensor) -> Tensor:
    """Return log p(token), in nats, of each row of scores."""
    return logits_BV.double().log_softmax(dim=-1)[..., token]


def is_direct(sender: Head, receiver: Head, read: Read) -> bool:
    """Return whether a receiver reads the stream that a sender writes to, and only afterwards.

    What the encoder writes enters the decoder as keys and values of cross-attention; queries come
    from the decoder's own stream.

    >>> first, later = Head.parse("encoder.0.self:1"), Head.parse("decoder.1.cross:0")
    >>> is_direct(first, later, Read.KEY), is_direct(first, later, Read.QUERY)
    (True, False)
    >>> below = Head.parse("decoder.1.self:0")
    >>> is_direct(below, later, Read.QUERY), is_direct(later, first, Read.ALL)
    (True, False)
    """
    query_side, key_side = receiver.kind.sides
    read_sides = {Read.QUERY: {query_side}, Read.ALL: {query_side, key_side}}
    if sender.site.side not in read_sides.get(read, {key_side}):
        return False
    # The encoder is done before the decoder begins.
    return sender.site.stack != receiver.site.stack or _place(sender.site) < _place(receiver.site)


def _place(site: Site) -> tuple[int, bool]:
    """Return what grows along a stack: in a layer cross-attention comes after self-attention."""
    return site.layer, not site.is_self


class PathPatching:
    """A model, a clean sentence and another one with as many tokens, and the paths between them."""

    @torch.inference_mode()
    def __init__(self, model: Transformer, clean: Fed, other: Fed) -> None:
        """Run the model, in evaluation mode, on both."""
        self.heads = heads_in_order(model)
        self._model, self._passes = model, Passes(model, clean)
        steps = {*_STEP_OF.values(), Step.WEIGHTS, Step.MIXED, Step.ADDED}
        self._clean = Record(frozenset(steps))
        self.clean_logits_V = self._passes.logits_BV(1, self._clean, in_encoder=True)[0]
        """Scores after the last position of the clean sentence."""
        self._other = Record(frozenset({Step.MIXED}))
        other_logits_BTV = model(*other.inputs, self._other)
        self.other_logits_V = cast(Tensor, other_logits_BTV[0, -1])
        """The same of the other one."""
        self._written = {head: self._change(head) for head in self.heads}

    def weights(self, sender: Head, receiver: Head, read: Read) -> Tensor:
        """Return weights_QK of a receiver with one path patched."""
        return self.received([sender], read).weights(receiver.site)[0, receiver.index]

    def path_logits_V(self, sender: Head, receiver: Head, read: Read) -> Tensor:
        """Return the scores after the last position with one path patched."""
        # A head that writes the same changes nothing; computing it would only round.
        if not self.writes_otherwise(sender):
            return self.clean_logits_V
        mixed_NHQE = self.received([sender], read).tensors[receiver.site, Step.MIXED]
        return self.logits_of(receiver, mixed_NHQE[:, receiver.index])[0]

    @torch.inference_mode()
    def exchanged_logits_V(self, head: Head) -> Tensor:
        """Return the scores where all after a head go on with what it mixes in the other one."""
        if not self.writes_otherwise(head):
            return self.clean_logits_V
        mixed_BQE = self._other.tensors[head.site, Step.MIXED][:, head.index]
        return self._passes.logits_BV(1, Patch({head: mixed_BQE}), in_encoder=True)[0]

    @property
    def n_tokens(self) -> int:
        """Tokens of source and target together."""
        return sum(row.numel() for row in self._passes.inputs if row is not None)

    def first_query(self, receiver: Head) -> int:
        """Return the first position from which what a head mixes can reach the output.

        From a decoder's last layer it is the last one: no later sublayer mixes positions.
        """
        weights_QK, layer = self.clean_weights(receiver), receiver.site.layer
        last = not receiver.site.in_encoder and layer == self._model.config.n_decoder_layers - 1
        return len(weights_QK) - 1 if last else 0

    def clean_weights(self, head: Head) -> Tensor:
        """Return weights_QK of a head in the clean sentence."""
        return self._clean.weights(head.site)[0, head.index]

    def writes_otherwise(self, head: Head) -> bool:
        """Return whether a head adds anything else to the stream in the other sentence."""
        return bool(self._written[head].any())

    @torch.inference_mode()
    def received(self, senders: Sequence[Head], read: Read) -> Record:
        """Return weights_NHQK and mixed_NHQE of all attention, one row for each sender.

        Args:
            senders: Each alone writes what it writes in the other sentence.
            read: What is computed from the stream that comes of it.
        """
        record = Record(frozenset({Step.WEIGHTS, Step.MIXED}))
        along = _Along(self._clean.tensors, senders, self._written, read)
        self._passes.logits_BV(len(senders), Probes([along, record]), in_encoder=True)
        return record

    @torch.inference_mode()
    def logits_of(self, receiver: Head, mixed_NQE: Tensor) -> Tensor:
        """Return logits_NV after the last position, where all after a receiver goes on with it.

        Args:
            receiver: Whose mixed values are replaced; all before it is the clean sentence's.
            mixed_NQE: By what: one row for each sender.
        """
        in_encoder, patch = receiver.site.in_encoder, Patch({receiver: mixed_NQE})
        return self._passes.logits_BV(len(mixed_NQE), patch, in_encoder=in_encoder)

    def _change(self, head: Head) -> Tensor:
        """Return written_QD, what a head adds to the stream in the other sentence less the clean.

        W^O is linear, so that each head has a share of its own in the sum that it makes.
        """
        key = head.site, Step.MIXED
        mixed_QE = (self._other.tensors[key] - self._clean.tensors[key])[0, head.index]
        sublayer = cast(MultiHeadAttention, self._model.block(head.site)[0])
        start = head.index * sublayer.d_v
        return mixed_QE @ sublayer.output.weight[:, start : start + sublayer.d_v].T


@dataclass(frozen=True)
class _Along:
    """Lets all sublayers add what they add in the clean sentence, but for one head in each row.

    Attention is given the stream that comes of it, for what is read; all else that it computes
    from is the clean sentence's.
    """

    clean: Mapping[tuple[Site, Step], Tensor]
    senders: Sequence[Head]
    written: Mapping[Head, Tensor]
    """Head → written_QD, what it adds to the stream beyond what it adds in the clean sentence."""
    read: Read

    @cached_property
    def frozen(self) -> frozenset[Step]:
        """The steps that stay as they are in the clean sentence."""
        others = {step for each, step in _STEP_OF.items() if self.read not in (each, Read.ALL)}
        # The same queries and keys make the same weights; in larger batches they round.
        return frozenset(others | ({Step.WEIGHTS} if self.read == Read.VALUE else set()))

    def sees(self, site: Site) -> bool:
        """All sublayers."""
        return site.sublayer != "embedding"

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Put in the clean sentence's tensor, and at a sender's site what it writes instead."""
        if step in self.frozen:
            return self.clean[site, step].expand_as(tensor)
        if step is not Step.ADDED:
            return tensor
        added_NQD = self.clean[site, step].repeat(len(self.senders), 1, 1)
        for row, sender in enumerate(self.senders):
            if sender.site == site:
                added_NQD[row] += self.written[sender]
        return added_NQD


@dataclass(frozen=True, slots=True, eq=False)
class OnePath:
    """What one direct path changes."""

    sender: Head
    receiver: Head
    before_QK: NDArray[np.float32]
    """The receiver's weights in the clean sentence."""
    after_QK: NDArray[np.float32]
    """The same with the path patched."""
    query: int
    """The row that changes most."""
    key: int
    """The key whose weight changes most there."""


@dataclass(frozen=True, slots=True, eq=False)
class PathSenders:
    """What each direct path to one receiver changes, in two sentences that a run goes on from."""

    clean: Translation
    other: Translation
    step: int
    """Of the targets: where they part, or else where the other sentence makes most difference."""
    token: Token
    """What is written there in the clean sentence."""
    receiver: Head
    senders: tuple[Head, ...]
    """As the stream meets them; N in number."""
    differs_N: NDArray[np.bool_]
    """Whether a sender writes anything else in the other sentence; if not, it changes nothing."""
    moved_N: Array
    """The share of its weight that the receiver's most changed query gives to other keys: half the
    sum of all changes of the row, 0 to 1 (total variation distance). Of the queries from which
    something reaches the output."""
    query_N: NDArray[np.int64]
    """That query."""
    key_N: NDArray[np.int64]
    """The key whose weight changes most there."""
    before_N: Array
    """Its weight in the clean sentence."""
    after_N: Array
    """Its weight with the path patched."""
    log_p_change_N: Array
    """By how much log p(token) changes, in nats, where all after the receiver goes on with it."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each sender."""
        return {
            "sender": [str(sender) for sender in self.senders],
            "receiver": [str(self.receiver)] * len(self.senders),
            "moved": self.moved_N.tolist(),
            "query": self.query_N.tolist(),
            "key": self.key_N.tolist(),
            "before": self.before_N.tolist(),
            "after": self.after_N.tolist(),
            "log_p_change": self.log_p_change_N.tolist(),
        }


@dataclass(frozen=True, slots=True)
class NextToken:
    """The next token of a model."""

    chance: float
    """Of the token that it writes in the clean sentence, 0 to 1."""
    chosen: Token
    """The most probable one."""
    stays: bool
    """Whether that is the same."""


@dataclass(frozen=True, slots=True)
class PathOutcomes:
    """The token of the measured step, the more the later is changed."""

    clean: NextToken
    path: NextToken
    """The receiver alone is given what the sender writes in the other sentence."""
    exchanged: NextToken
    """All that come after the sender are given it."""
    other: NextToken
    """In the other sentence, after the same words."""


@dataclass(frozen=True, slots=True, eq=False)
class PathStudy:
    """All direct paths to one receiver, and what one of them does to the output."""

    senders: PathSenders
    path: OnePath
    outcomes: PathOutcomes

    def table(self) -> dict[str, list[object]]:
        """Return a row for each sender, and one for each chance of the clean sentence's token."""
        senders, outcomes = self.senders.table(), self.outcomes
        chances = {
            "clean": outcomes.clean,
            "path": outcomes.path,
            "sender": outcomes.exchanged,
            "other": outcomes.other,
        }
        n = len(self.senders.senders)
        return {
            "exchanged": [*["path"] * n, *chances],
            **{name: [*values, *[None] * len(chances)] for name, values in senders.items()},
            "chance": [*[None] * n, *(each.chance for each in chances.values())],
            "written": [*[None] * n, *(each.chosen.text for each in chances.values())],
        }


def path_study(
    run: Run, clean: str, other: str, read: Read, receiver: Head, sender: Head | None = None
) -> PathStudy:
    """Patch every direct path to one receiver, and one of them together with its sender.

    The decoder is fed the clean translation in both, up to the step at which the translations
    part. Where they do not, it is the step at which the other sentence changes the probability of
    the clean one's token most.

    Args:
        run: A loaded run with a decoder; one without an encoder goes on from both as prompts.
        clean: On which the model runs.
        other: Whose values senders take; as many tokens.
        read: What the receiver computes from the changed stream.
        receiver: The head that reads.
        sender: Of the one path; without it the one that changes log p most, up or down.

    Raises:
        SentenceError: There is no text.
        PatchingError: The sentences differ in length or are the same to the model, or no direct
            path leads from the sender to the receiver.
    """
    both = paired(run, clean, other)
    if both.fed(0)[0] == both.fed(0)[1]:
        raise PatchingError(
            "both sentences are the same to the model: every head writes the same in both"
        )
    parting = both.parting
    # Where one translation is the beginning of the other and was not finished, nothing parts.
    if parting is None or parting >= len(both.written[0]):
        parting = _most_changed(run.model, both)
    paths = PathPatching(run.model, *both.fed(parting))
    senders = _senders(run, both, parting, paths, receiver, read)
    if sender is None:
        sender = senders.senders[int(np.abs(senders.log_p_change_N).argmax())]
    if sender not in senders.senders:
        raise PatchingError(
            "no direct path leads from {sender} to {receiver}",
            sender=str(sender),
            receiver=str(receiver),
        )
    logits = (
        paths.clean_logits_V,
        paths.path_logits_V(sender, receiver, read),
        paths.exchanged_logits_V(sender),
        paths.other_logits_V,
    )
    token = both.written[0][parting]
    outcomes = PathOutcomes(*(_outcome(run, token, each_V) for each_V in logits))
    return PathStudy(senders, one_path(paths, sender, receiver, read), outcomes)


@torch.inference_mode()
def _most_changed(model: Transformer, both: Paired) -> int:
    """Return the step at which the other sentence changes log p(the clean one's token) most."""
    written = torch.tensor(both.written[0])
    n = len(written)
    logits = (model(*each.inputs)[0, -n:] for each in both.fed(n - 1))
    log_p_T = [
        each_TV.double().log_softmax(dim=-1).gather(-1, written[:, None])[:, 0]
        for each_TV in logits
    ]
    return int((log_p_T[1] - log_p_T[0]).abs().argmax())


def _senders(
    run: Run, both: Paired, step: int, paths: PathPatching, receiver: Head, read: Read
) -> PathSenders:
    """Patch every direct path to one receiver, one at a time, many senders in one pass."""
    token = both.written[0][step]
    senders = tuple(head for head in paths.heads if is_direct(head, receiver, read))
    differs_N = np.array([paths.writes_otherwise(head) for head in senders], np.bool_)
    moved_N, before_N, after_N, log_p_change_N = np.zeros((4, len(senders)))
    query_N, key_N = np.zeros((2, len(senders)), int)
    clean_log_p = log_probability_of(token, paths.clean_logits_V)
    n_rows = max(1, _TOKENS_AT_ONCE // paths.n_tokens)
    # A head that writes the same changes nothing; computing it would only round.
    [differing] = differs_N.nonzero()
    for start in range(0, len(differing), n_rows):
        at = differing[start : start + n_rows]
        record = paths.received([senders[each] for each in at], read)
        weights_NQK = record.weights(receiver.site)[:, receiver.index].double().numpy()
        figures = _changes(paths, receiver, weights_NQK)
        query_N[at], key_N[at], moved_N[at], before_N[at], after_N[at] = figures
        mixed_NQE = record.tensors[receiver.site, Step.MIXED][:, receiver.index]
        log_p_N = log_probability_of(token, paths.logits_of(receiver, mixed_NQE))
        log_p_change_N[at] = (log_p_N - clean_log_p).numpy()
    return PathSenders(
        clean=both.clean,
        other=both.other,
        step=step,
        token=run.target_tokenizer.describe([token])[0],
        receiver=receiver,
        senders=senders,
        differs_N=differs_N,
        moved_N=moved_N,
        query_N=query_N,
        key_N=key_N,
        before_N=before_N,
        after_N=after_N,
        log_p_change_N=log_p_change_N,
    )


def _changes(
    paths: PathPatching, receiver: Head, weights_NQK: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array, Array]:
    """Return query_N, key_N, moved_N, before_N and after_N of `PathSenders`."""
    clean_QK = paths.clean_weights(receiver).double().numpy()
    change_NQK = np.abs(weights_NQK - clean_QK)
    moved_NQ = change_NQK.sum(axis=-1) / 2
    first, row_N = paths.first_query(receiver), np.arange(len(weights_NQK))
    query_N = first + moved_NQ[:, first:].argmax(axis=-1)
    key_N = change_NQK[row_N, query_N].argmax(axis=-1)
    before_N, after_N = clean_QK[query_N, key_N], weights_NQK[row_N, query_N, key_N]
    return query_N, key_N, moved_NQ[row_N, query_N], before_N, after_N


def one_path(paths: PathPatching, sender: Head, receiver: Head, read: Read) -> OnePath:
    """Return what one direct path changes of where its receiver looks."""
    before_QK = paths.clean_weights(receiver).numpy()
    after_QK = paths.weights(sender, receiver, read).numpy()
    [query], [key], *_rest = _changes(paths, receiver, after_QK[None].astype(np.float64))
    return OnePath(sender, receiver, before_QK, after_QK, int(query), int(key))


def _outcome(run: Run, token: int, logits_V: Tensor) -> NextToken:
    chosen = int(logits_V.argmax())
    return NextToken(
        chance=float(log_probability_of(token, logits_V).exp()),
        chosen=run.target_tokenizer.describe([chosen])[0],
        stays=chosen == token,
    )


def usual_receiver(run: Run, clean: str, other: str, read: Read) -> Head | None:
    """Return the head that carries most of the difference between two sentences.

    Only heads to which another one writes directly can read; None where there is none.
    """
    heads = heads_in_order(run.model)
    readers = [each for each in heads if any(is_direct(one, each, read) for one in heads)]
    try:
        restored = patching_study(run, other, clean).heads
    except PatchingError:
        # The same is written after both: no head carries a difference.
        return readers[-1] if readers else None
    return max(readers, key=restored.__getitem__, default=None)
