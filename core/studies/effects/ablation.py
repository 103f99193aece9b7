"""What a model does while heads are changed: on many held-out sentences, and on one sentence.

B batch, S source length, T target length, N sentences, R ambiguous pronouns, Q queries, H heads,
E width of one head.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import Batch, Pair, collate
from core.decoding.generate import decode_steps, forced_steps
from core.decoding.sentence import Translation, longest_text, model_input, read_written, translate
from core.decoding.step import (
    DecodeStep,
    length_limit,
    mask_special_tokens,
    require_next,
)
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.metrics import sorted_batches
from core.heads import Head, Site
from core.model import Probe, Record, Silence, Step, Transformer
from core.model.masks import padding_mask
from core.model.probes import Freeze, Uniform
from core.runs.run import Run
from core.tokenizer.tokenizer import Token

Kind = Literal["silence", "uniform", "freeze"]


N_AVERAGED = 200
"""Held-out sentences that a frozen head's average is taken over."""


SEED = 0


Averages = Mapping[Site, Tensor]
"""Site → mixed_HE, what each head mixes on average."""


def every_head(model: Transformer) -> list[Head]:
    """Return all attention heads of a model: encoder self, decoder self, cross."""
    return [head for site in model.sites() for head in site.heads(model.config.n_heads)]


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
class Intervention:
    """What is done to some heads."""

    kind: Kind
    """silence: the head's term is missing from the sum that W^O makes. uniform: it looks at all
    that it may see alike. freeze: it always says its average, whatever the sentence."""
    heads: frozenset[Head]

    def probe(self, averages: Averages | None = None) -> Probe:
        """Return the probe that does it.

        Args:
            averages: Of `average_mixed`; needed to freeze, else unused.

        Raises:
            ValueError: A head is to be frozen and no averages are given.
        """
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

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
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
    """Return how many held-out sentences `average_mixed` takes: fewer where the task has fewer.

    Raises:
        RunError: The run's task is a file of pairs that cannot be used any more.
    """
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


def before_after(
    run: Run, sentence: str, probe: Probe, reference: str = "", own: Translation | None = None
) -> BeforeAfter:
    """Translate a sentence with the model as it is and with a probe.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        probe: What is changed.
        reference: The target whose probabilities are compared; by default what the model writes
            when nothing is changed.
        own: What the model writes when nothing is changed, where it is known.

    Raises:
        SentenceError: There is no text.
    """
    own = translate(run, sentence) if own is None else own
    written = own.target_ids[own.n_given :]
    reference_ids, ended = tuple(run.target_tokenizer.encode(reference).ids), True
    if not reference_ids:
        reference_ids, ended = written, own.finished
    before, after = (
        outcome(run, sentence, reference_ids, each, ended=ended) for each in (None, probe)
    )
    return BeforeAfter(before, after)


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

    Raises:
        SentenceError: There is no text.
    """
    found = model_input(run, sentence)

    written = list(decode_steps(run.model, found.source_S, found.prompt, probe=probe))
    fed = tuple(reference_ids)[: longest_text(run.model) - len(found.prompt)]
    forced = list(forced_steps(run.model, found.source_S, fed, probe, found.prompt, watch=False))
    if fed and not ended and found.source_ids:
        # The last step is that of an EOS that nobody wrote.
        forced = forced[:-1]
    return Outcome(
        translation=read_written(run, found, tuple(step.chosen for step in written)),
        own=_chances(run, written),
        reference=_chances(run, forced),
        loss=-sum(step.log_probability for step in forced) / len(forced),
    )


@dataclass(frozen=True, slots=True)
class Ablated:
    """A sentence before and after some heads are changed."""

    before: Outcome
    """Fed its own translation."""
    after: Outcome
    """Fed the same."""
    loss_before: float
    """Of the target, or of the own translation where none is known, in nats per token."""
    loss_after: float
    target: str
    """The true one; empty where it is not known."""

    @property
    def same_text(self) -> bool:
        """Whether the translation stays as it is."""
        return self.before.translation.target_ids == self.after.translation.target_ids

    def table(self) -> dict[str, list[object]]:
        """Return a row for each word of the own translation."""
        before, after = self.before.reference, self.after.reference
        return {
            "step": list(range(len(before))),
            "word": [each.token.text for each in before],
            "before": [each.probability for each in before],
            "after": [each.probability for each in after],
            "most_probable_after": [each.best.text for each in after],
            "its_probability": [each.best_probability for each in after],
        }


def ablate_sentence(
    run: Run,
    sentence: str,
    kind: Kind,
    heads: Collection[Head],
    target: str = "",
    averages: Averages | None = None,
) -> Ablated:
    """Translate a sentence as it is, and with these heads changed.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        kind: What is done to the heads.
        heads: None for a model as it is.
        target: The true target, where it is known.
        averages: Of `average_mixed`; needed to freeze, else unused.

    Raises:
        SentenceError: There is no text.
        ValueError: A head is to be frozen and no averages are given.
    """
    own = translate(run, sentence)
    probe = Intervention(kind, frozenset(heads)).probe(averages) if heads else None
    before, after = (
        outcome(run, sentence, own.target_ids[own.n_given :], each, ended=own.finished)
        for each in (None, probe)
    )
    losses = before.loss, after.loss
    if target_ids := tuple(run.target_tokenizer.encode(target).ids):
        first, second = (outcome(run, sentence, target_ids, each) for each in (None, probe))
        losses = first.loss, second.loss
    return Ablated(before, after, *losses, target if target_ids else "")


def first_changed(
    run: Run,
    sentences: Iterable[str],
    kind: Kind,
    heads: Collection[Head],
    averages: Averages | None = None,
) -> str:
    """Return the first sentence that is translated differently with heads changed, or nothing.

    Args:
        run: A loaded run.
        sentences: In order.
        kind: What is done to the heads.
        heads: Which are changed.
        averages: Of `average_mixed`; needed to freeze, else unused.

    Raises:
        SentenceError: One has no text.
    """
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
