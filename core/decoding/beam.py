"""Beam search: keep the k best prefixes instead of one.

B prefixes side by side, V vocabulary.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from core.config import ConfigError
from core.decoding.step import Stepper, length_limit
from core.model import Transformer
from core.pieces import in_pieces

LARGEST_BEAM = 64
LARGEST_PENALTY = 10.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A beginning of a target, finished or not."""

    tokens: tuple[int, ...]
    """Without BOS; EOS is the last where it is finished."""
    log_probability: float
    """Sum over its tokens, in nats."""
    score: float
    """The log-probability divided by the length penalty: what is compared."""
    finished: bool = False
    """Whether it ends with EOS."""


@dataclass(frozen=True, slots=True)
class BeamStep:
    """What was kept after one step, and what was dropped."""

    kept: tuple[Hypothesis, ...]
    """The k best, best first; finished ones stay while they are among them."""
    dropped: tuple[Hypothesis, ...]
    """The best of those that did not make it, at most k, best first."""


def check_beam(beam: int, alpha: float) -> None:
    """Refuse settings that cannot be.

    Raises:
        ConfigError: The beam is not 1 to 64, or alpha is below 0.
    """
    if not 1 <= beam <= LARGEST_BEAM:
        raise ConfigError("beam is {beam}, not 1 to {most}", beam=beam, most=LARGEST_BEAM)
    if not 0 <= alpha <= LARGEST_PENALTY:
        raise ConfigError(
            "length penalty is {alpha}, not 0 to {most}", alpha=alpha, most=f"{LARGEST_PENALTY:g}"
        )


def length_penalty(length: int, alpha: float) -> float:
    """Return ((5 + length) / 6)^alpha (Wu et al. 2016); 1 for alpha 0.

    >>> length_penalty(7, 1.0)
    2.0
    """
    return float(((5 + length) / 6) ** alpha)


def beam_steps(
    model: Transformer,
    source_S: Tensor | None,
    beam: int,
    alpha: float = 0.6,
    prefix: tuple[int, ...] = (),
    prompt: tuple[int, ...] = (),
) -> Iterator[BeamStep]:
    """Yield the beam after each step, until all of it is finished or the limit is reached.

    A beam of 1 is greedy decoding. The best hypothesis is the first that the last step kept.

    Args:
        model: In evaluation mode.
        source_S: One source, with EOS; None for a decoder alone.
        beam: How many prefixes are kept.
        alpha: Exponent of the length penalty; 0 compares plain log-probabilities, which favours
            short targets.
        prefix: Tokens with which every hypothesis begins.
        prompt: What the decoder is fed first; nothing for what the model always begins with.

    Raises:
        ConfigError: The beam is not 1 to 64, or alpha is below 0.
    """
    check_beam(beam, alpha)
    stepper = Stepper(model, None if source_S is None else source_S[None])
    prompt = prompt or model.config.begins
    if len(prompt) > 1:
        stepper.feed_all(torch.tensor([prompt[:-1]], device=model.device))
    kept = [_begun(stepper, prompt[-1], prefix, alpha)]
    n_source = 0 if source_S is None else len(source_S)
    limit = length_limit(model, n_source, len(prompt))
    for _ in in_pieces(range(limit - len(prefix))):
        open_ = [hypothesis for hypothesis in kept if not hypothesis.finished]
        last_B = _last(model.device, prompt[-1], open_)
        log_probabilities_BV = stepper.feed(last_B)[0].log_softmax(dim=-1)
        longer = _continued(model, open_, log_probabilities_BV, 2 * beam, alpha)
        candidates = _sorted(kept, longer)
        best, rest = candidates[:beam], candidates[beam : 2 * beam]
        kept = [hypothesis for hypothesis, _ in best]
        yield BeamStep(tuple(kept), tuple(hypothesis for hypothesis, _ in rest))
        parents = [parent for hypothesis, parent in best if not hypothesis.finished]
        if not parents:
            return
        # All have the one source, in however many places.
        stepper = stepper.rows(torch.tensor(parents), len(parents) == len(open_))


