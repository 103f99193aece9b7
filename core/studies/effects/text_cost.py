"""What a model of one stack loses in texts without some heads, beside other heads in their place.

That a head looks at the token that comes next is no proof that the model goes on because of it. If
it does, that token becomes harder to predict without the head (where a text repeats, and not before
it does), and other heads of the same layers are not missed. All losses are −log p of the tokens
that are to be predicted, in nats per token. N texts, K tokens, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from core.batch import Pair, collate
from core.evaluate.evaluation import held_out_pairs
from core.evaluate.intervals import Difference, mean_difference
from core.heads import Head
from core.labels import held_out_as_learned
from core.model import Silence
from core.runs.run import Run
from core.studies.heads.question import Role
from core.studies.heads.text_roles import TextRoles, roles_in_texts
from core.studies.heads.texts import (
    Source,
    Texts,
    line_texts,
    lines_as_ids,
    pairs_read,
    random_texts,
)

Numbers = NDArray[np.float64]
SILENCED = (1, 3, 5)
"""How many of the best heads are silenced together."""
N_TEXTS, SEED = 20, 0
"""In which one head is silenced: each is read once more for every head."""
N_OTHERS = 3
"""Heads that are silenced in its place, one at a time."""
WHOLE = slice(None)


@dataclass(frozen=True, slots=True)
class TextCost:
    """What a decoder loses without the heads that have most of a role, and without others instead.

    `n` counts texts, which are not those that the heads were chosen by.
    """

    heads: tuple[Head, ...]
    others: tuple[Head, ...]
    silenced: Difference
    """Without the heads; where texts repeat in the second half."""
    control: Difference
    """The same without the others."""
    first_half: Difference | None
    """Without the heads where nothing repeats yet; None of texts that do not repeat."""


@dataclass(frozen=True, slots=True)
class TextCosts:
    """What silencing more and more of the heads with most of a role costs."""

    source: Source
    role: Role
    of: Mapping[int, TextCost]
    """Number of heads → cost; empty where the model writes nothing, or has too few heads or lines
    to compare with."""

    def table(self) -> dict[str, list[str] | list[float] | list[int]]:
        """Return one row for each number of heads."""
        name = f"silenced_{self.role if self.source == 'random' else 'in_lines'}"
        changes = [cost.silenced for cost in self.of.values()]
        return {
            "role": [name] * len(changes),
            "head": [" ".join(map(str, cost.heads)) for cost in self.of.values()],
            "value": [each.after for each in changes],
            "baseline": [each.before for each in changes],
            "low": [each.low for each in changes],
            "high": [each.high for each in changes],
            "n": [each.n for each in changes],
        }


@dataclass(frozen=True, slots=True)
class TextReport:
    """What every head does in some texts, and what silencing some of them costs."""

    roles: TextRoles
    costs: TextCosts | None = None
    """None where it was not asked for."""

    def table(self) -> dict[str, list[str] | list[float] | list[int]]:
        """Return the rows of the roles, and below them those of the costs."""
        found = self.roles.table()
        costs = self.costs.table() if self.costs else {}
        return {name: [*values, *costs.get(name, ())] for name, values in found.items()}


@dataclass(frozen=True, slots=True)
class HeadCost:
    """What a model loses without a head, and what without another of its layer instead."""

    silenced: Difference
    others: Difference | None
    """The mean over up to `N_OTHERS` other heads of its layer; None where there is none."""


def text_costs(run: Run, source: Source, role: Role) -> TextCosts:
    """Return what silencing the heads with most of a role costs a decoder alone.

    Heads are chosen by random sequences and silenced in others, or chosen by every other own line
    and silenced in those between.
    """
    if not run.model.config.is_decoder_only:
        return TextCosts(source, role, {})
    to_choose, to_test = _texts(run, source)
    found = roles_in_texts(run.model, to_choose)
    if role not in found.scores or not to_test.batches:
        return TextCosts(source, role, {})
    pairs = [Pair(source=(), target=tuple(each.fed_BT[0].tolist())) for each in to_test.batches]
    before = _losses(run, pairs, (), to_test)
    costs = dict[int, TextCost]()
    for n in SILENCED:
        heads = found.best(role, n)
        others = control_heads(found, role, heads)
        # So small a model may have no other heads to compare with.
        if others is not None:
            *first, silenced = _changes(before, _losses(run, pairs, heads, to_test))
            control = _changes(before, _losses(run, pairs, others, to_test))[-1]
            costs[n] = TextCost(heads, others, silenced, control, first[0] if first else None)
    return TextCosts(source, role, costs)


def _texts(run: Run, source: Source) -> tuple[Texts, Texts]:
    """Return texts to choose heads by, and others to silence them in."""
    if source == "random":
        return random_texts(run), random_texts(run, seed=1)
    lines = lines_as_ids(run)
    return line_texts(run, lines[::2]), line_texts(run, lines[1::2])


def control_heads(
    found: TextRoles, role: Role, heads: Sequence[Head], seed: int = 0
) -> tuple[Head, ...] | None:
    """Draw as many other heads of the same layers, from those with the smaller shares of a role.

    In each layer they come from the half of its heads that has the smallest shares (from more where
    more are needed).

    Returns:
        None where a layer has fewer other heads than it has of these.
    """
    rng, drawn = np.random.default_rng(seed), list[Head]()
    scores = found.scores[role]
    for site in dict.fromkeys(head.site for head in heads):
        needed = sum(head.site == site for head in heads)
        of_site = sorted((h for h in scores if h.site == site), key=lambda h: scores[h].value)
        others = [head for head in of_site if head not in heads]
        if len(others) < needed:
            return None
        lowest = others[: max(needed, len(of_site) // 2)]
        drawn += [lowest[at] for at in rng.choice(len(lowest), needed, replace=False)]
    return tuple(drawn)


def cost_of_head(run: Run, head: Head, n: int = N_TEXTS, seed: int = SEED) -> HeadCost | None:
    """Return what silencing one head of a model of one stack costs in up to `n` texts.

    A decoder alone predicts each next token, an encoder alone that was trained here those that are
    masked as in its training.

    Returns:
        None for an opened encoder alone: nobody knows which tokens it is to predict.
    """
    if not knows_labels(run):
        return None
    if run.settings.is_opened:
        pairs = pairs_read(run, n, seed)
    else:
        drawn = held_out_pairs(run, n, seed)
        pairs = held_out_as_learned(drawn, run.model.config, run.tokenizer)
    before, after = (_losses(run, pairs, each) for each in ((), (head,)))
    others = [
        _losses(run, pairs, (other,)) for other in others_of_layer(head, run.model.config.n_heads)
    ]
    [silenced] = _changes(before, after)
    return HeadCost(silenced, _changes(before, np.mean(others, axis=0))[0] if others else None)


def knows_labels(run: Run) -> bool:
    """Say whether it is known which tokens a model of one stack is to predict."""
    return run.settings.model.is_decoder_only or not run.settings.is_opened


def others_of_layer(head: Head, n_heads: int) -> tuple[Head, ...]:
    """Return the heads of a layer that are silenced in the place of one: those after it, in turn.

    >>> [other.index for other in others_of_layer(Head.parse("decoder.0.self:2"), 4)]
    [3, 0, 1]
    """
    heads = list(head.site.heads(n_heads))
    return (*heads[head.index + 1 :], *heads[: head.index])[:N_OTHERS]


@torch.inference_mode()
def _losses(
    run: Run, pairs: Sequence[Pair], heads: Sequence[Head], texts: Texts | None = None
) -> Numbers:
    """Return for each part of each text the sum of −log p, and of how many tokens: losses_NP2.

    A text that repeats has two parts, its halves without the first token, which nothing tells.
    """
    parts = [WHOLE]
    if texts is not None and texts.half is not None:
        begin, half = texts.around["target"][0], texts.half
        # Row i predicts token i + 1.
        parts = [slice(start, start + half - 1) for start in (begin, begin + half)]
    pad_id, probe = run.model.config.pad_id, Silence.of(heads)
    losses = []
    for pair in pairs:
        batch = collate([pair], pad_id).to(run.model.device)
        logits_KV, labels_K = run.model(*batch.inputs, probe)[0].double(), batch.labels_BT[0]
        # A text that was not learned has no labels, and may have what elsewhere fills up.
        known_K = torch.tensor([not pair.labels or label != pad_id for label in pair.predicted])
        loss_K = cross_entropy(logits_KV, labels_K, reduction="none").cpu() * known_K
        losses.append([(float(loss_K[p].sum()), int(known_K[p].sum())) for p in parts])
    return np.array(losses)


def _changes(before_NP2: Numbers, after_NP2: Numbers) -> list[Difference]:
    """Return the change of each part."""
    parts = zip(before_NP2.swapaxes(0, 1), after_NP2.swapaxes(0, 1), strict=True)
    return [mean_difference(was[:, 0], now[:, 0], was[:, 1]) for was, now in parts]
