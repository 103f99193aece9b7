"""What silencing each head costs on held-out sentences, and how sure that is. L layers, H heads."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference, mean_difference, share_difference
from core.heads import Head, Kind
from core.runs.run import Run
from core.studies.effects.ablation import SampleFigures, Silenceable, every_head

N_SENTENCES = 400


SEED = 0


Figure = Literal["exact_match", "pronoun", "loss"]


_ENDS = (1.0, 2.0, 5.0, 10.0)


_LEAST = 0.01


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
        """Return one head's effect.

        Raises:
            KeyError: It was not measured.
        """
        for each in self.heads:
            if each.head == head:
                return each
        raise KeyError(str(head))


def head_effects(run: Run, n: int = N_SENTENCES, seed: int = SEED) -> Iterator[HeadEffect]:
    """Silence one head after the other, and yield what each changes.

    Args:
        run: A loaded run.
        n: Held-out sentences; fewer where the task has fewer.
        seed: Draws them.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
    silenceable = Silenceable(run.model, held_out_pairs(run, n, seed))
    before = silenceable.figures()
    for head in every_head(run.model):
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
    return {
        "exact_match": effect.exact_match,
        "pronoun": effect.pronoun,
        "loss": effect.loss,
    }[figure]


def figures(effects: HeadEffects) -> list[Figure]:
    """Return the figures that were measured of every head."""
    offered: tuple[Figure, ...] = ("exact_match", "pronoun", "loss")
    return [
        figure
        for figure in offered
        if all(figure_of(each, figure) is not None for each in effects.heads)
    ]


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
    """Return how much a figure changes: kind of attention → changes_LH.

    Raises:
        ValueError: The figure was not measured.
    """
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
