"""What a decoder alone loses without some heads where its text repeats, and where it does not.

That a head looks at the token that comes next is no proof that the model goes on because of it. If
it does, the repeated half becomes harder to predict without the head, the first half does not, and
other heads of the same layers are not missed. B batch, P positions, N sequences, V vocabulary.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from core.evaluate.intervals import Difference, mean_difference
from core.heads import Head, Site
from core.messages import Message
from core.model import Silence, Transformer
from core.runs.run import Run
from core.studies.heads.repeated_text import RepeatedText, TextRoles
from core.studies.heads.repeated_tokens import RepeatedTokens, TextRole

Losses = NDArray[np.float64]
SILENCED = (1, 3, 5)
"""So many of the best induction heads are silenced together."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What changes without some heads: −log p of the true next token, in nats.

    In each half all tokens count but its first, which nothing tells.
    """

    heads: tuple[Head, ...]
    first: Difference
    """In the first half, where nothing repeats; `n` counts sequences."""
    second: Difference
    """In the second half."""


@dataclass(frozen=True, slots=True)
class RepetitionCost:
    """What some heads cost, and what others do that were silenced in their place."""

    silenced: Cost
    control: Cost
    beyond_control: Difference
    """In the second half: before, the other heads are silent, and after, these."""


def costs_of_induction(loaded: Run, found: RepeatedText) -> dict[int, RepetitionCost]:
    """Return what silencing so many of the best induction heads costs a decoder alone."""
    if not loaded.model.config.is_decoder_alone:
        return {}
    costs = {}
    for n in SILENCED:
        heads = found.best(TextRole.INDUCTION, n)
        try:
            controls = control_heads(found, TextRole.INDUCTION, heads)
        except ValueError:
            # So small a model has no other heads to compare with.
            continue
        costs[n] = cost_of_silencing(loaded.model, heads, controls, found.text.drawn_anew())
    return costs


def control_heads(
    found: TextRoles, role: TextRole, heads: Sequence[Head], seed: int = 0
) -> tuple[Head, ...]:
    """Draw as many other heads of the same layers, from those with the smaller shares of a role.

    In each layer they come from the half of its heads that has the smallest shares (from more where
    more are needed).

    Args:
        found: The shares.
        role: Which.
        heads: What the others take the place of.
        seed: Draws them.

    Raises:
        ValueError: A layer has fewer other heads than it has of these.
    """
    rng, drawn = np.random.default_rng(seed % 2**64), list[Head]()
    for site in dict.fromkeys(head.site for head in heads):
        needed = sum(head.site == site for head in heads)
        lowest = _lowest(found, role, site, heads, needed)
        drawn += [lowest[at] for at in rng.choice(len(lowest), needed, replace=False)]
    return tuple(drawn)


def _lowest(
    found: TextRoles, role: TextRole, site: Site, heads: Collection[Head], needed: int
) -> list[Head]:
    """Return the heads of a sublayer to draw from."""
    shares = {head: score.share for head, score in found.scores[role].items() if head.site == site}
    others = sorted((head for head in shares if head not in heads), key=lambda head: shares[head])
    if len(others) < needed:
        raise ValueError(
            Message(
                "Other heads of {site}: {n}. Needed: {needed}.",
                site=site,
                n=len(others),
                needed=needed,
            )
        )
    return others[: max(needed, len(shares) // 2)]


def cost_of_silencing(
    model: Transformer, heads: Sequence[Head], controls: Sequence[Head], text: RepeatedTokens
) -> RepetitionCost:
    """Silence heads, and then others in their place, and return what both cost.

    The intervals are normal ones of a mean over sequences (Cochran 1977).

    Args:
        model: A decoder alone, in evaluation mode.
        heads: Of its self-attention.
        controls: As many others, as from `control_heads`.
        text: Not the sequences by which the heads were chosen: see `RepeatedTokens.drawn_anew`.

    Raises:
        ValueError: The model has an encoder, or no such sequences can be drawn for it.
    """
    if not model.config.is_decoder_alone:
        raise ValueError(Message("Only a decoder alone goes on with a text of its own."))
    before, silenced, control = (_losses(model, each, text) for each in ((), heads, controls))
    return RepetitionCost(
        silenced=_cost(heads, before, silenced),
        control=_cost(controls, before, control),
        beyond_control=_difference(control[1], silenced[1]),
    )


@torch.inference_mode()
def _losses(
    model: Transformer, heads: Collection[Head], text: RepeatedTokens
) -> tuple[Losses, Losses]:
    """Return loss_N of both halves, in nats per token, with these heads silent."""
    ids_NP, probe = text.ids_NP(model.config, "target").to(model.device), Silence.of(heads)
    halves = text.halves(model.config, "target")
    losses: tuple[list[Losses], list[Losses]] = ([], [])
    for rows in text.batches():
        ids_BP = ids_NP[rows]
        logits_BPV = model(None, ids_BP, probe)
        for half_P, of_half in zip(halves, losses, strict=True):
            # The first of a half nobody can know: row i predicts token i + 1.
            labels_BP = ids_BP[:, half_P[1:]]
            flat = (logits_BPV[:, half_P[:-1]].flatten(0, 1), labels_BP.flatten())
            loss_BP = cross_entropy(*flat, reduction="none").view_as(labels_BP)
            of_half.append(loss_BP.double().mean(dim=-1).cpu().numpy())
    first, second = losses
    return np.concatenate(first), np.concatenate(second)


def _cost(
    heads: Sequence[Head], before: tuple[Losses, Losses], after: tuple[Losses, Losses]
) -> Cost:
    first, second = (_difference(*half) for half in zip(before, after, strict=True))
    return Cost(tuple(heads), first, second)


def _difference(before_N: Losses, after_N: Losses) -> Difference:
    """Compare means over sequences, all of which have the same number of tokens."""
    return mean_difference(before_N, after_N, np.ones(len(before_N)))
