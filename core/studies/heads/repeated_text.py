"""Which heads look where on random tokens that repeat: roles that need no task.

A share is the mean weight that rows give to the key that a role wants of them. Beside it stands
what an even row gives to that key, and a 95 % interval: the normal one of a mean over sequences,
which are drawn independently, while rows of one sequence are not (Cochran 1977, "Sampling
Techniques", chapter 2). B batch, H heads, Q queries, K keys, N sequences, R rows.

Sources: Olsson et al., "In-context Learning and Induction Heads" (2022) for induction heads and
those that look at the previous token; Wang et al., "Interpretability in the Wild" (2022) for heads
that look at duplicates.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.evaluate.intervals import mean_difference
from core.heads import Head, Kind, Site, Stack
from core.model import EnoughError, Probe, Step, Transformer, UntilWeights
from core.runs.run import Run
from core.studies.heads.repeated_tokens import (
    HALF,
    N_SEQUENCES,
    SEED,
    RepeatedTokens,
    RoleKeys,
    Specials,
    TextRole,
)

NO_SPECIALS = Specials()


@dataclass(frozen=True, slots=True)
class TextScore:
    """How far a head has a role."""

    share: float
    """Mean weight on the key that the role wants, 0 to 1."""
    baseline: float
    """The same of a head whose rows are even."""
    interval: tuple[float, float]
    """Of the share, 95 %; it holds for one head by itself, not for the best of many."""
    n_rows: int
    n_sequences: int

    @property
    def beats_baseline(self) -> bool:
        """Whether the whole interval lies above an even row's share."""
        return self.interval[0] > self.baseline


@dataclass(frozen=True, slots=True)
class TextRoles:
    """What every head of self-attention does with some text."""

    scores: Mapping[TextRole, Mapping[Head, TextScore]]

    def best(self, role: TextRole, n: int = 1, kind: Kind | None = None) -> tuple[Head, ...]:
        """Return the heads with the largest shares of a role, the largest first.

        Args:
            role: Which.
            n: So many heads, or all where there are fewer.
            kind: Only heads of this kind of attention; None for all.
        """
        of_role = self.scores[role]
        heads = [head for head in of_role if kind in (None, head.kind)]
        return tuple(sorted(heads, key=lambda head: -of_role[head].share)[:n])


@dataclass(frozen=True, slots=True)
class RepeatedText(TextRoles):
    """The same with text that repeats."""

    text: RepeatedTokens


@dataclass(frozen=True)
class RoleShares:
    """A probe that keeps of every map no more than the mean weight on the keys of each role."""

    keys: Mapping[Kind, Mapping[TextRole, RoleKeys]]
    found: dict[tuple[TextRole, Site], list[Tensor]] = field(default_factory=dict)
    """shares_BH of each batch."""

    def sees(self, site: Site) -> bool:
        """Self-attention of these kinds."""
        return site.is_attention and site.attention in self.keys

    def at(self, site: Site, step: Step, tensor: Tensor) -> Tensor:
        """Average the weights on the keys of each role, and let them pass."""
        if step is Step.WEIGHTS:
            for role, keys in self.keys[site.attention].items():
                chosen_BHR = tensor.detach()[:, :, keys.rows_R, keys.keys_R]
                shares_BH = chosen_BHR.mean(dim=-1).double().cpu()
                self.found.setdefault((role, site), []).append(shares_BH)
        return tensor


def roles_text(run: Run) -> RepeatedTokens:
    """Return the sequences that a run's model has room for.

    Raises:
        ValueError: It has too few positions; the message says how many are needed.
    """
    specials = Specials.of(run.tokenizer)
    room = run.model.config.max_positions - len(specials.begins) - len(specials.ends) - 1
    return RepeatedTokens(half=min(HALF, room // 2), specials=specials)


def roles_on_text(run: Run) -> RepeatedText:
    """Return what every head of a run does with random tokens that repeat.

    Raises:
        ValueError: The sequences cannot be drawn for this model; the message says why.
    """
    text = roles_text(run)
    return measure_roles(run.model, half=text.half, specials=text.specials)


def measure_roles(
    model: Transformer,
    n_sequences: int = N_SEQUENCES,
    half: int = HALF,
    seed: int = SEED,
    specials: Specials = NO_SPECIALS,
    progress: Callable[[int], None] = lambda _: None,
) -> RepeatedText:
    """Return what every head of self-attention does with random tokens that repeat.

    Encoders read such sequences, decoders are fed them; cross-attention is not asked.

    Args:
        model: In evaluation mode.
        n_sequences: So many are drawn.
        half: Tokens before the repetition begins.
        seed: Draws them.
        specials: Tokens that are not drawn, and what stands around a source.
        progress: Told after each batch how many sequences are done.

    Raises:
        ValueError: The sequences cannot be drawn for this model; the message says why.
    """
    text = RepeatedTokens(n_sequences, half, seed, specials)
    kinds = dict.fromkeys(site.attention for site in model.sites() if site.is_self)
    probe = RoleShares({kind: text.keys(model.config, kind) for kind in kinds})
    _show(model, text, probe, progress)
    scores: dict[TextRole, dict[Head, TextScore]] = {role: {} for role in TextRole}
    for (role, site), shares in probe.found.items():
        keys, shares_NH = probe.keys[site.attention][role], torch.cat(shares).numpy()
        for head in site.heads(model.config.n_heads):
            scores[role][head] = _score(shares_NH[:, head.index], keys)
    return RepeatedText(scores, text)


@torch.inference_mode()
def _show(
    model: Transformer, text: RepeatedTokens, probe: RoleShares, progress: Callable[[int], None]
) -> None:
    """Show a model all sequences, some at a time."""
    ids = {
        stack: text.ids_NP(model.config, Kind.self_of(stack).query_side)
        for stack in model.config.stacks
    }
    for rows in text.batches():
        given = {stack: ids_NP[rows].to(model.device) for stack, ids_NP in ids.items()}
        read(model, given, probe)
        progress(min(rows.stop, text.n_sequences))


@torch.inference_mode()
def read(model: Transformer, ids: Mapping[Stack, Tensor], probe: Probe) -> None:
    """Let a model read, and a probe look at its weights; what comes after is not computed.

    Args:
        model: In evaluation mode.
        ids: ids_BP of each stack that the model has, on its device.
        probe: Of attention's steps up to the weights.
    """
    probe = UntilWeights.of(probe, model.sites())
    with suppress(EnoughError):
        if "decoder" in ids:
            model(ids.get("encoder"), ids["decoder"], probe)
        else:
            # What an encoder alone would guess is not asked; some have no guess at all.
            model.encode(ids["encoder"], probe)


def _score(share_N: NDArray[np.float64], keys: RoleKeys) -> TextScore:
    """Return the mean over the sequences, which have the same number of rows."""
    n = len(share_N)
    found = mean_difference(np.zeros(n), share_N, np.ones(n))
    return TextScore(
        share=found.after,
        baseline=float(keys.chance_R.mean()),
        interval=(max(found.low, 0.0), min(found.high, 1.0)),
        n_rows=n * len(keys.rows_R),
        n_sequences=n,
    )
