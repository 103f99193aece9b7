"""What a model writes when one row of one head looks elsewhere.

Q queries, K keys.
"""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from core.decoding.sentence import Translation, translate
from core.heads import Head, Side
from core.model import Override
from core.runs.run import Run
from core.studies.effects.interventions import BeforeAfter, before_after
from core.studies.effects.silencing import every_head

Weights = NDArray[np.float32]


def moved(weights_K: Weights, from_key: int, to_key: int, visible_K: NDArray[np.bool_]) -> Weights:
    """Return a row whose weight on one key lies on another; the row's sum stays what it was.

    Args:
        weights_K: The row.
        from_key: Loses all its weight.
        to_key: Gets it, beside its own.
        visible_K: True where the row may look.

    Raises:
        ValueError: A key is not in the row, or the row may not look where the weight is to go.

    >>> moved(np.array([0.75, 0.25, 0.0], np.float32), 0, 1, np.array([True, True, False])).tolist()
    [0.0, 1.0, 0.0]
    """
    if not {from_key, to_key} <= set(range(len(weights_K))):
        raise ValueError(f"a row of {len(weights_K)} keys has no key {max(from_key, to_key)}")
    if not visible_K[to_key]:
        raise ValueError(f"the row may not look at key {to_key}")
    changed_K = weights_K.copy()
    changed_K[from_key] -= weights_K[from_key]
    changed_K[to_key] += weights_K[from_key]
    return changed_K


def override_outcome(
    run: Run,
    sentence: str,
    head: Head,
    query: int,
    weights_K: Weights,
    own: Translation | None = None,
) -> BeforeAfter:
    """Translate a sentence with given weights in the place of one row of one head.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        head: Whose row it is.
        query: The row. In the decoder it is the place of the token that is fed (BOS is 0), whatever
            words the changed model has written up to there.
        weights_K: Over the keys of the row as `core.inspection` gives them.
        own: What the model writes when nothing is changed, where it is known.

    Raises:
        SentenceError: There is no text.
        ValueError: There is no such head or row, or the weights are none of that row.
    """
    if head not in every_head(run.model):
        raise ValueError(f"the model has no head {head}")
    kind = head.kind
    translation = translate(run, sentence) if own is None else own
    lengths: Mapping[Side, int] = {
        "source": len(translation.source_ids),
        "target": len(translation.fed_ids),
    }
    n_queries = lengths[kind.query_side]
    if query not in range(n_queries):
        raise ValueError(f"{head.site} has no row {query}: the sentence has {n_queries}")
    _check(weights_K, n_keys=lengths[kind.key_side])
    if kind.causal and weights_K[query + 1 :].any():
        raise ValueError(f"row {query} may not look at later tokens")
    override = Override(head, query, torch.tensor(weights_K, dtype=torch.float32))
    return before_after(run, sentence, override, own=translation)


def _check(weights_K: Weights, n_keys: int) -> None:
    """Refuse what no softmax makes."""
    if weights_K.shape != (n_keys,):
        raise ValueError(f"the row has {n_keys} keys, not {len(weights_K)}")
    if not (weights_K >= 0).all() or abs(float(weights_K.sum(dtype=np.float64)) - 1) > 1e-3:
        raise ValueError("the weights of a row are 0 or more, and sum to 1")
