"""What one head does on held-out sentences, from where it does most of it to where it does least.

B batch, Q queries, K keys.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from ...batch import Pair, collate
from ...heads import Head, Kind, Side
from ...model import Record, Step, Transformer
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .direct_effect import Written, has_direct_path, written
from .question import Question, Role, Rows, read, target_keys
from .roles import (
    N_SENTENCES,
    SEED,
    HeadRole,
    HeadRoles,
    delimiters_of,
    questions_on,
)
from .texts import batches_of, pairs_read

N_STRATA = 5
"""Quantile groups of sentences, one of which is shown of each."""
Describes = Mapping[Side, Callable[[Sequence[int]], tuple[Token, ...]]]
"""Side → what makes of its ids tokens as people read them."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadRow:
    """One row of a head in a held-out sentence."""

    pair: Pair
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    predicted: Token | None
    """What the decoder is to write in this row; None in the encoder."""
    query: int
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]
    activation: float
    """The weight on the keys of the head's leading role; the largest weight of a head without."""
    written: Written | None = None
    """Which next tokens the head promotes here; None where it has no direct path to them."""

    @property
    def key(self) -> int:
        """With the largest weight; of equal ones the first."""
        return int(self.weights_K.argmax())


@dataclass(frozen=True, slots=True, eq=False)
class HeadCard:
    """What one head does."""

    head: Head
    roles: HeadRoles
    """Of all heads."""
    strata: tuple[HeadRow, ...]
    """A row of each quantile group of sentences, the one with the largest activations first."""


def head_card(
    run: Run, head: Head, roles: HeadRoles, n: int = N_SENTENCES, seed: int = SEED
) -> HeadCard:
    """Return what a head does on up to `n` held-out sentences, the decoder fed the true targets.

    Args:
        run: A loaded run.
        head: One of its heads.
        roles: Of its heads, on the same sentences.
        n: The most sentences.
        seed: Draws sentences, the row of each, and those that are shown.
    """
    pairs = pairs_read(run, n, seed)
    role = next(each for each in roles.heads if each.head == head)
    describe: Describes = {
        "source": run.tokenizer.describe,
        "target": run.target_tokenizer.describe,
    }
    question = _question(role, questions_on(pairs, delimiters_of(run)))
    shown = strata(list(drawn_rows(run.model, pairs, head, question, describe, seed)), seed)
    if has_direct_path(run.model, head):
        shown = tuple(
            replace(row, written=written(run, head, row.pair, row.query)) for row in shown
        )
    return HeadCard(head, roles, shown)


def strata(rows: Sequence[HeadRow], seed: int) -> tuple[HeadRow, ...]:
    """Return one row, drawn, of each quantile group by activation, the largest first."""
    ranked = sorted(rows, key=lambda row: -row.activation)
    rng = np.random.default_rng(seed)
    groups = np.array_split(np.arange(len(ranked)), N_STRATA)
    return tuple(ranked[rng.choice(group)] for group in groups if len(group))


def _question(role: HeadRole, questions: Mapping[Role, Question]) -> Question | None:
    """Return what a head is asked for its leading role; None where it has none."""
    if role.leading is Role.POSITIONAL:
        return lambda rows: (rows.offset_QK == role.offset)[None]
    return None if role.leading is None else questions[role.leading]


@torch.inference_mode()
def drawn_rows(
    model: Transformer,
    pairs: Sequence[Pair],
    head: Head,
    question: Question | None,
    describe: Describes,
    seed: int,
) -> Iterator[HeadRow]:
    """Yield one row, drawn, of each sentence that has some; without a question any with a choice.

    Args:
        model: Any.
        pairs: The sentences.
        head: One of its heads.
        question: The keys that the head's role wants; None without a role.
        describe: Makes tokens of ids.
        seed: Draws the rows.
    """
    rng = np.random.default_rng(seed)
    for group in batches_of(pairs, model.config.pad_id):
        batch, record = collate(group, model.config.pad_id), Record(sites=frozenset([head.site]))
        read(model, batch, record)
        rows = Rows.of(head.kind, batch, record.tensors[head.site, Step.VISIBLE])
        weights_BQK = record.weights(head.site)[:, head.index].float().cpu()
        weights_BQK = weights_BQK.masked_fill(~rows.visible_BQK, 0)
        asked_BQ, activation_BQ = rows.chosen_BQ, weights_BQK.amax(dim=-1)
        if question is not None:
            target_BQK = target_keys(rows, {Role.SAME: question})[Role.SAME]
            asked_BQ, activation_BQ = target_BQK.any(-1), (weights_BQK * target_BQK).sum(-1)
        for at, pair in enumerate(group):
            if not asked_BQ[at].any():
                continue
            query = int(rng.choice(torch.nonzero(asked_BQ[at]).flatten().numpy()))
            # The last token of a target is predicted and never fed.
            target = describe["target"](pair.target)
            sides = {"source": describe["source"](pair.source), "target": target[:-1]}
            queries, keys = (sides[side] for side in head.kind.sides)
            yield HeadRow(
                pair=pair,
                queries=queries,
                keys=keys,
                predicted=None if head.kind is Kind.ENCODER_SELF else target[query + 1],
                query=query,
                weights_K=weights_BQK[at, query, : len(keys)].numpy().copy(),
                visible_K=rows.visible_BQK[at, query, : len(keys)].numpy().copy(),
                activation=float(activation_BQ[at, query]),
            )