def decode_by_beam(
    model: Transformer, source_BS: Tensor, beam: int, alpha: float = 0.6
) -> list[tuple[int, ...]]:
    """Translate a batch, each sentence by the best hypothesis that `beam_steps` finds for it.

    Args:
        model: In evaluation mode.
        source_BS: With EOS, padded.
        beam: How many prefixes are kept of each sentence.
        alpha: Exponent of the length penalty.

    Returns:
        For each sentence its target's ids without BOS; EOS is the last unless the limit came first.

    Raises:
        ConfigError: The beam is not 1 to 64, or alpha is below 0.
    """
    check_beam(beam, alpha)
    stepper = Stepper(model, source_BS)
    kept = [[Hypothesis((), 0.0, 0.0)] for _ in source_BS]
    limits = [length_limit(model, n) for n in _lengths(model, source_BS)]
    open_ = [(sentence, hypotheses[0]) for sentence, hypotheses in enumerate(kept)]
    device, length = model.device, 0
    while open_:
        last_B = _last(device, model.config.begins[-1], [h for _, h in open_])
        log_probabilities_BV = stepper.feed(last_B)[0].log_softmax(dim=-1)
        length += 1
        continued: dict[int, list[tuple[Hypothesis, int]]] = defaultdict(list)
        found = _continued(model, [h for _, h in open_], log_probabilities_BV, 2 * beam, alpha)
        for hypothesis, parent in found:
            continued[open_[parent][0]].append((hypothesis, parent))
        before = [sentence for sentence, _ in open_]
        open_, parents = [], []
        for sentence, longer in continued.items():
            best = _sorted(kept[sentence], longer)[:beam]
            kept[sentence] = [hypothesis for hypothesis, _ in best]
            for hypothesis, parent in best if length < limits[sentence] else ():
                if not hypothesis.finished:
                    open_.append((sentence, hypothesis))
                    parents.append(parent)
        if open_:
            same_sources = before == [sentence for sentence, _ in open_]
            stepper = stepper.rows(torch.tensor(parents, device=device), same_sources)
    return [hypotheses[0].tokens for hypotheses in kept]


def _sorted(
    kept: list[Hypothesis], continued: list[tuple[Hypothesis, int]]
) -> list[tuple[Hypothesis, int]]:
    """Return the finished ones and all that continue the others, best first, with their parents."""
    candidates = [(hypothesis, -1) for hypothesis in kept if hypothesis.finished] + continued
    # Among equals the one that was found first, as greedy decoding does.
    return sorted(candidates, key=lambda candidate: -candidate[0].score)


def _last(device: torch.device, first: int, hypotheses: list[Hypothesis]) -> Tensor:
    """Return the token that each was fed last: the first, where it has none of its own."""
    tokens = [(first, *hypothesis.tokens)[-1] for hypothesis in hypotheses]
    return torch.tensor(tokens, device=device)


def _lengths(model: Transformer, source_BS: Tensor) -> list[int]:
    lengths: list[int] = (source_BS != model.config.pad_id).sum(dim=1).tolist()
    return lengths


def _begun(stepper: Stepper, first: int, prefix: tuple[int, ...], alpha: float) -> Hypothesis:
    """Feed all of a prefix but its last token, and return it as a hypothesis."""
    total = 0.0
    device, ends = stepper.model.device, stepper.model.config.eos_ids
    for fed, said in zip((first, *prefix), prefix, strict=False):
        logits_BV = stepper.feed(torch.tensor([fed], device=device))[0]
        total += float(logits_BV.log_softmax(dim=-1)[0, said])
    score = total / length_penalty(len(prefix), alpha)
    return Hypothesis(prefix, total, score, any(token in ends for token in prefix[-1:]))


def _continued(
    model: Transformer,
    hypotheses: list[Hypothesis],
    log_probabilities_BV: Tensor,
    most: int,
    alpha: float,
) -> list[tuple[Hypothesis, int]]:
    """Return each hypothesis with its most probable next tokens, and its number beside it."""
    ends = model.config.eos_ids
    n = min(most, log_probabilities_BV.shape[-1])
    values_BK, tokens_BK = log_probabilities_BV.topk(n, dim=-1)
    continued = []
    for parent, hypothesis in enumerate(hypotheses):
        penalty = length_penalty(len(hypothesis.tokens) + 1, alpha)
        for value, token in zip(
            values_BK[parent].tolist(), tokens_BK[parent].tolist(), strict=True
        ):
            if value == float("-inf"):
                continue
            total = hypothesis.log_probability + value
            longer = Hypothesis((*hypothesis.tokens, token), total, total / penalty, token in ends)
            continued.append((longer, parent))
    return continued


@dataclass(frozen=True, slots=True)
class BeamNode:
    """A prefix in the tree that a beam search grows."""

    hypothesis: Hypothesis
    step: int
    """At which step it was found, counted from 0."""
    kept: bool
    parent: int | None
    """The node that it continues; None for those that continue BOS."""


def beam_tree(found: Iterable[BeamStep]) -> list[BeamNode]:
    """Return every kept and dropped prefix once, each after the one that it continues."""
    nodes: list[BeamNode] = []
    number: dict[tuple[int, ...], int] = {}
    for beam in found:
        for kept, hypotheses in ((True, beam.kept), (False, beam.dropped)):
            # A finished one that stays in the beam, or drops out of it later, is no new node.
            for hypothesis in (each for each in hypotheses if each.tokens not in number):
                parent = number.get(hypothesis.tokens[:-1])
                number[hypothesis.tokens] = len(nodes)
                nodes.append(BeamNode(hypothesis, len(hypothesis.tokens) - 1, kept, parent))
    return nodes
