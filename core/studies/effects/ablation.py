"""What a model does with one sentence while heads are changed.

B batch, Q queries, H heads, E width of one head.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...batch import collate
from ...decoding.generate import decode_steps, forced_steps
from ...decoding.sentence import (
    ModelInput,
    Translation,
    longest_text,
    model_input,
    read_written,
)
from ...decoding.step import DecodeStep
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.metrics import sorted_batches
from ...heads import Head, Site
from ...heads import Kind as Attention
from ...inspection import Inspection
from ...model import Probe, Record, Silence, Step
from ...model.probes import Freeze, Uniform
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .head_effects import Figure, HeadEffects, costliest_first, figure_of
from .measuring import stored_effects

Kind = Literal["silence", "uniform", "freeze"]
Averages = Mapping[Site, Tensor]
"""Site → mixed_HE, what each head mixes on average."""
N_AVERAGED, SEED = 200, 0
"""Held-out sentences that a frozen head's average is taken over, and what draws them."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """What is done to some heads."""

    kind: Kind
    """silence: the head's term is missing from the sum that W^O makes. uniform: it looks at all
    that it may see alike. freeze: it always says its average, whatever the sentence."""
    heads: frozenset[Head]

    def probe(self, averages: Averages | None = None) -> Probe:
        """Return the probe that does it."""
        match self.kind:
            case "silence":
                return Silence.of(self.heads)
            case "uniform":
                return Uniform.of(self.heads)
            case "freeze":
                if averages is None:
                    raise ValueError("to freeze a head its average must be known")
                return Freeze({head: averages[head.site][head.index] for head in self.heads})


@torch.inference_mode()
def average_mixed(run: Run, n: int = N_AVERAGED, seed: int = SEED) -> Averages:
    """Return what each head mixes on average, over all positions of `n` held-out sentences.

    Padding does not count. The decoder is fed the true targets.
    """
    record = Record(frozenset({Step.MIXED}))
    sums: dict[Site, Tensor] = {}
    counts = dict.fromkeys(run.model.sites(), 0)
    for group in sorted_batches(held_out_pairs(run, n, seed)):
        batch = collate(group, run.model.config.pad_id).to(run.model.device)
        run.model(batch.source_BS, batch.fed_BT, record)
        for site in run.model.sites():
            mixed_BHQE = record.tensors[site, Step.MIXED].double()
            said_BQ = batch.said(site.side)
            total_HE = (mixed_BHQE * said_BQ[:, None, :, None]).sum(dim=(0, 2))
            sums[site] = total_HE + sums.get(site, 0.0)
            counts[site] += int(said_BQ.sum())
    return {site: (total_HE / counts[site]).float() for site, total_HE in sums.items()}


def averaged_over(run: Run, n: int = N_AVERAGED, seed: int = SEED) -> int:
    """Return how many held-out sentences `average_mixed` takes: fewer where the task has fewer."""
    return len(held_out_pairs(run, n, seed))


