"""What heads do on text without a meaning: random tokens, said twice.

No task is needed for it, so that any model can be asked. Where a head goes in the second half is no
matter of what words mean; a head that looks from a token to what followed it the first time can
tell what comes next (an induction head).

Source: Olsson et al. (2022), "In-context Learning and Induction Heads"; duplicate-token heads: Wang
et al. (2022), "Interpretability in the Wild".

N sequences, K tokens of one, V vocabulary.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.evaluate.intervals import Z
from core.heads import Head, Site
from core.model import Probe, Silence, Step, Transformer

N_SEQUENCES, HALF = 24, 24
SEED = 0
_AT_ONCE = 4
"""So many sequences go through the model together: a large vocabulary has long rows of scores."""


class Role(StrEnum):
    """Where a head may look whatever the text is."""

    PREVIOUS = "previous"
    """At the token before."""
    FIRST = "first"
    """At the first position."""
    ITSELF = "itself"
    """At the token itself."""
    DUPLICATE = "duplicate"
    """At the same token where it was said before."""
    INDUCTION = "induction"
    """At the token that followed where the same was said before."""


@dataclass(frozen=True, slots=True)
class RoleShare:
    """How much of its weight a head gives to where a role looks, averaged over rows."""

    share: float
    low: float
    high: float
    """95 % interval of the mean over sequences, as of a normal distribution."""
    baseline: float
    """The same of rows that look evenly at all that they may see."""


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """What was found on repeated random tokens."""

    shares: Mapping[Role, Mapping[Head, RoleShare]]
    n_sequences: int
    n_rows: int
    """Rows of a head that were averaged for each role: those of the second halves."""

    def best(self, role: Role, n: int) -> tuple[Head, ...]:
        """Return the heads with the largest share of a role, largest first."""
        found = self.shares[role]
        return tuple(sorted(found, key=lambda head: -found[head].share)[:n])


@dataclass(frozen=True, slots=True)
class SilencingCost:
    """What a decoder loses when heads are silent: −log p of the next token, in nats."""

    first_half: float
    """Mean rise where nothing was said before, which no induction can tell."""
    second_half: float
    """Mean rise where all was said before."""
    low: float
    high: float
    """95 % interval of the rise on the second half, over sequences."""
    before: float
    """−log p on the second half when no head is silent."""


def repeated_tokens(
    model: Transformer,
    n: int = N_SEQUENCES,
    half: int = HALF,
    seed: int = SEED,
    without: Collection[int] = (),
) -> Tensor:
    """Return ids_NK: random tokens, each sequence twice, after what a decoder begins with.

    Args:
        model: Whose vocabulary it is.
        n: Sequences.
        half: Tokens before they are repeated; each is another one.
        seed: Of the draw.
        without: Special tokens beside those that the model knows.

    Raises:
        ValueError: There are fewer tokens than that, or positions.
    """
    config = model.config
    special = {config.pad_id, config.bos_id, *config.eos_ids, *without}
    allowed = np.array([token for token in range(config.n_target_tokens) if token not in special])
    begins = config.begins if "encoder" not in config.stacks else ()
    length = len(begins) + 2 * half
    if half > len(allowed) or length > config.max_positions:
        raise ValueError(
            f"{half} different tokens twice are {length} positions; the model has "
            f"{len(allowed)} tokens and {config.max_positions} positions"
        )
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(allowed, half, replace=False) for _ in range(n)]
    return torch.tensor(np.stack([[*begins, *each, *each] for each in drawn]), device=model.device)


def measure_roles(
    model: Transformer,
    n: int = N_SEQUENCES,
    half: int = HALF,
    seed: int = SEED,
    without: Collection[int] = (),
) -> RepeatedText:
    """Measure where the heads of self-attention look on repeated random tokens.

    The encoder reads them, or a decoder alone is fed them; cross-attention is not asked.

    Args:
        model: In evaluation mode.
        n: As `repeated_tokens` takes them, as are the next three.
        half: The same.
        seed: The same.
        without: The same.

    Raises:
        ValueError: The model is too small for it.
    """
    ids_NK = repeated_tokens(model, n, half, seed, without)
    start = ids_NK.shape[1] - 2 * half
    tally = _Tally(start, half)
    for some_NK in ids_NK.split(_AT_ONCE):
        _run(model, some_NK, tally)
    return RepeatedText(tally.shares(model.config.n_heads), n, n * half)


def cost_of_silencing(
    model: Transformer,
    heads: Collection[Head],
    n: int = N_SEQUENCES,
    half: int = HALF,
    seed: int = SEED,
    without: Collection[int] = (),
) -> SilencingCost:
    """Measure what a decoder alone loses on repeated random tokens when heads are silent.

    Args:
        model: In evaluation mode.
        heads: Silenced together.
        n: As `repeated_tokens` takes them, as are the next three.
        half: The same.
        seed: The same.
        without: The same.

    Raises:
        ValueError: It is no decoder alone, or too small for it.
    """
    if model.config.stacks != ("decoder",):
        raise ValueError("only a decoder alone predicts the next of random tokens")
    ids_NK = repeated_tokens(model, n, half, seed, without)
    plain_NK, silent_NK = (
        torch.cat([_surprise(model, some_NK, probe) for some_NK in ids_NK.split(_AT_ONCE)])
        for probe in (None, Silence.of(heads))
    )
    rise_NK = (silent_NK - plain_NK).numpy()
    # The first token of the repetition cannot be told by anything.
    second_N = rise_NK[:, 1 - half :].mean(axis=1)
    low, high = _interval(second_N)
    return SilencingCost(
        first_half=float(rise_NK[:, :-half].mean()),
        second_half=float(second_N.mean()),
        low=low,
        high=high,
        before=float(plain_NK[:, 1 - half :].mean()),
    )


@torch.inference_mode()
def _run(model: Transformer, ids_NK: Tensor, probe: Probe) -> None:
    if model.config.stacks == ("decoder",):
        model.decode(ids_NK, None, None, probe)
    else:
        model.encode(ids_NK, probe)


@torch.inference_mode()
def _surprise(model: Transformer, ids_NK: Tensor, probe: Probe | None) -> Tensor:
    """Return −log p of each token but the first after those before it, in nats: one row each."""
    logits_NKV = model.decode(ids_NK, None, None, probe)[:, :-1]
    log_NKV = logits_NKV.double().log_softmax(dim=-1)
    return -log_NKV.gather(-1, ids_NK[:, 1:, None])[..., 0].cpu()


def _interval(of_N: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, as of a normal distribution."""
    reach = Z * float(of_N.std(ddof=1)) / len(of_N) ** 0.5 if len(of_N) > 1 else 0.0
    return float(of_N.mean()) - reach, float(of_N.mean()) + reach


