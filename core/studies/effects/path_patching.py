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
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

import torch
from torch import Tensor

from core.heads import Head, Site
from core.messages import Message, MessageError
from core.model import Patch, Probe, Probes, Record, Step, Transformer
from core.model.attention import MultiHeadAttention
from core.model.masks import padding_mask
from core.studies.effects.second_sentence import Fed


class PathError(MessageError, ValueError):
    """What cannot be patched along a path; the message says why."""


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
    """Say whether a receiver reads the stream that a sender writes to, and only afterwards.

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
    """A model, a clean sentence and another one, to be asked about paths."""

    @torch.inference_mode()
    def __init__(self, model: Transformer, clean: Fed, other: Fed) -> None:
        """Run the model on both.

        Args:
            model: In evaluation mode.
            clean: On which it runs.
            other: Whose values senders take; as many tokens.

        Raises:
            PathError: The lengths differ.
        """
        _check_lengths(clean, other)
        self.heads = heads_in_order(model)
        self._model = model
        self._source, self._target = _row(clean.source_ids), _row(clean.target_ids)
        steps = {*_STEP_OF.values(), Step.WEIGHTS, Step.MIXED, Step.ADDED}
        self._clean = Record(frozenset(steps))
        self.clean_logits_V = self._logits_BV(1, self._clean)[0]
        """Scores after the last position of the clean sentence."""
        self._other = Record(frozenset({Step.WEIGHTS, Step.MIXED}))
        other_logits_BTV = model(_row(other.source_ids), _row(other.target_ids), self._other)
        self.other_logits_V = cast(Tensor, other_logits_BTV[0, -1])
        """The same of the other one."""
        self._memory_1SD = None if self._source is None else model.encode(self._source)
        self._written = {head: self._change(head) for head in self.heads}

    def weights(self, sender: Head, receiver: Head, read: Read) -> Tensor:
        """Return weights_QK of a receiver with one path patched.

        Raises:
            PathError: There is no direct path, or no such head.
        """
        return self._one(sender, receiver, read).weights(receiver.site)[0, receiver.index]

    def log_probability(self, sender: Head, receiver: Head, read: Read, token: int) -> float:
        """Return log p(token) with one path patched, in nats; errors are those of the scores."""
        return float(log_probability_of(token, self.path_logits_V(sender, receiver, read)))

    def path_logits_V(self, sender: Head, receiver: Head, read: Read) -> Tensor:
        """Return the scores after the last position with one path patched.

        Raises:
            PathError: There is no direct path, or no such head.
        """
        mixed_NHQE = self._one(sender, receiver, read).tensors[receiver.site, Step.MIXED]
        # Who writes the same changes nothing; to compute it would only round.
        if not self.writes_otherwise(sender):
            return self.clean_logits_V
        return self.logits_of(receiver, mixed_NHQE[:, receiver.index])[0]

    @torch.inference_mode()
    def exchanged_logits_V(self, head: Head) -> Tensor:
        """Return the scores where all after a head go on with what it mixes in the other one."""
        if not self.writes_otherwise(head):
            return self.clean_logits_V
        mixed_BQE = self._other.tensors[head.site, Step.MIXED][:, head.index]
        return self._logits_BV(1, Patch({head: mixed_BQE}))[0]

    @property
    def n_tokens(self) -> int:
        """Of source and target together: what a row of a batch costs."""
        return sum(row.numel() for row in (self._source, self._target) if row is not None)

    def first_telling_query(self, receiver: Head) -> int:
        """Return the first position from which what a head mixes can reach the output.

        From a decoder's last layer it is the last one: nothing after it looks from place to place.
        """
        weights_QK, layer = self.clean_weights(receiver), receiver.site.layer
        last = not receiver.site.in_encoder and layer == self._model.config.n_decoder_layers - 1
        return len(weights_QK) - 1 if last else 0

    def clean_weights(self, head: Head) -> Tensor:
        """Return weights_QK of a head in the clean sentence."""
        return self._clean.weights(head.site)[0, head.index]

    def other_weights(self, head: Head) -> Tensor:
        """Return weights_QK of a head in the other sentence."""
        return self._other.weights(head.site)[0, head.index]

    def writes_otherwise(self, head: Head) -> bool:
        """Say whether a head adds anything else to the stream in the other sentence."""
        return bool(self._written[head].any())

    @torch.inference_mode()
    def _one(self, sender: Head, receiver: Head, read: Read) -> Record:
        known = sender in self.heads and receiver in self.heads
        if not (known and is_direct(sender, receiver, read)):
            text = "no direct path leads from {sender} to the {read} of {receiver}"
            if read == Read.ALL:
                text = "no direct path leads from {sender} to {receiver}"
            parts = {"sender": str(sender), "receiver": str(receiver), "read": str(read)}
            raise PathError(Message(text, **parts))
        return self.received([sender], read)

    @torch.inference_mode()
    def received(self, senders: Sequence[Head], read: Read) -> Record:
        """Return weights_NHQK and mixed_NHQE of all attention, one row for each sender.

        Args:
            senders: Each alone writes what it writes in the other sentence.
            read: What is computed from the stream that comes of it.
        """
        record = Record(frozenset({Step.WEIGHTS, Step.MIXED}))
        along = _Along(self._clean.tensors, senders, self._written, read)
        self._logits_BV(len(senders), Probes([along, record]))
        return record

    @torch.inference_mode()
    def logits_of(self, receiver: Head, mixed_NQE: Tensor) -> Tensor:
        """Return logits_NV after the last position, where all after a receiver goes on with it.

        Args:
            receiver: Whose mixed values are replaced; all before it is the clean sentence's.
            mixed_NQE: By what: one row for each sender.
        """
        memory_1SD = None if receiver.site.in_encoder else self._memory_1SD
        return self._logits_BV(len(mixed_NQE), Patch({receiver: mixed_NQE}), memory_1SD)

    def _logits_BV(self, n: int, probe: Probe, memory_1SD: Tensor | None = None) -> Tensor:
        """Return the scores after the last position of n rows of the clean sentence."""
        source_BS, target_BT = (
            None if row is None else row.expand(n, -1) for row in (self._source, self._target)
        )
        if memory_1SD is None or target_BT is None:
            logits_BTV = self._model(source_BS, target_BT, probe)
        else:
            assert source_BS is not None
            visible_B1S = padding_mask(source_BS, self._model.config.pad_id)
            memory_BSD = memory_1SD.expand(n, -1, -1)
            logits_BTV = self._model.decode(
                target_BT, memory_BSD, visible_B1S, probe, source_BS=source_BS
            )
        return cast(Tensor, logits_BTV[:, -1])

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
    frozen: frozenset[Step] = field(init=False)

    def __post_init__(self) -> None:
        read = set(_STEP_OF) if self.read == Read.ALL else {self.read}
        frozen = {step for each, step in _STEP_OF.items() if each not in read}
        if self.read == Read.VALUE:
            # The same queries and keys make the same weights; in larger batches they round.
            frozen.add(Step.WEIGHTS)
        object.__setattr__(self, "frozen", frozenset(frozen))

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


def _check_lengths(clean: Fed, other: Fed) -> None:
    """Refuse sentences of other lengths."""
    for first, second in zip(
        (clean.source_ids, clean.target_ids), (other.source_ids, other.target_ids), strict=True
    ):
        if len(first) != len(second):
            raise PathError(
                "the sentences have {n_first} and {n_second} tokens: path patching puts each "
                "token's values in the place of another's, so both must have as many",
                n_first=len(first),
                n_second=len(second),
            )


def _row(ids: tuple[int, ...]) -> Tensor | None:
    return torch.tensor([ids]) if ids else None