@dataclass(frozen=True, slots=True)
class TokenChance:
    """One token of a target and how probable the model finds it there."""

    token: Token
    probability: float
    best: Token
    """The token that the model finds most probable there."""
    best_probability: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model makes of a sentence, changed or not."""

    sentence: str
    """As it was typed."""
    translation: Translation
    """Written freely: greedy, fed its own words."""
    own: tuple[TokenChance, ...]
    """Of what it writes, EOS included where it comes to that."""
    reference: tuple[TokenChance, ...]
    """Of the reference's tokens, each after the true ones before it; EOS included where the
    reference comes to that."""
    loss: float
    """Mean of −log of the reference's probabilities, in nats."""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The same sentence through the model as it is, and changed."""

    before: Outcome
    after: Outcome

    @property
    def same_text(self) -> bool:
        """Whether the translation stays as it is."""
        return self.before.translation.target_ids == self.after.translation.target_ids

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield a row of a table for each word that both were fed, and one for the loss."""
        both = zip(self.before.reference, self.after.reference, strict=True)
        for step, (before, after) in enumerate(both):
            yield {
                "what": "probability",
                "step": step,
                "word": before.token.text,
                "before": before.probability,
                "after": after.probability,
                "most_probable_after": after.best.text,
                "its_probability": after.best_probability,
            }
        yield {"what": "loss", "before": self.before.loss, "after": self.after.loss}


def unchanged(run: Run, sentence: str, inspection: Inspection) -> Outcome:
    """Feed the model as it is what it wrote."""
    own = inspection.translation
    fed = own.target_ids[own.n_given :]
    forced = _forced(run, model_input(run, sentence), fed, None, ended=own.finished)
    chances = _chances(run, forced)
    return Outcome(sentence, own, chances, chances, _loss(forced))


def before_after(run: Run, before: Outcome, probe: Probe) -> BeforeAfter:
    """Translate the sentence of an outcome again with a probe, fed the same reference."""
    own = before.translation
    fed = own.target_ids[own.n_given :]
    return BeforeAfter(before, outcome(run, before.sentence, fed, probe, ended=own.finished))


def outcome(
    run: Run,
    sentence: str,
    reference_ids: Sequence[int],
    probe: Probe | None,
    *,
    ended: bool = True,
) -> Outcome:
    """Translate a sentence with a probe, freely and fed a reference.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        reference_ids: Without BOS and EOS; cut where it is longer than the model's positions.
        probe: What is changed; None for nothing.
        ended: Whether EOS comes after the reference; not where a translation ran into the limit.
    """
    found = model_input(run, sentence)
    limit = run.max_new_tokens
    written = list(
        decode_steps(run.model, found.source_S, found.prompt, probe=probe, max_new_tokens=limit)
    )
    forced = _forced(run, found, reference_ids, probe, ended=ended)
    return Outcome(
        sentence=sentence,
        translation=read_written(run, found, tuple(step.chosen for step in written)),
        own=_chances(run, written),
        reference=_chances(run, forced),
        loss=_loss(forced),
    )


def _forced(
    run: Run, given: ModelInput, ids: Sequence[int], probe: Probe | None, *, ended: bool
) -> list[DecodeStep]:
    """Return the steps of a text that is fed, EOS included where it ended."""
    fed = tuple(ids)[: longest_text(run.model) - len(given.prompt)]
    steps = list(forced_steps(run.model, given.source_S, fed, probe, given.prompt, watch=False))
    # The last step may be that of an EOS that nobody wrote.
    return steps[:-1] if fed and not ended and given.source_ids else steps


def _loss(steps: Sequence[DecodeStep]) -> float:
    """Return the mean of −log of the probabilities of what is fed, in nats."""
    return -sum(step.log_probability for step in steps) / len(steps)


@dataclass(frozen=True, slots=True, eq=False)
class AblationReport:
    """What changed heads do to a sentence, and what is known of every head."""

    sentence: BeforeAfter
    effects: HeadEffects | None
    """What silencing each head costs on held-out sentences, where that was measured."""
    figure: Figure
    """Which cost the table holds."""
    sharpness: Mapping[Attention, NDArray[np.float32]]
    """Kind of attention → largest_LH: the largest weight of a row on this sentence, the mean."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each word, for the loss, and for each head."""
        rows = [
            *self.sentence.rows(),
            *(self._effects(self.effects) if self.effects else self._sharp()),
        ]
        names = ["what", "head", "step", "word", "before", "after", "change", "low", "high"]
        names += ["sure", "n", "most_probable_after", "its_probability"]
        return {name: [row.get(name) for row in rows] for name in names}

    def _effects(self, effects: HeadEffects) -> Iterator[dict[str, object]]:
        for each in costliest_first(effects, self.figure):
            if (found := figure_of(each, self.figure)) is not None:
                yield {
                    "what": self.figure,
                    "head": str(each.head),
                    "before": found.before,
                    "after": found.after,
                    "change": found.change,
                    "low": found.low,
                    "high": found.high,
                    "sure": found.is_sure,
                    "n": found.n,
                }

    def _sharp(self) -> Iterator[dict[str, object]]:
        for kind, values_LH in self.sharpness.items():
            for (layer, head), value in np.ndenumerate(values_LH):
                name = str(Head(kind.site(layer), head))
                yield {"what": "sharpness", "head": name, "before": float(value)}


def ablation_report(
    run: Run,
    inspection: Inspection,
    before: Outcome,
    changed: Intervention,
    figure: Figure | None = "exact_match",
    averages: Averages | None = None,
) -> AblationReport:
    """Translate a sentence with heads changed, and return beside it what each head costs.

    Args:
        run: A loaded run.
        inspection: Of the sentence, for the heads' sharpness.
        before: The sentence through the model as it is.
        changed: What is done to which heads.
        figure: Which cost the table holds; None where none is measured.
        averages: Needed to freeze heads.

    Raises:
        RunError: What is stored is damaged.
    """
    kinds = dict.fromkeys(site.attention for site in run.model.sites())
    probe = changed.probe(averages) if changed.heads else None
    return AblationReport(
        sentence=before_after(run, before, probe) if probe else BeforeAfter(before, before),
        effects=stored_effects(run) if figure else None,
        figure=figure or "exact_match",
        sharpness={each: _sharpness(inspection, each) for each in kinds},
    )


def _sharpness(inspection: Inspection, kind: Attention) -> NDArray[np.float32]:
    """Return largest_LH: the largest weight of a row of each head, the mean over its rows.

    Rows that may see one key only do not count.
    """
    layers = []
    for site in inspection.sites_of(kind):
        attention = inspection.attention[site]
        chosen_Q = attention.visible_QK.sum(axis=-1) > 1
        largest_HQ = attention.weights_HQK.max(axis=-1).astype(np.float64)
        layers.append(largest_HQ[:, chosen_Q].sum(axis=-1) / max(chosen_Q.sum(), 1))
    return np.array(layers, np.float32)


def first_changed(
    run: Run,
    sentences: Iterable[str],
    kind: Kind,
    heads: Collection[Head],
    averages: Averages | None = None,
) -> str:
    """Return the first sentence that is translated differently with heads changed, or nothing."""
    probe = Intervention(kind, frozenset(heads)).probe(averages)
    for sentence in sentences:
        found = model_input(run, sentence)
        plain, changed = (
            [
                step.chosen
                for step in decode_steps(run.model, found.source_S, found.prompt, probe=each)
            ]
            for each in (None, probe)
        )
        if plain != changed:
            return sentence
    return ""


def _chances(run: Run, found: list[DecodeStep]) -> tuple[TokenChance, ...]:
    probabilities = [step.probabilities for step in found]
    best = [int(each.argmax()) for each in probabilities]
    tokens = run.target_tokenizer.describe([step.chosen for step in found])
    return tuple(
        TokenChance(token, float(p_V[step.chosen]), best_token, float(p_V[index]))
        for step, token, p_V, index, best_token in zip(
            found, tokens, probabilities, best, run.target_tokenizer.describe(best), strict=True
        )
    )
