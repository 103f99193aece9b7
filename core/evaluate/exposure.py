"""Exposure bias: the accuracy of a model that is fed its own words instead of the true ones.

B batch, S source length, T target length, D model width, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import torch
from torch import Tensor

from ..batch import Batch, Pair, collate
from ..decoding.generate import Ids, generate
from ..decoding.step import DecodeStep, logits_of, mask_special_tokens, require_next
from ..inspection import Inspection
from ..model import Transformer
from ..model.masks import padding_mask
from ..runs.run import Run
from .evaluation import held_out_pairs
from .metrics import sorted_batches


def divergences(free: Sequence[DecodeStep], forced: Sequence[DecodeStep]) -> tuple[float, ...]:
    """Return for each common step KL(forced ‖ free) of the distributions, in nats.

    0 as long as both sides were fed the same; then how much the model's own words mislead it.
    """
    common = min(len(free), len(forced))
    sides = zip(logits_of(forced[:common]), logits_of(free[:common]), strict=True)
    return tuple(nats for one, other in sides for nats in _divergences(one, other))


def _divergences(forced_TV: Tensor, free_TV: Tensor) -> list[float]:
    p_TV, q_TV = (each.softmax(dim=-1).double() for each in (forced_TV, free_TV))
    # Tokens of no probability add nothing: x log x → 0; rounding must not make the sum negative.
    terms_TV = torch.special.xlogy(p_TV, p_TV) - torch.special.xlogy(p_TV, q_TV.clamp_min(1e-300))
    nats: list[float] = terms_TV.sum(dim=-1).clamp_min(0).tolist()
    return nats


def first_difference(free: Sequence[int], forced: Sequence[int]) -> int | None:
    """Return the first step at which the tokens differ; None if there is none.

    >>> first_difference([5, 6, 7], [5, 8, 7]), first_difference([5], [5])
    (1, None)
    """
    for step, (one, other) in enumerate(zip(free, forced, strict=False)):
        if one != other:
            return step
    return None if len(free) == len(forced) else min(len(free), len(forced))


@dataclass(frozen=True, slots=True)
class PositionAccuracy:
    """How often the token of one target position is right."""

    position: int
    forced: float
    """Accuracy after the true prefix."""
    free: float
    """Accuracy if the model is fed its own words."""
    n: int
    """Number of targets with this position."""


def exposure(model: Transformer, pairs: Sequence[Pair]) -> list[PositionAccuracy]:
    """Return the accuracy of each target position, EOS included, forced and free.

    They differ where early mistakes are fed back (exposure bias).

    Raises:
        ConfigError: The decoder is parallel, and is not fed its own output.
    """
    require_next(model.config)
    longest = max(len(pair.target) - 1 for pair in pairs)
    right = {"forced": [0] * longest, "free": [0] * longest}
    counts = [0] * longest
    for group in sorted_batches(pairs):
        batch = collate(group, model.config.pad_id).to(model.device)
        forced, free = _forced_tokens(model, batch), generate(model, batch.source_BS)
        for pair, fed_true, fed_own in zip(group, forced, free, strict=True):
            for position, token in enumerate(pair.target[1:]):
                counts[position] += 1
                right["forced"][position] += fed_true[position] == token
                right["free"][position] += fed_own[position : position + 1] == (token,)
    return [
        PositionAccuracy(position, right["forced"][position] / n, right["free"][position] / n, n)
        for position, n in enumerate(counts)
    ]


@dataclass(frozen=True, slots=True)
class Exposure:
    """How often a run is right at each target position."""

    run: str
    """Its name."""
    step: int
    """Of its weights."""
    positions: tuple[PositionAccuracy, ...]

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each position."""
        rows = [
            (self.run, self.step, each.position, each.forced, each.free, each.n)
            for each in self.positions
        ]
        names = ("run", "step", "position", "true_words_fed", "own_words_fed", "targets")
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def held_out_exposure(run: Run, n: int) -> Exposure:
    """Return the accuracy of each position over `n` held-out sentences of a run's task.

    Raises:
        RunError: The task is a file of pairs that is gone.
    """
    positions = exposure(run.model, held_out_pairs(run, n, seed=0))
    return Exposure(run.name, run.step, tuple(positions))


def overall(positions: Sequence[PositionAccuracy]) -> PositionAccuracy:
    """Return the accuracy over all tokens, whatever their position; its position is -1.

    >>> overall([PositionAccuracy(0, 1.0, 1.0, 3), PositionAccuracy(1, 1.0, 0.0, 1)]).free
    0.75
    """
    n = sum(each.n for each in positions)
    return PositionAccuracy(
        -1,
        sum(each.forced * each.n for each in positions) / n,
        sum(each.free * each.n for each in positions) / n,
        n,
    )


def after_mistake(model: Transformer, pairs: Sequence[Pair]) -> float:
    """Force a mistake in the middle of each target and let the model continue freely.

    Up to the middle the model is fed the true words, then the most probable wrong one, which is
    the mistake it would most likely make, and from then on its own output.

    Args:
        model: An encoder–decoder in evaluation mode.
        pairs: Empty targets are skipped.

    Returns:
        The share of the tokens after the mistake that are right, position by position.
    """
    longer = [pair for pair in pairs if len(pair.target) > _SHORTEST]
    counts = [_going_on(model, group) for group in sorted_batches(longer)]
    return sum(right for right, _ in counts) / sum(n for _, n in counts)


