"""What a model does with held-out sentences while some of its heads are silent.

B batch, S source length, T target length, N sentences, R ambiguous pronouns.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import Batch, Pair, collate
from core.decoding.limit import length_limit
from core.decoding.step import require_next, sayable
from core.evaluate.metrics import sorted_batches
from core.heads import Head
from core.model import Silence, Transformer
from core.model.masks import padding_mask


@dataclass(frozen=True, slots=True, eq=False)
class SampleFigures:
    """One measurement of every sentence, in the same order at every call of `Silenceable`."""

    right_N: NDArray[np.bool_]
    """Whether the greedy translation is the target, token by token, or another as right."""
    loss_N: NDArray[np.float64]
    """Cross-entropy after the true prefix, summed over the sentence's tokens, in nats."""
    n_tokens_N: NDArray[np.float64]
    pronoun_right_R: NDArray[np.bool_]
    """Whether every token of an ambiguous pronoun is most probable after the true prefix."""

    @property
    def exact_match(self) -> float:
        """Share of sentences that are written as the target is."""
        return float(self.right_N.mean())

    @property
    def loss(self) -> float:
        """Cross-entropy per token, in nats."""
        return float(self.loss_N.sum() / self.n_tokens_N.sum())


class Silenceable:
    """A model and held-out pairs, to be measured again and again with other heads silent.

    One masked pass tells also what the model writes freely, as far as exact match is concerned: it
    writes the target if and only if after every true prefix the true token is most probable, for
    then it is fed nothing but true prefixes. So nothing is decoded step by step. What the encoder
    makes is kept for those calls that silence heads of the decoder alone.
    """

    def __init__(self, model: Transformer, pairs: Sequence[Pair]) -> None:
        """Keep the pairs as batches.

        Args:
            model: In evaluation mode.
            pairs: That fit the model's positions.

        Raises:
            ConfigError: The decoder is parallel: its rows are fed what they are to predict.
        """
        require_next(model.config)
        self.model = model
        self.n = len(pairs)
        groups = list(sorted_batches(pairs))
        self._batches = [self._batch(group) for group in groups]
        self._others = [[self._batch(each) for each in _with_others(group)] for group in groups]
        self._memories = [self._encoded(batch, Silence.of(())) for batch in self._batches]

    @torch.inference_mode()
    def figures(self, heads: Collection[Head] = ()) -> SampleFigures:
        """Measure every sentence with these heads silent."""
        probe = Silence.of(heads)
        encoder_too = any(head.site.in_encoder for head in heads)
        parts = []
        for batch, others, kept_BSD in zip(
            self._batches, self._others, self._memories, strict=True
        ):
            memory_BSD = self._encoded(batch, probe) if encoder_too else kept_BSD
            found, *of_others = [
                _figures(self.model, each, self._decoded(each, memory_BSD, probe))
                for each in (batch, *others)
            ]
            right_N = np.logical_or.reduce([found.right_N, *(each.right_N for each in of_others)])
            parts.append(replace(found, right_N=right_N))
        return SampleFigures(
            right_N=np.concatenate([part.right_N for part in parts]),
            loss_N=np.concatenate([part.loss_N for part in parts]),
            n_tokens_N=np.concatenate([part.n_tokens_N for part in parts]),
            pronoun_right_R=np.concatenate([part.pronoun_right_R for part in parts]),
        )

    def _batch(self, pairs: Sequence[Pair]) -> Batch:
        return collate(pairs, self.model.config.pad_id).to(self.model.device)

    def _decoded(self, batch: Batch, memory_BSD: Tensor, probe: Silence) -> Tensor:
        visible_B1S = padding_mask(batch.source_BS, batch.pad_id)
        return self.model.decode(
            batch.fed_BT, memory_BSD, visible_B1S, probe, source_BS=batch.source_BS
        )

    @torch.inference_mode()
    def _encoded(self, batch: Batch, probe: Silence) -> Tensor:
        return self.model.encode(batch.source_BS, probe)


def _with_others(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pairs with the first target that is as right in the place of theirs, and so on.

    Where a pair has fewer, it stays as it is.
    """
    n = max(len(pair.others) for pair in pairs)
    return [
        [replace(pair, target=(*pair.others[at : at + 1], pair.target)[0]) for pair in pairs]
        for at in range(n)
    ]


def every_head(model: Transformer) -> list[Head]:
    """Return all attention heads of a model: encoder self, decoder self, cross."""
    return [head for site in model.sites() for head in site.heads(model.config.n_heads)]


def _figures(model: Transformer, batch: Batch, logits_BTV: Tensor) -> SampleFigures:
    labels_BT = batch.labels_BT
    token_BT = batch.predicted_BT
    said_right_BT = sayable(logits_BTV, model.config).argmax(dim=-1) == labels_BT
    length_B, source_length_B = token_BT.sum(dim=-1), (batch.source_BS != batch.pad_id).sum(dim=-1)
    limits = [length_limit(model, length) for length in source_length_B.tolist()]
    # What is longer than the limit is never written to its end.
    written_B = length_B <= length_B.new_tensor(limits)
    flat = (logits_BTV.flatten(0, 1), labels_BT.flatten())
    loss_BT = cross_entropy(*flat, ignore_index=batch.pad_id, reduction="none").view_as(labels_BT)
    most_probable_BT = (logits_BTV.argmax(dim=-1) == labels_BT).cpu()
    pronouns = [
        bool(most_probable_BT[sentence, list(reference.steps)].all())
        for sentence, references in enumerate(batch.references)
        for reference in references
        if reference.ambiguous
    ]
    return SampleFigures(
        right_N=((said_right_BT | ~token_BT).all(dim=-1) & written_B).cpu().numpy(),
        loss_N=loss_BT.double().sum(dim=-1).cpu().numpy(),
        n_tokens_N=length_B.double().cpu().numpy(),
        pronoun_right_R=np.array(pronouns, np.bool_),
    )
