"""One row of a head on random tokens that repeat: what a role looks like. Q queries, K keys."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.heads import Head, Kind
from core.model import Record, Step
from core.runs.run import Run
from core.studies.heads.repeated_text import read, roles_text
from core.studies.heads.repeated_tokens import TextRole


@dataclass(frozen=True, slots=True, eq=False)
class RoleRow:
    """A row that a role asks."""

    ids: tuple[int, ...]
    """What is read; in a decoder what it is fed."""
    query: int
    key: int
    """The one that the role wants."""
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]


@torch.inference_mode()
def repeated_row(run: Run, role: TextRole, head: Head) -> RoleRow:
    """Return the row of a head that gives a role its median weight in the first sequence.

    Of two in the middle it is the earlier one in the order of their weights.

    Args:
        run: The head's.
        role: What the row is asked for.
        head: Of self-attention.

    Raises:
        ValueError: The sequences cannot be drawn for this model; the message says why.
    """
    model, text = run.model, roles_text(run)
    ids = {
        stack: text.ids_NP(model.config, Kind.self_of(stack).query_side)[:1].to(model.device)
        for stack in model.config.stacks
    }
    record = Record(frozenset({Step.WEIGHTS, Step.VISIBLE}), frozenset({head.site}))
    read(model, ids, record)
    weights_QK = record.weights(head.site)[0, head.index].cpu().numpy()
    visible_QK = record.tensors[head.site, Step.VISIBLE].cpu()[0].expand(weights_QK.shape).numpy()
    keys = text.keys(model.config, head.kind)[role]
    shown = tuple(ids[head.site.stack][0].tolist())
    return middle_row(
        [
            RoleRow(shown, int(query), int(key), weights_QK[query], visible_QK[query])
            for query, key in zip(keys.rows_R, keys.keys_R, strict=True)
        ]
    )


def middle_row(rows: Sequence[RoleRow]) -> RoleRow:
    """Return the row that gives the role its median weight; of two the one with less."""
    ordered = sorted(rows, key=lambda row: row.weights_K[row.key])
    return ordered[(len(rows) - 1) // 2]
