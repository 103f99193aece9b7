"""What heads of self-attention do in texts of no task: random tokens that repeat, or own lines.

A share is the mean weight that rows give to the keys of a role (several in a line where a token
stands three times), beside that of an even row.

Sources: Olsson et al., "In-context Learning and Induction Heads" (2022) for induction heads and
those that look at the previous token; Wang et al., "Interpretability in the Wild" (2022) for heads
that look at duplicates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...heads import Head
from ...model import Record, Step
from ...runs.run import Run
from .question import (
    Question,
    QuestionProbe,
    Role,
    Rows,
    Score,
    ask,
    heads_of,
    read,
    target_keys,
    weight,
)
from .roles import duplicate, first_token, induction, itself, previous_token
from .texts import Source, Texts, texts_of

QUESTIONS: Mapping[Role, Question] = {
    Role.PREVIOUS: previous_token,
    Role.FIRST: first_token,
    Role.ITSELF: itself,
    Role.DUPLICATE: duplicate,
    Role.INDUCTION: induction,
}


@dataclass(frozen=True, slots=True)
class TextRoles:
    """What every head of self-attention does in some texts."""

    scores: Mapping[Role, Mapping[Head, Score]]
    """Roles for which no row is asked are missing."""
    n_texts: int
    half: int | None
    """Tokens before the texts repeat; None where they do not."""

    def best(self, role: Role, n: int = 1) -> tuple[Head, ...]:
        """Return the heads with the largest shares of a role, the largest first."""
        of_role = self.scores[role]
        return tuple(sorted(of_role, key=lambda head: -of_role[head].value)[:n])

    def table(self) -> dict[str, list[object]]:
        """Return one row for each role and head."""
        rows = [(role, head, each) for role, of in self.scores.items() for head, each in of.items()]
        return {
            "role": [str(role) for role, *_ in rows],
            "head": [str(head) for _, head, _ in rows],
            "value": [each.value for *_, each in rows],
            "baseline": [each.baseline for *_, each in rows],
            "low": [each.interval[0] for *_, each in rows],
            "high": [each.interval[1] for *_, each in rows],
            "n": [each.n_texts for *_, each in rows],
        }


@dataclass(frozen=True, slots=True, eq=False)
class RoleRow:
    """A row that is asked for a role."""

    ids: tuple[int, ...]
    """What is read; in a decoder what it is fed."""
    query: int
    key: int
    """Of the wanted keys the one with the largest weight."""
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]


def text_roles(run: Run, source: Source) -> TextRoles:
    """Return what every head of self-attention of a run does in texts.

    Encoders read the texts, decoders are fed them.

    Raises:
        ValueError: Such texts cannot be made for this model; the message says why.
    """
    model, texts = run.model, texts_of(run, source)
    kinds = list(dict.fromkeys(site.attention for site in model.sites() if site.is_self))
    probe = QuestionProbe(kinds, _questions(texts), weight)
    ask(model, texts.batches, probe)
    scores: dict[Role, dict[Head, Score]] = {role: {} for role in QUESTIONS}
    for head in heads_of(model, kinds):
        for role, answer in probe.answers[head.kind].items():
            if answer.n:
                scores[role][head] = answer.over_texts(head)
    found = {role: of_role for role, of_role in scores.items() if of_role}
    return TextRoles(found, len(texts.batches), texts.half)


@torch.inference_mode()
def text_row(run: Run, source: Source, role: Role, head: Head) -> RoleRow:
    """Return the row of a head that gives a role its median weight; of two the one with less."""
    texts = texts_of(run, source)
    rows = list[RoleRow]()
    for batch in texts.batches[:1] if source == "random" else texts.batches:
        record = Record(sites=frozenset({head.site}))
        read(run.model, batch, record)
        of = Rows.of(head.kind, batch, record.tensors[head.site, Step.VISIBLE])
        [target_QK] = target_keys(of, {role: _questions(texts)[role]})[role]
        weights_QK = record.weights(head.site)[0, head.index].float().cpu()
        for query in torch.nonzero(target_QK.any(dim=-1)).flatten().tolist():
            key = int(weights_QK[query].masked_fill(~target_QK[query], -1).argmax())
            visible_K, ids = of.visible_BQK[0, query].numpy(), tuple(of.key_BK[0].tolist())
            rows.append(RoleRow(ids, query, key, weights_QK[query].numpy(), visible_K))
    ordered = sorted(rows, key=lambda row: row.weights_K[row.key])
    return ordered[(len(rows) - 1) // 2]


def _questions(texts: Texts) -> dict[Role, Question]:
    return {role: partial(_within, texts, role) for role in QUESTIONS}


def _within(texts: Texts, role: Role, rows: Rows) -> Tensor | None:
    """Return the keys that a role wants of rows of the text, without what stands around it."""
    target_BQK = QUESTIONS[role](rows)
    length = rows.query_BQ.shape[1]
    asked_Q1 = torch.zeros(length, 1, dtype=torch.bool)
    asked_Q1[texts.asked(rows.kind.query_side, length)] = True
    if role is Role.INDUCTION and texts.half is not None:
        # Only the second half repeats what came before.
        asked_Q1[: texts.around[rows.kind.query_side][0] + texts.half] = False
    return None if target_BQK is None else target_BQK & asked_Q1
