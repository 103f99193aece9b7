"""What silencing each head costs on held-out sentences, and how sure that is.

B batch, S source length, T target length, N sentences, R ambiguous pronouns, L layers, H heads.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from ...batch import Batch, Pair, collate
from ...decoding.step import length_limit, mask_special_tokens, require_next
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.intervals import Difference, mean_difference, share_difference
from ...evaluate.metrics import sorted_batches
from ...heads import Head, Kind
from ...model import Silence, Transformer
from ...model.masks import padding_mask
from ...runs.run import Run
from ..heads.question import heads_of
from . import N_SENTENCES

SEED = 0
Figure = Literal["exact_match", "pronoun", "loss"]
_ENDS = (1.0, 2.0, 5.0, 10.0)
_LEAST = 0.01


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


def _figures(model: Transformer, batch: Batch, logits_BTV: Tensor) -> SampleFigures:
    labels_BT = batch.labels_BT
    token_BT = batch.predicted_BT
    said_right_BT = mask_special_tokens(logits_BTV, model.config).argmax(dim=-1) == labels_BT
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


@dataclass(frozen=True, slots=True)
class HeadEffect:
    """What changes when one head is silenced.

    Each interval holds for one head by itself: of heads that change nothing, about one in twenty
    looks by chance as if it did.
    """

    head: Head
    exact_match: Difference
    """Share of sentences whose greedy translation is the target."""
    loss: Difference
    """Cross-entropy per token after the true prefix, in nats; `n` counts sentences."""
    pronoun: Difference | None
    """Share of ambiguous pronouns that are most probable after the true prefix, as
    `core.evaluate.pronouns` measures it; None where the sentences have none. Of what is stored that
    of `core.studies.heads.findings.evaluated_heads`, which may be of more sentences."""

    @property
    def changes_nothing(self) -> bool:
        """Whether no figure changes for sure."""
        figures = (self.exact_match, self.loss, self.pronoun)
        return not any(figure.is_sure for figure in figures if figure is not None)

    @property
    def lost(self) -> dict[str, float | None]:
        """The fall of exact match and of correct pronouns, None where none is sure."""
        return {"exact_match": _fall(self.exact_match), "pronoun": _fall(self.pronoun)}


def _fall(found: Difference | None) -> float | None:
    return -found.change if found and found.is_sure and found.change < 0 else None


@dataclass(frozen=True, slots=True)
class HeadEffects:
    """The effect of every head, as it is stored with a run."""

    heads: tuple[HeadEffect, ...]
    n: int
    """Held-out sentences."""
    seed: int
    """Draws them."""
    step: int
    """Steps that the weights were trained for."""
    all_there_are: bool = False
    """Whether more sentences were asked for than the task has."""

    def of(self, head: Head) -> HeadEffect:
        """Return one head's effect."""
        for each in self.heads:
            if each.head == head:
                return each
        raise KeyError(str(head))


def head_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Silence one head after the other, and yield what each changes."""
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    before = silenceable.figures()
    for head in heads_of(run.model):
        yield _effect(head, before, silenceable.figures([head]))


def _effect(head: Head, before: SampleFigures, after: SampleFigures) -> HeadEffect:
    pronouns = (before.pronoun_right_R, after.pronoun_right_R)
    return HeadEffect(
        head=head,
        exact_match=share_difference(before.right_N, after.right_N),
        loss=mean_difference(before.loss_N, after.loss_N, before.n_tokens_N),
        pronoun=share_difference(*pronouns) if len(pronouns[0]) else None,
    )


def figure_of(effect: HeadEffect, figure: Figure) -> Difference | None:
    """Return one figure of a head's effect; None where it was not measured."""
    found: Difference | None = getattr(effect, figure)
    return found


def figures(effects: HeadEffects) -> list[Figure]:
    """Return the figures that were measured of every head."""
    offered: tuple[Figure, ...] = get_args(Figure)
    return [each for each in offered if all(figure_of(of, each) for of in effects.heads)]


def costliest_first(effects: HeadEffects, figure: Figure) -> list[HeadEffect]:
    """Return all heads, the one first whose silencing makes a figure worst."""

    def cost(effect: HeadEffect) -> float:
        found = figure_of(effect, figure)
        if found is None:
            return 0.0
        # More of a loss is worse, more of a share is better.
        return found.change if figure == "loss" else -found.change

    return sorted(effects.heads, key=cost, reverse=True)


def effect_maps(effects: HeadEffects, figure: Figure) -> Mapping[Kind, NDArray[np.float32]]:
    """Return how much a figure changes: kind of attention → changes_LH."""
    rows: dict[Kind, dict[int, list[float]]] = {}
    for each in effects.heads:
        found = figure_of(each, figure)
        if found is None:
            raise ValueError(f"{figure} was not measured")
        rows.setdefault(each.head.kind, {}).setdefault(each.head.layer, []).append(found.change)
    return {
        kind: np.array([layers[layer] for layer in sorted(layers)], np.float32)
        for kind, layers in rows.items()
    }


def end_of(maps: Mapping[Kind, NDArray[np.float32]]) -> float:
    """Return a round number that no change exceeds, for the end of a scale.

    >>> end_of({Kind.ENCODER_SELF: np.array([[-0.34, 0.02]])})
    0.5
    """
    largest = max((float(np.abs(values_LH).max()) for values_LH in maps.values()), default=0.0)
    if largest <= _LEAST:
        return _LEAST
    power = math.floor(math.log10(largest))
    # Not one further for what is only rounding.
    factor = next(each for each in _ENDS if each * 10.0**power >= largest * (1 - 1e-6))
    return factor * 10.0**power if power >= 0 else factor / 10.0**-power
