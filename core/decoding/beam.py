"""Beam search: keep the k best prefixes instead of one.

B prefixes side by side, V vocabulary.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..config import ConfigError
from ..model import Transformer
from .bounds import LARGEST_BEAM, LARGEST_PENALTY, PENALTY
from .step import Stepper, length_limit


@dataclass(frozen=True, slots=True)
class Beam:
    """Settings of a beam search, which keeps the best of several prefixes."""

    beam: int
    """How many prefixes are kept; a beam of 1 is greedy decoding."""
    alpha: float = PENALTY
    """Exponent of the length penalty; 0 compares plain log-probabilities, which favours short
    targets."""

    def __post_init__(self) -> None:
        if not 1 <= self.beam <= LARGEST_BEAM:
            raise ConfigError("beam is {beam}, not 1 to {most}", beam=self.beam, most=LARGEST_BEAM)
        if not 0 <= self.alpha <= LARGEST_PENALTY:
            raise ConfigError(
                "length penalty is {alpha}, not 0 to {most}",
                alpha=self.alpha,
                most=f"{LARGEST_PENALTY:g}",
            )


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A beginning of a target, finished or not."""

    tokens: tuple[int, ...]
    """Without BOS; ends with EOS if finished."""
    log_probability: float
    """Sum over its tokens, in nats."""
    score: float
    """The log-probability divided by the length penalty, by which hypotheses are compared."""
    finished: bool = False
    """Whether it ends with EOS."""


@dataclass(frozen=True, slots=True)
class BeamStep:
    """The beam after one step, and what was dropped there."""

    live: tuple[Hypothesis, ...]
    """The k best unfinished ones, best first."""
    finished: tuple[Hypothesis, ...]
    """The k best finished so far, best first."""
    dropped: tuple[Hypothesis, ...]
    """The best continuations that are neither, at most k, best first."""

    @property
    def best(self) -> Hypothesis:
        """The best finished hypothesis, or else the best live one."""
        return (self.finished or self.live)[0]

    def is_done(self, beam: int) -> bool:
        """Return whether the search is over: k are finished, and no live prefix scores better."""
        if not self.live:
            return True
        return len(self.finished) == beam and self.finished[-1].score >= self.live[0].score


def length_penalty(length: int, alpha: float) -> float:
    """Return ((5 + length) / 6)^alpha (Wu et al. 2016); 1 for alpha 0.

    >>> length_penalty(7, 1.0)
    2.0
    """
    return float(((5 + length) / 6) ** alpha)


def beam_steps(  # noqa: PLR0913
    model: Transformer,
    source_S: Tensor | None,
    strategy: Beam,
    prefix: tuple[int, ...] = (),
    prompt: tuple[int, ...] = (),
    max_new_tokens: int | None = None,
) -> Iterator[BeamStep]:
    """Yield the beam after each step of a search for one target; see `core.decoding.generate`.

    Every hypothesis begins with the prefix.
    """
    stepper = Stepper(model, None if source_S is None else source_S[None])
    prompt = prompt or model.config.begins
    if len(prompt) > 1:
        stepper.feed(torch.tensor([prompt[:-1]], device=model.device))
    total = 0.0
    for fed, token in zip((prompt[-1], *prefix), prefix, strict=False):
        logits_1V = stepper.feed(torch.tensor([[fed]], device=model.device))
        total += float(logits_1V.log_softmax(dim=-1)[0, token])
    begun = Hypothesis(prefix, total, total / length_penalty(len(prefix), strategy.alpha))
    n_source = 0 if source_S is None else len(source_S)
    limit = length_limit(model, n_source, len(prompt), max_new_tokens)
    for steps in _search(stepper, prompt[-1], [begun], [limit], strategy):
        yield steps[0]


def decode_by_beam(
    model: Transformer, source_BS: Tensor, prompt_BT: Tensor, strategy: Beam
) -> list[tuple[int, ...]]:
    """Translate a batch, each sentence by the best hypothesis that `beam_steps` finds for it."""
    lengths_B = (source_BS != model.config.pad_id).sum(dim=1)
    n_fed = prompt_BT.shape[1]
    limits = [length_limit(model, n, n_fed) for n in lengths_B.tolist()]
    stepper = Stepper(model, source_BS)
    if n_fed > 1:
        stepper.feed(prompt_BT[:, :-1])
    begun = [Hypothesis((), 0.0, 0.0)] * len(limits)
    best: list[tuple[int, ...]] = [()] * len(limits)
    for steps in _search(stepper, int(prompt_BT[0, -1]), begun, limits, strategy):
        for sentence, step in steps.items():
            best[sentence] = step.best.tokens
    return best


