"""What was seen at one module that attends, with the tokens of its rows and columns.

A model is called with tokens, its attentions with vectors. The tokens of an attention are those of
the innermost module around it that was called with any.

B batch, H heads, Q queries, K keys, E width of one head, T tokens of a sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import torch
from torch import Tensor

from .records import Call, joined
from .tokens import Pass, Text


@dataclass(eq=False)
class Seen:
    """What was seen at one module.

    Attributes:
        name: The module's name in the model.
        passes: All passes of the watched model, those without this module too.
        written: Writes tokens as texts.
        calls: Every call, the first one first.
    """

    name: str
    passes: Sequence[Pass]
    written: Text
    calls: list[Call] = field(default_factory=list)

    def maps(self) -> list[Call]:
        """Return the calls of the last pass, each with the rows that `generate` made before it.

        A module that layers share is called several times in a pass; others have one map. With beam
        search, a row is that of the beam which stood in its place at that step.
        """
        by_pass = [list(calls) for _, calls in groupby(self.calls, lambda call: call.of_pass)]
        starts = [i for i, calls in enumerate(by_pass) if calls[0].first == 0]
        passes = by_pass[starts[-1] if starts else 0 :]
        if len(passes) == 1 and all(call.crosses and call.n_queries == 1 for call in passes[0]):
            return [joined(_at_steps(passes[0]))]
        return [joined(calls) for calls in zip(*passes, strict=False)]

    @property
    def weights(self) -> Tensor:
        """weights_BHQK of the last map."""
        return self.maps()[-1].weights_BHQK

    @property
    def visible(self) -> Tensor:
        """visible_BHQK of the last map: True where the mask lets a query look at a key."""
        return self.maps()[-1].visible_BHQK

    @property
    def mixed_BHQE(self) -> Tensor:
        """The weighted mean of the values, per head, before the output projection."""
        return self.maps()[-1].mixed_BHQE

    def rows(self, batch: int = 0) -> list[str]:
        """Return one text for each query: its token, or its position where tokens are unknown."""
        call = self.maps()[-1]
        return self._texts(_row_tokens(call, self.passes), call, 2, batch)

    def columns(self, batch: int = 0) -> list[str]:
        """Return one text for each key: its token, or its position where tokens are unknown."""
        call = self.maps()[-1]
        return self._texts(_column_tokens(call, self.passes), call, 3, batch)

    def _texts(self, ids_BT: Tensor | None, call: Call, axis: int, batch: int) -> list[str]:
        n_sentences, length = call.weights_BHQK.shape[0], call.weights_BHQK.shape[axis]
        if ids_BT is None:
            return [str(position) for position in range(length)]
        # Beams, and the windows of an image, are several sentences of attention for one of tokens.
        return self.written(ids_BT[batch * len(ids_BT) // n_sentences])


def _at_steps(calls: Sequence[Call]) -> list[Call]:
    """Return the calls of a recurrent decoder, which asks one query at a time, in their rows."""
    return [
        replace(call, of_pass=replace(call.of_pass, first=step)) for step, call in enumerate(calls)
    ]


def _row_tokens(call: Call, passes: Sequence[Pass]) -> Tensor | None:
    """Return the ids_BT of a call's queries, or None where they are unknown."""
    for module in reversed(call.within):
        fitting = _sequences(module, passes[: call.of_pass.number + 1], call, call.n_queries)
        if fitting:
            # Of two sequences of the same length the decoder has the second one.
            of_decoder = call.crosses or (len(fitting) > 1 and call.is_causal)
            return fitting[-1 if of_decoder else 0]
    return None


def _column_tokens(call: Call, passes: Sequence[Pass]) -> Tensor | None:
    """Return the ids_BT of a call's keys, or None where they are unknown."""
    rows_BT = _row_tokens(call, passes)
    fits = rows_BT is not None and rows_BT.shape[1] == call.n_keys
    if fits and not call.crosses:
        return rows_BT
    for of_pass in reversed(passes[: call.of_pass.number + 1]):
        # The encoder is not around the decoder's attention; a model called with both sequences is.
        for module in sorted(of_pass.tokens, key=lambda name: name in call.within):
            for ids_BT in _sequences(module, passes[: of_pass.number + 1], call, call.n_keys):
                if rows_BT is None or not torch.equal(ids_BT, rows_BT[:, : call.n_keys]):
                    return ids_BT
    return rows_BT if fits else None


def _sequences(module: str, passes: Sequence[Pass], call: Call, length: int) -> list[Tensor]:
    """Return the ids_BT of a length that a module was last called with, after those in the cache.

    Where a model has positions before the batch, its tokens are turned.
    """
    steps: list[list[Tensor]] = []
    for each in reversed(passes):
        if module in each.tokens:
            steps.append(each.tokens[module])
            if each.first == 0:
                break
    whole = [torch.cat(parts[::-1], dim=1) for parts in zip(*steps, strict=False)]
    turned = (length, len(call.mixed_BHQE))
    return [
        ids if ids.shape[1] == length else ids.T
        for ids in whole
        if ids.shape[1] == length or ids.shape == turned
    ]
