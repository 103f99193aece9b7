"""What a model writes when one row of one head looks elsewhere.

Q queries, K keys.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ...heads import Head
from ...inspection import Inspection
from ...model import Override
from ...runs.run import Run
from ...tasks.translation import derivations
from ...tokenizer.tokenizer import Token, token_texts
from ..heads.maps import AttentionPicture
from .ablation import BeforeAfter, Outcome, before_after

Weights = NDArray[np.float32]


def override_row(
    run: Run, before: Outcome, head: Head, query: int, weights_K: Weights
) -> BeforeAfter:
    """Translate a sentence with given weights in the place of one row of one head.

    Args:
        run: A loaded run.
        before: The sentence through the model as it is.
        head: Whose row it is.
        query: The row. In the decoder it is the place of the token that is fed (BOS is 0), whatever
            words the changed model has written up to there.
        weights_K: Over the keys of the row as `core.inspection` gives them; they sum to 1.
    """
    override = Override(head, query, torch.tensor(weights_K, dtype=torch.float32))
    return before_after(run, before, override)


def rewired(weights_K: Weights, key: int) -> Weights:
    """Return a row that attends to a key: its largest weight lies there.

    >>> rewired(np.array([0.25, 0.5, 0.25], np.float32), 0).tolist()
    [0.75, 0.0, 0.25]
    """
    changed_K, largest = weights_K.copy(), int(weights_K.argmax())
    changed_K[largest] -= weights_K[largest]
    changed_K[key] += weights_K[largest]
    return changed_K


def suggested_move(
    weights_QK: NDArray[np.float32],
    visible_QK: NDArray[np.bool_],
    preferred: Collection[int] = (),
    nouns: Collection[int] = (),
) -> tuple[int, int] | None:
    """Return a row and a key worth moving its weight to: the one that it looks at second most.

    Args:
        weights_QK: A head's map.
        visible_QK: True where a row may look.
        preferred: Rows to take the one of that has the largest weight; where none of them can look
            at more than one key, it is any row.
        nouns: Keys to take the one of that it looks at most, of those where it does not look most
            already; where there is none, it is any key.

    Returns:
        None where every row may look at one key only.
    """
    able = [row for row in range(len(weights_QK)) if visible_QK[row].sum() > 1]
    if not able:
        return None
    rows = [row for row in able if row in preferred] or able
    row = max(rows, key=lambda each: float(weights_QK[each].max()))
    shown_K = np.where(visible_QK[row], weights_QK[row], -1.0)
    _most, *others = np.argsort(-shown_K, kind="stable")[: visible_QK[row].sum()].tolist()
    return row, next((key for key in others if key in nouns), others[0])


def nouns_of(run: Run, sentence: str) -> tuple[int, ...]:
    """Return the places of what a pronoun can stand for, where the grammar knows the sentence."""
    pieces = run.tokenizer.encode(sentence)
    first = len(run.tokenizer.begins)
    references = [each for found in derivations(sentence) for each in found.references]
    spans = {noun for each in references for noun in each.nouns}
    return tuple(sorted(first + at for span in spans for at in pieces.tokens_in(span)))


@dataclass(frozen=True, slots=True, eq=False)
class WeightMove:
    """A map of a head, and what the model writes when one of its rows looks at another key."""

    head: Head
    query: int
    key: int
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    weights_QK: Weights
    visible_QK: NDArray[np.bool_]
    after_K: Weights | None
    """The row with the weight moved; None where it may not look at the key."""
    override: BeforeAfter | None
    """What the model then writes."""
    layers: tuple[Weights, ...]
    """weights_HQK of each layer, as they are."""

    @property
    def is_moved(self) -> bool:
        """Whether the row becomes another one: not if its largest weight is on the key already."""
        before_K = self.weights_QK[self.query]
        return self.after_K is not None and not np.array_equal(self.after_K, before_K)

    @property
    def changed_QK(self) -> Weights:
        """The map with the weight moved."""
        changed_QK = self.weights_QK.copy()
        if self.after_K is not None:
            changed_QK[self.query] = self.after_K
        return changed_QK

    def attention(self) -> AttentionPicture:
        """Return what `seq2see.attention` shows: weights, rows, columns, and the changed head."""
        weights_LHQK, head = np.stack(self.layers), (self.head.layer, self.head.index)
        weights_LHQK[head] = self.changed_QK
        return weights_LHQK, token_texts(self.queries), token_texts(self.keys), head

    def table(self) -> dict[str, list[object]]:
        """Return a row for each cell of the map, each word that is written, and the loss."""
        rows = [*self._weights()]
        if self.override is not None:
            rows += self.override.rows()
        names = ["what", "row", "row_text", "key", "key_text", "visible", "before", "after", "step"]
        names += ["word", "most_probable_after", "its_probability"]
        return {name: [row.get(name) for row in rows] for name in names}

    def _weights(self) -> Iterator[dict[str, object]]:
        for (row, key), weight in np.ndenumerate(self.weights_QK):
            changed = self.after_K is not None and row == self.query
            yield {
                "what": "weight",
                "row": row,
                "row_text": self.queries[row].text,
                "key": key,
                "key_text": self.keys[key].text,
                "visible": bool(self.visible_QK[row, key]),
                "before": float(weight),
                "after": float(self.after_K[key]) if changed and self.after_K is not None else None,
            }


def move_weight(
    run: Run, inspection: Inspection, before: Outcome, head: Head, query: int, key: int
) -> WeightMove:
    """Let one row of one head look at another key, and the model write again."""
    weights_QK = inspection.weights_of(head)
    visible_QK = inspection.attention[head.site].visible_QK
    after_K = found = None
    if visible_QK[query, key]:
        after_K = rewired(weights_QK[query], key)
        found = override_row(run, before, head, query, after_K)
    queries, keys = map(inspection.tokens_of, head.kind.sides)
    layers = inspection.layers_of(head.kind)
    return WeightMove(
        head, query, key, queries, keys, weights_QK, visible_QK, after_K, found, layers
    )
