"""Whether any head of an encoder picks the antecedent of a pronoun among the nouns.

The best of many heads looks good by chance, so it is chosen on some sentences and measured on
others. The weights on the tokens of a noun are added up, the rows of a pronoun averaged, as Clark
et al. do with words in pieces ("What Does BERT Look At?", 2019); they ask for the antecedent of
noun phrases, too. H heads, Q queries, K keys, R ambiguous pronouns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.batch import Pair, TokenReference, encode_source
from core.evaluate.intervals import wilson
from core.evaluate.pronouns import Baselines, baselines
from core.heads import Head, Kind
from core.model import Record, Step, Transformer
from core.runs.run import Run
from core.studies.heads.question import heads_of
from core.studies.heads.roles import ambiguous
from core.tasks import TASKS
from core.tokenizer.tokenizer import Tokenizer

N_WITH_IT = 400
"""Sentences with a pronoun: a half to choose the head by, and a half to test it on."""
_DRAWN_FOR_ONE = 10
"""So many sentences are drawn for each that is asked for: about one in five has such an "it"."""


@dataclass(frozen=True, slots=True)
class AntecedentHead:
    """How often the head that was best on some sentences picks the antecedent in others."""

    head: Head
    n_heads: int
    """So many it was chosen from."""
    share: float
    """In the other sentences: of the pronouns, those that look at the antecedent more than at any
    other noun."""
    baselines: Baselines
    """The same share of rules without a model."""
    n: int
    """Pronouns in the other sentences."""

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson(round(self.share * self.n), self.n)


def antecedent_of(run: Run) -> AntecedentHead | None:
    """Return the head of an encoder that links "it" to its antecedent most often."""
    if run.model.config.is_decoder_only:
        return None
    pairs = sentences_with_it(run.tokenizer, N_WITH_IT)
    if max(len(pair.source) for pair in pairs) > run.model.config.max_positions:
        return None
    return antecedent_head(run.model, pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :])


def sentences_with_it(tokenizer: Tokenizer, n: int) -> list[Pair]:
    """Return up to `n` English sentences of the grammar in which one "it" can mean two nouns."""
    found: list[Pair] = []
    for sample in TASKS["translate"].held_out_samples(_DRAWN_FOR_ONE * n, seed=0):
        its = [
            each
            for each in sample.references
            if each.ambiguous and each.pronoun.of(sample.source).lower() == "it"
        ]
        if len(its) == 1 and len(found) < n:
            [it] = its
            tokens_in, first = tokenizer.encode(sample.source).tokens_in, len(tokenizer.begins)
            pronoun, antecedent, *nouns = (
                tuple(first + token for token in tokens_in(span))
                for span in (it.pronoun, it.antecedent, *it.nouns)
            )
            reference = TokenReference(pronoun, antecedent, tuple(nouns), (), ambiguous=True)
            source = encode_source(tokenizer, sample.source)
            found.append(Pair(source, (), (reference,), sample.source))
    return found


def antecedent_head(
    model: Transformer, to_choose: Sequence[Pair], to_test: Sequence[Pair]
) -> AntecedentHead:
    """Choose the head of encoder self-attention that picks antecedents best, and test it."""
    heads, tested_HR = heads_of(model, [Kind.ENCODER_SELF]), picked_antecedents(model, to_test)
    best = int(picked_antecedents(model, to_choose).mean(axis=1).argmax())
    return AntecedentHead(
        head=heads[best],
        n_heads=len(heads),
        share=float(tested_HR[best].mean()),
        baselines=baselines(ambiguous([pair.references for pair in to_test])),
        n=tested_HR.shape[1],
    )


@torch.inference_mode()
def picked_antecedents(model: Transformer, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Return right_HR: whether an encoder's head gives the antecedent more than any other noun.

    Equally large weights are no choice. Heads stand layer by layer, ambiguous pronouns in order.
    """
    sites = [site for site in model.sites() if site.attention is Kind.ENCODER_SELF]
    right = []
    for pair in pairs:
        record = Record(frozenset({Step.WEIGHTS}), frozenset(sites))
        # One by one: every family pads differently, and one sentence's maps are soon forgotten.
        model.encode(torch.tensor([pair.source], device=model.device), record)
        weights_HQK = torch.cat([record.weights(site)[0] for site in sites]).double().cpu().numpy()
        for each in ambiguous([pair.references]):
            row_HK = weights_HQK[:, list(each.pronoun)].mean(axis=1)
            on_noun = {noun: row_HK[:, list(noun)].sum(axis=1) for noun in each.nouns}
            antecedent_H = on_noun.pop(each.antecedent)
            right.append(antecedent_H > np.max(list(on_noun.values()), axis=0))
    return np.stack(right, axis=1)
