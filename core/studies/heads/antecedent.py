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
from core.messages import Message
from core.model import Record, Step, Transformer
from core.runs.run import Run
from core.studies.heads.roles_questions import ambiguous
from core.tasks import TASKS
from core.tokenizer import Tokenizer

N_WITH_IT = 400
"""Sentences with a pronoun: a half to choose the head by, and a half to test it on."""
_DRAWN_FOR_ONE = 10
"""So many sentences are drawn for each that is asked for: about one in five has such an "it"."""


@dataclass(frozen=True, slots=True)
class AntecedentHead:
    """How often the head that was best on some sentences picks the antecedent in others."""

    head: Head
    chosen_share: float
    """Its share in the sentences that it was chosen by: the largest of all heads."""
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

    @property
    def beats_baselines(self) -> bool:
        """Whether the best rule has less than the interval begins with."""
        return self.interval[0] > self.baselines.best


def sentences_with_it(tokenizer: Tokenizer, n: int, seed: int = 0) -> list[Pair]:
    """Return English sentences of the grammar in which one "it" can mean two nouns.

    Args:
        tokenizer: Of the model that is to read them.
        n: So many sentences, or fewer where the grammar makes fewer.
        seed: Draws them.
    """
    found: list[Pair] = []
    for sample in TASKS["translate"].held_out_samples(_DRAWN_FOR_ONE * n, seed):
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


def antecedent_of(loaded: Run) -> AntecedentHead | None:
    """Return the head of an encoder that links "it" to its antecedent most often."""
    if loaded.model.config.is_decoder_alone:
        return None
    pairs = sentences_with_it(loaded.tokenizer, N_WITH_IT)
    most = loaded.model.config.max_positions
    if any(len(pair.source) > most for pair in pairs):
        return None
    half = len(pairs) // 2
    return antecedent_head(loaded.model, pairs[:half], pairs[half:])


def antecedent_head(
    model: Transformer, to_choose: Sequence[Pair], to_test: Sequence[Pair]
) -> AntecedentHead:
    """Choose the head of encoder self-attention that picks antecedents best, and test it.

    Args:
        model: With an encoder, in evaluation mode.
        to_choose: Sentences with pronouns and their nouns; targets are not needed.
        to_test: Others.

    Raises:
        ValueError: The model has no encoder, or the sentences no ambiguous pronouns.
    """
    right_HR, tested_HR = picked_antecedents(model, to_choose), picked_antecedents(model, to_test)
    heads = encoder_heads(model)
    shares_H = right_HR.mean(axis=1)
    best = int(shares_H.argmax())
    return AntecedentHead(
        head=heads[best],
        chosen_share=float(shares_H[best]),
        n_heads=len(heads),
        share=float(tested_HR[best].mean()),
        baselines=baselines(_pronouns(to_test)),
        n=tested_HR.shape[1],
    )


def encoder_heads(model: Transformer) -> list[Head]:
    """Return the heads of encoder self-attention, layer by layer."""
    sites = [site for site in model.sites() if site.attention is Kind.ENCODER_SELF]
    return [head for site in sites for head in site.heads(model.config.n_heads)]


@torch.inference_mode()
def picked_antecedents(model: Transformer, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Return right_HR: whether a head's weight is larger on the antecedent than on other nouns.

    Heads are those of `encoder_heads`, pronouns the ambiguous ones in order.

    Raises:
        ValueError: The model has no encoder, or the sentences no ambiguous pronouns.
    """
    heads = encoder_heads(model)
    if not heads:
        raise ValueError(Message("The model has no encoder."))
    if not _pronouns(pairs):
        raise ValueError(Message("No pronoun in these sentences is ambiguous."))
    sites = list(dict.fromkeys(head.site for head in heads))
    right = []
    for pair in pairs:
        record = Record(frozenset({Step.WEIGHTS}), frozenset(sites))
        # One by one: every family pads differently, and one sentence's maps are soon forgotten.
        model.encode(torch.tensor([pair.source], device=model.device), record)
        weights_HQK = torch.cat([record.weights(site)[0] for site in sites]).double().cpu().numpy()
        right += [_picked(weights_HQK, each) for each in ambiguous([pair.references])]
    return np.stack(right, axis=1)


def _picked(weights_HQK: NDArray[np.float64], reference: TokenReference) -> NDArray[np.bool_]:
    """Return right_H for one pronoun; equally large weights are no choice."""
    row_HK = weights_HQK[:, list(reference.pronoun)].mean(axis=1)
    antecedent_H = row_HK[:, list(reference.antecedent)].sum(axis=1)
    others = [noun for noun in reference.nouns if noun != reference.antecedent]
    others_H = np.stack([row_HK[:, list(noun)].sum(axis=1) for noun in others])
    return antecedent_H > others_H.max(axis=0)


def _pronouns(pairs: Sequence[Pair]) -> list[TokenReference]:
    return ambiguous([pair.references for pair in pairs])
