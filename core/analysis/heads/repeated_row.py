"""One row of a head on random tokens that repeat: what a role looks like. Q queries, K keys."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.heads.repeated_text import roles_text
from core.analysis.heads.repeated_tokens import TextRole
from core.heads import Head
from core.model import Record, Step
from core.runs.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedRow:
    """A row that a role asks, in the first sequence."""

    ids: tuple[int, ...]
    """What is read; in a decoder what it is fed."""
    query: int
    key: int
    """The one that the role wants."""
    weights_K: NDArray[np.float32]
    visible_K: NDArray[np.bool_]


@torch.inference_mode()
def repeated_row(run: Run, role: TextRole, head: Head) -> RepeatedRow:
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
        side: text.ids_NP(model.config, side)[:1].to(model.device) for side in ("source", "target")
    }
    record = Record(frozenset({Step.WEIGHTS, Step.VISIBLE}), frozenset({head.site}))
    if "decoder" in model.config.stacks:
        source = ids["source"] if "encoder" in model.config.stacks else None
        model(source, ids["target"], record)
    else:
        model.encode(ids["source"], record)
    weights_QK = record.weights(head.site)[0, head.index].cpu().numpy()
    visible_QK = record.tensors[head.site, Step.VISIBLE].cpu()[0].expand(weights_QK.shape).numpy()
    keys = text.keys(model.config, head.kind)[role]
    order_R = np.argsort(weights_QK[keys.rows_R, keys.keys_R], kind="stable")
    at = order_R[(len(order_R) - 1) // 2]
    query, key = int(keys.rows_R[at]), int(keys.keys_R[at])
    shown = ids[head.kind.query_side][0].tolist()
    return RepeatedRow(tuple(shown), query, key, weights_QK[query], visible_QK[query])