def _search(
    stepper: Stepper,
    first: int,
    begun: Sequence[Hypothesis],
    limits: Sequence[int],
    strategy: Beam,
) -> Iterator[dict[int, BeamStep]]:
    """Search for the targets of several sentences in parallel.

    Of all continuations of the k live prefixes, the k most probable that do not end go on; those
    that end and are among the k most probable are kept apart. A sentence is done when k are
    finished and no live prefix scores better, or at its limit: the search of Hugging Face
    Transformers.

    Args:
        stepper: Has been fed all but the last token of each sentence's beginning.
        first: The token that is fed to an empty hypothesis.
        begun: The tokens that each sentence begins with.
        limits: Maximum number of tokens of each.
        strategy: k and the length penalty.

    Yields:
        Index → step of each sentence that was not done before.
    """
    live = [(n, each) for n, each in enumerate(begun) if len(each.tokens) < limits[n]]
    finished: dict[int, tuple[Hypothesis, ...]] = defaultdict(tuple)
    device = stepper.model.device
    while live:
        last = [(first, *each.tokens)[-1:] for _, each in live]
        logits_BV = stepper.feed(torch.tensor(last, device=device))
        candidates: dict[int, dict[Hypothesis, int]] = defaultdict(dict)
        continued = _continued(stepper.model, [each for _, each in live], logits_BV, strategy)
        for hypothesis, parent in continued:
            candidates[live[parent][0]][hypothesis] = parent
        sentences = [n for n, _ in live]
        live, parents, steps = [], [], {}
        for n, parent_of in candidates.items():
            step = steps[n] = _advanced(finished[n], parent_of, strategy.beam)
            finished[n] = step.finished
            if not step.is_done(strategy.beam) and len(step.live[0].tokens) < limits[n]:
                live += [(n, each) for each in step.live]
                parents += [parent_of[each] for each in step.live]
        yield steps
        if live:
            same_sources = sentences == [n for n, _ in live]
            stepper = stepper.rows(torch.tensor(parents, device=device), same_sources)


def _continued(
    model: Transformer, hypotheses: Sequence[Hypothesis], logits_BV: Tensor, strategy: Beam
) -> Iterator[tuple[Hypothesis, int]]:
    """Yield each hypothesis extended by its most probable next tokens, with its index."""
    ends = model.config.eos_ids
    # Enough for k to continue even if each of them could end.
    n = min(strategy.beam * (1 + max(1, len(ends))), logits_BV.shape[-1])
    best_BN = logits_BV.log_softmax(dim=-1).topk(n, dim=-1)
    values, tokens = best_BN.values.tolist(), best_BN.indices.tolist()
    for parent, hypothesis in enumerate(hypotheses):
        penalty = length_penalty(len(hypothesis.tokens) + 1, strategy.alpha)
        for value, token in zip(values[parent], tokens[parent], strict=True):
            if value > -math.inf:
                total = hypothesis.log_probability + value
                extended = (*hypothesis.tokens, token)
                yield Hypothesis(extended, total, total / penalty, token in ends), parent


def _advanced(
    finished: tuple[Hypothesis, ...], candidates: Iterable[Hypothesis], beam: int
) -> BeamStep:
    """Return a sentence's step from its finished hypotheses and the continuations of live ones."""
    # Among equals the first one found, as in greedy decoding.
    ranked = sorted(candidates, key=lambda each: -each.score)
    ended = [each for each in ranked[:beam] if each.finished]
    live = [each for each in ranked if not each.finished][:beam]
    dropped = [each for each in ranked if each not in ended and each not in live]
    best = sorted((*finished, *ended), key=lambda each: -each.score)
    return BeamStep(tuple(live), tuple(best[:beam]), tuple(dropped[:beam]))


@dataclass(frozen=True, slots=True)
class BeamNode:
    """A prefix in the tree that a beam search grows."""

    hypothesis: Hypothesis
    step: int
    """Index of the step at which it was found."""
    kept: bool
    parent: int | None
    """Index of the node that it extends; None for those that extend BOS."""


def beam_tree(found: Iterable[BeamStep]) -> list[BeamNode]:
    """Return every kept and dropped prefix once, each after its parent."""
    nodes: list[BeamNode] = []
    number: dict[tuple[int, ...], int] = {}
    for beam in found:
        for kept, hypotheses in ((True, (*beam.finished, *beam.live)), (False, beam.dropped)):
            # A finished one stays for many steps, but is one node.
            for hypothesis in (each for each in hypotheses if each.tokens not in number):
                parent = number.get(hypothesis.tokens[:-1])
                number[hypothesis.tokens] = len(nodes)
                nodes.append(BeamNode(hypothesis, len(hypothesis.tokens) - 1, kept, parent))
    return nodes