_SHORTEST = 2
"""Number of ids in an empty target: BOS, EOS."""


@torch.inference_mode()
def _going_on(model: Transformer, pairs: Sequence[Pair]) -> tuple[int, int]:
    """Return how many tokens are right after a mistake, and how many there are."""
    batch = collate(pairs, model.config.pad_id).to(model.device)
    memory_BSD = model.encode(batch.source_BS)
    visible_B1S = padding_mask(batch.source_BS, model.config.pad_id)
    # Row i of the labels is what row i writes; EOS is no word to be mistaken for.
    middle_B = (batch.predicted_BT.sum(dim=1) - 1) // 2
    rows_1T = torch.arange(batch.fed_BT.shape[1], device=model.device)[None]
    after_BT = (rows_1T > middle_B[:, None]) & batch.predicted_BT
    fed_BT = batch.fed_BT.clone()
    output_BT = fed_BT
    for row in range(fed_BT.shape[1]):
        logits_BTV = mask_special_tokens(
            model.decode(fed_BT, memory_BSD, visible_B1S), model.config
        )
        output_BT = logits_BTV.argmax(dim=-1)
        if row + 1 == fed_BT.shape[1]:
            break
        next_B = torch.where(middle_B < row, output_BT[:, row], fed_BT[:, row + 1])
        next_B = torch.where(middle_B == row, _most_probable_wrong(logits_BTV, batch, row), next_B)
        # Padding stays padding.
        fed_BT[:, row + 1] = next_B.where(batch.predicted_BT[:, row + 1], fed_BT[:, row + 1])
    return int(((output_BT == batch.labels_BT) & after_BT).sum()), int(after_BT.sum())


def _most_probable_wrong(logits_BTV: torch.Tensor, batch: Batch, row: int) -> torch.Tensor:
    """Return ids_B: of each sentence the most probable token of a row that is not the true one."""
    wrong_BV = logits_BTV[:, row].scatter(1, batch.labels_BT[:, row, None], -torch.inf)
    return wrong_BV.argmax(dim=-1)


@torch.inference_mode()
def _forced_tokens(model: Transformer, batch: Batch) -> list[list[int]]:
    """Return the most probable token of each position after the true prefix."""
    tokens_BT = model(batch.source_BS, batch.fed_BT).argmax(dim=-1)
    return tokens_BT.masked_fill(~batch.predicted_BT, batch.pad_id).tolist()


# ---- wrong words put into a decoding


TRIED = 3
"""Wrong tokens that are tried at each step, the most probable ones."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong token that a decoding is fed, and the text that comes of it."""

    step: int
    token: int
    written: Ids
    """The whole target: what came before, the token, and what the model writes after it."""
    n_lost: int
    """Words after the step that the model writes without the mistake, and not with it."""
    probability: float
    """Of the token, at its step."""


def telling_mistake(run: Run, inspection: Inspection, free: Sequence[DecodeStep]) -> Mistake | None:
    """Return the mistake that changes most of what follows it; None where none changes anything.

    Of equal ones it is the most probable. A mistake that only ends the text is none.

    Args:
        run: The run that was inspected.
        inspection: Of the sentence.
        free: The steps of its greedy decoding.
    """
    changing = [
        each
        for step in range(len(free) - 1)
        for each in _mistakes(run, inspection.translation.source_ids, free, step)
        if each.n_lost
    ]
    return max(changing, key=lambda each: (each.n_lost, each.probability), default=None)


def wrong_tokens(run: Run, step: DecodeStep) -> list[int]:
    """Return the most probable tokens that read otherwise than the one that a step writes."""
    decode, ends = run.target_tokenizer.decode, run.model.config.eos_ids
    read = {"", decode([step.chosen]).strip()}
    tokens = [token for token in step.most_probable(TRIED + 1) if token not in ends]
    return [token for token in tokens if decode([token]).strip() not in read]


def _mistakes(run: Run, source: Ids, free: Sequence[DecodeStep], step: int) -> list[Mistake]:
    """Return the mistakes at one step after which the model goes on."""
    tokens = wrong_tokens(run, free[step])
    if not tokens:
        return []
    limit = run.max_new_tokens
    rests = generate(
        run.model,
        torch.tensor([source] * len(tokens)) if source else None,
        prompt_BT=torch.tensor([(*free[step].prefix, token) for token in tokens]),
        max_new_tokens=None if limit is None else limit - step - 1,
    )
    own = [each.chosen for each in free]
    shares_V, ends = free[step].probabilities, run.model.config.eos_ids

    def words(ids: Sequence[int]) -> list[str]:
        # "␣animal" and "animal" are two tokens, and the same to a reader.
        return [run.target_tokenizer.decode([token]).strip() for token in ids]

    return [
        Mistake(
            step,
            token,
            (*own[:step], token, *rest),
            _n_lost(words(own[step + 1 :]), words(rest)),
            float(shares_V[token]),
        )
        for token, rest in zip(tokens, rests, strict=True)
        if rest and rest[0] not in ends
    ]


def _n_lost(own: Sequence[str], now: Sequence[str]) -> int:
    """Return how many words of a text another one lacks, in their order.

    >>> _n_lost(["a", "b", "c"], ["d", "c"]), _n_lost(["a"], ["a"])
    (2, 0)
    """
    blocks = SequenceMatcher(None, own, now, autojunk=False).get_matching_blocks()
    return len(own) - sum(block.size for block in blocks)
