"""What a model of one stack loses in texts without a head, and without others in its place.

That a head looks at the token that comes next is no proof that the model goes on because of it. If
it does, that token becomes harder to predict without the head, and other heads of its layer are not
missed. All losses are −log p of the tokens that are to be predicted, in nats per token. N texts,
K tokens, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from ...batch import Pair, collate
from ...evaluate.evaluation import held_out_pairs
from ...evaluate.intervals import Difference, mean_difference
from ...heads import Head
from ...labels import held_out_as_learned
from ...model import Silence
from ...runs.run import Run
from ..heads.question import heads_of
from ..heads.text_roles import TextRoles
from ..heads.texts import Source, pairs_read, random_texts

Numbers = NDArray[np.float64]
N_TEXTS, SEED = 20, 0
"""In which one head is silenced: each is read once more for every head."""
OTHER_SEED = 1
"""Draws other random tokens than those on which roles are measured."""
N_OTHERS = 3
"""Heads that are silenced in its place, one at a time."""


@dataclass(frozen=True, slots=True)
class HeadCost:
    """What a model loses without a head, and what without another of its layer instead."""

    head: Head
    silenced: Difference
    others: Difference | None
    """The mean over up to `N_OTHERS` other heads of its layer; None where there is none."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for the head, and one for the others."""
        both = {"silenced": self.silenced, "others_silenced": self.others}
        changes = {name: each for name, each in both.items() if each is not None}
        return {
            "role": [*changes],
            "head": [str(self.head)] * len(changes),
            "value": [each.after for each in changes.values()],
            "baseline": [each.before for each in changes.values()],
            "low": [each.low for each in changes.values()],
            "high": [each.high for each in changes.values()],
            "n": [each.n for each in changes.values()],
        }


@dataclass(frozen=True, slots=True)
class TextReport:
    """What every head does in some texts, and what silencing one of them costs."""

    roles: TextRoles
    cost: HeadCost | None = None
    """None where it was not asked for."""

    def table(self) -> dict[str, list[object]]:
        """Return the rows of the roles, and below them those of the cost."""
        cost = self.cost.table() if self.cost else {}
        return {name: [*rows, *cost.get(name, ())] for name, rows in self.roles.table().items()}


def cost_of_head(
    run: Run, head: Head, source: Source = "own", n: int = N_TEXTS, seed: int = SEED
) -> HeadCost | None:
    """Return what silencing one head of a model of one stack costs in up to `n` texts.

    A decoder alone predicts each next token, of random tokens those that repeat. An encoder alone
    that was trained here predicts those that are masked as in its training.

    Returns:
        None for an opened encoder alone: nobody knows which tokens it is to predict.
    """
    if not knows_labels(run):
        return None
    pairs, asked = _texts(run, source, n, seed)
    before, after = (_losses(run, pairs, heads, asked) for heads in ((), (head,)))
    others = [
        _losses(run, pairs, (other,), asked)
        for other in others_of_layer(head, run.model.config.n_heads)
    ]
    return HeadCost(
        head=head,
        silenced=_change(before, after),
        others=_change(before, np.mean(others, axis=0)) if others else None,
    )


def costs_of_heads(run: Run, n: int = N_TEXTS, seed: int = SEED) -> Mapping[Head, Difference]:
    """Return how silencing each head changes a model's loss in `n` texts, those of `cost_of_head`.

    Returns:
        Nothing for an opened encoder alone: nobody knows which tokens it is to predict.
    """
    if not knows_labels(run):
        return {}
    pairs, asked = _texts(run, "own", n, seed)
    before = _losses(run, pairs, (), asked)
    return {
        head: _change(before, _losses(run, pairs, (head,), asked)) for head in heads_of(run.model)
    }


def knows_labels(run: Run) -> bool:
    """Say whether it is known which tokens a model of one stack is to predict."""
    return run.model.config.is_decoder_only or not run.settings.is_opened


def others_of_layer(head: Head, n_heads: int) -> tuple[Head, ...]:
    """Return the heads of a layer that are silenced in the place of one: those after it, in turn.

    >>> [other.index for other in others_of_layer(Head.parse("decoder.0.self:2"), 4)]
    [3, 0, 1]
    """
    heads = list(head.site.heads(n_heads))
    return (*heads[head.index + 1 :], *heads[: head.index])[:N_OTHERS]


def _texts(run: Run, source: Source, n: int, seed: int) -> tuple[list[Pair], slice]:
    """Return the texts, and which of their rows predict what is counted."""
    if source == "random":
        texts = random_texts(run, OTHER_SEED)
        pairs = [Pair((), tuple(batch.fed_BT[0].tolist())) for batch in texts.batches]
        first = texts.around["target"][0] + (texts.half or 0)
        # Row i predicts token i + 1; the first of the repetition cannot be told.
        return pairs, slice(first, None)
    if run.settings.is_opened:
        return pairs_read(run, n, seed), slice(None)
    drawn = held_out_pairs(run, n, seed)
    return held_out_as_learned(drawn, run.model.config, run.tokenizer), slice(None)


@torch.inference_mode()
def _losses(run: Run, pairs: Sequence[Pair], silent: Sequence[Head], asked: slice) -> Numbers:
    """Return for each text the sum of −log p, and of how many tokens: losses_N2."""
    pad_id, probe = run.model.config.pad_id, Silence.of(silent)
    losses = []
    for pair in pairs:
        batch = collate([pair], pad_id).to(run.model.device)
        logits_KV, labels_K = run.model(*batch.inputs, probe)[0].double(), batch.labels_BT[0]
        # A text that was not learned has no labels, and may have what elsewhere fills up.
        known_K = torch.tensor([not pair.labels or label != pad_id for label in pair.predicted])
        loss_K = cross_entropy(logits_KV, labels_K, reduction="none").cpu() * known_K
        losses.append([float(loss_K[asked].sum()), int(known_K[asked].sum())])
    return np.array(losses)


def _change(before_N2: Numbers, after_N2: Numbers) -> Difference:
    return mean_difference(before_N2[:, 0], after_N2[:, 0], before_N2[:, 1])