@dataclass(slots=True)
class _Tally:
    """A probe that adds up the weights on what each role looks at, and keeps no map."""

    start: int
    """So many positions stand before the random tokens."""
    half: int
    found: dict[tuple[Site, Role], list[NDArray[np.float64]]] = field(default_factory=dict)
    """Share_NH of the sequences of each batch."""
    even: dict[tuple[Site, Role], float] = field(default_factory=dict)

    def sees(self, site: Site) -> bool:
        """Self-attention."""
        return site.is_self

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Add up the weights of a sublayer."""
        if step is Step.WEIGHTS:
            weights_NHQK = tensor.double().cpu().numpy()
            for role, query, key in self._looked_at(weights_NHQK.shape[-1]):
                share_NHQ = weights_NHQK[:, :, query, key]
                self.found.setdefault((site, role), []).append(share_NHQ.mean(axis=-1))
                causal = not site.in_encoder
                n_visible = np.asarray(query) + 1 if causal else weights_NHQK.shape[-1]
                self.even[site, role] = float(np.mean(1 / n_visible))
        return tensor

    def _looked_at(self, length: int) -> Iterator[tuple[Role, Sequence[int], Sequence[int]]]:
        """Yield the rows of the second half, and at which key each role looks from them."""
        query = range(self.start + self.half, length)
        yield Role.PREVIOUS, query, [at - 1 for at in query]
        yield Role.FIRST, query, [0 for _ in query]
        yield Role.ITSELF, query, query
        yield Role.DUPLICATE, query, [at - self.half for at in query]
        yield Role.INDUCTION, query, [at - self.half + 1 for at in query]

    def shares(self, n_heads: int) -> dict[Role, dict[Head, RoleShare]]:
        """Return what was added up."""
        made: dict[Role, dict[Head, RoleShare]] = {role: {} for role in Role}
        for (site, role), parts in self.found.items():
            share_NH = np.concatenate(parts)
            for head, of_N in zip(site.heads(n_heads), share_NH.T, strict=True):
                low, high = _interval(of_N)
                share = RoleShare(float(of_N.mean()), low, high, self.even[site, role])
                made[role][head] = share
        return made
