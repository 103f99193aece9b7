"""Which heads find what "it" stands for, and whether the model needs them.

B batch, H heads, Q queries, K keys, T target length, V vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..batch import Batch, Pair, TokenReference, collate
from ..heads import Head, Site
from ..model import (
    Probe,
    Record,
    Silence,
    Step,
    Transformer,
)
from .metrics import sorted_batches


@dataclass(frozen=True, slots=True)
class Baselines:
    """How often rules without a model name the antecedent, as shares of the pronouns."""

    nearest_noun: float
    """The closest noun before the pronoun or, if there is none, after it."""
    first_noun: float
    random_noun: float
    """Expected share when any noun of the sentence is named."""

    @property
    def best(self) -> float:
        """The strongest of them."""
        return max(self.nearest_noun, self.first_noun, self.random_noun)


@dataclass(frozen=True, slots=True)
class HeadScore:
    """How one head relates to the antecedent."""

    head: Head
    score: float
    """Share of pronouns for which the head's largest weight lies on the antecedent."""
    weight: float
    """Mean weight on the antecedent."""
    silenced_accuracy: float
    """Pronoun accuracy of the model without this head."""


@dataclass(frozen=True, slots=True)
class PronounStudy:
    """Accuracy, baselines and head scores on ambiguous pronouns (it, they between both genders)."""

    accuracy: float
    """Share of pronouns that are the most probable token after the true prefix."""
    n: int
    """Pronouns."""
    baselines: Baselines
    heads: tuple[HeadScore, ...]
    """Every head of encoder self-attention and of cross-attention."""


def study_pronouns(model: Transformer, pairs: Sequence[Pair]) -> PronounStudy | None:
    """Score every head on the ambiguous pronouns of the pairs; None if there are none."""
    with_pronoun = [pair for pair in pairs if _ambiguous(pair.references)]
    if not with_pronoun:
        return None
    references = [ref for pair in with_pronoun for ref in _ambiguous(pair.references)]
    sites = [site for site in model.sites() if site.attention.key_side == "source"]
    record = Record(frozenset({Step.WEIGHTS}), frozenset(sites))
    on_antecedent = {site: torch.zeros(2, model.config.n_heads) for site in sites}

    def add_scores(batch: Batch) -> None:
        for site in sites:
            on_antecedent[site] += _on_antecedent(record.weights(site).cpu(), batch, site)

    accuracy = _pronoun_accuracy(model, with_pronoun, record, add_scores)
    scores = []
    for site in sites:
        hits_H, weights_H = (on_antecedent[site] / len(references)).tolist()
        for head in site.heads(model.config.n_heads):
            silenced = _pronoun_accuracy(model, with_pronoun, Silence.of([head]))
            at = head.index
            scores.append(HeadScore(head, hits_H[at], weights_H[at], silenced))
    return PronounStudy(accuracy, len(references), baselines(references), tuple(scores))


def baselines(references: Sequence[TokenReference]) -> Baselines:
    """Return the accuracy of rules without a model on these pronouns."""
    n = len(references)
    return Baselines(
        nearest_noun=sum(_nearest(ref) == ref.antecedent for ref in references) / n,
        first_noun=sum(ref.nouns[0] == ref.antecedent for ref in references) / n,
        random_noun=sum(1 / len(ref.nouns) for ref in references) / n,
    )


def _nearest(reference: TokenReference) -> tuple[int, ...]:
    before = [noun for noun in reference.nouns if noun[-1] < reference.pronoun[0]]
    return before[-1] if before else reference.nouns[0]


def _ambiguous(references: Sequence[TokenReference]) -> list[TokenReference]:
    return [reference for reference in references if reference.ambiguous]


def _on_antecedent(weights_BHQK: Tensor, batch: Batch, site: Site) -> Tensor:
    """Return per head how often its largest weight is on the antecedent, and the summed weight.

    The row is the pronoun's in the encoder, and in cross-attention that of the step that writes
    the pronoun.
    """
    hits_H = torch.zeros(weights_BHQK.shape[1])
    weights_H = torch.zeros(weights_BHQK.shape[1])
    for sentence, references in enumerate(batch.references):
        for reference in _ambiguous(references):
            query = reference.rows(site.side)[0]
            row_HK = weights_BHQK[sentence, :, query]
            antecedent_K = torch.zeros(row_HK.shape[-1], dtype=torch.bool)
            antecedent_K[list(reference.antecedent)] = True
            hits_H += antecedent_K[row_HK.argmax(dim=-1)]
            weights_H += row_HK[:, antecedent_K].sum(dim=-1)
    return torch.stack([hits_H, weights_H])


@torch.inference_mode()
def _pronoun_accuracy(
    model: Transformer,
    pairs: Sequence[Pair],
    probe: Probe,
    after_batch: Callable[[Batch], None] = lambda _: None,
) -> float:
    """Return the share of ambiguous pronouns whose every token is most probable when forced."""
    n_right = n = 0
    for group in sorted_batches(pairs):
        batch = collate(group, model.config.pad_id).to(model.device)
        right_BT = model(batch.source_BS, batch.fed_BT, probe).argmax(dim=-1) == batch.labels_BT
        for sentence, references in enumerate(batch.references):
            for reference in _ambiguous(references):
                n_right += bool(right_BT[sentence, list(reference.steps)].all())
                n += 1
        after_batch(batch)
    return n_right / n
