"""Attention maps with a table: of single heads, of many heads in one map, of a token in all heads.

H heads, Q queries, K keys, N the tokens at the other end of a token's weights.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray

from ...batch import one_row
from ...heads import Head, Kind, Side, Site
from ...inspection import Inspection
from ...model import Probes, Record, Step, Transformer
from ...model.attention import MultiHeadAttention
from ...runs.run import Run
from ...tokenizer.tokenizer import Token, token_texts
from ..cells import Table, stacked
from .largest_weights import evenness

How = Literal["mean", "largest"]
Direction = Literal["at", "by"]
"""Whether a token attends to others, or is attended to by them."""
AttentionPicture = tuple[NDArray[np.float32], list[str], list[str], tuple[int, int]]
"""Weights, a text for each query, one for each key, and the layer and head to show large."""
ALL_LAYERS = "all"
"""The name of the map over the heads of all layers."""


def mean_of_heads(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights_QK, the mean over the heads: rows that sum to 1 in each head still do."""
    # Added up in 64 bits, so that the order of the heads makes no difference worth the name.
    return weights_HQK.mean(axis=0, dtype=np.float64).astype(np.float32)


def largest_of_heads(weights_HQK: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights_QK, the largest weight that any head has there: rows need not sum to 1."""
    return weights_HQK.max(axis=0)


HOW: Mapping[How, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "mean": mean_of_heads,
    "largest": largest_of_heads,
}


@dataclass(frozen=True, slots=True, eq=False)
class Maps:
    """Weights between the tokens of one kind of attention."""

    what: str
    """The first column of the table: "head" or "layer"."""
    weights: Mapping[int | str, NDArray[np.float32]]
    """Head, layer or `ALL_LAYERS` → weights_QK."""
    visible_QK: NDArray[np.bool_]
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    layers: Sequence[NDArray[np.float32]]
    """weights_HQK of each layer with all its heads; of many heads in one map, its weights_QK."""
    first: tuple[int, int]
    """Layer and head of the first map."""

    def attention(self) -> AttentionPicture:
        """Return what `seq2see.attention` shows: weights, rows, columns, and a head."""
        return np.stack(self.layers), token_texts(self.queries), token_texts(self.keys), self.first

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return one row for each cell of each map; the mask hides a key that is not visible."""
        cells = cell_columns(self.queries, self.keys)
        n = len(self.weights)
        return {
            self.what: [name for name in self.weights for _cell in range(self.visible_QK.size)],
            **{name: [*column] * n for name, column in cells.items()},
            "visible": self.visible_QK.reshape(-1).tolist() * n,
            "weight": [float(each) for map_QK in self.weights.values() for each in map_QK.flat],
        }


@dataclass(frozen=True, slots=True, eq=False)
class TokenGroup:
    """The weights between one token and all others in the heads of one kind of attention."""

    kind: Kind
    heads: tuple[Head, ...]
    weights_HN: NDArray[np.float32]
    visible_N: NDArray[np.bool_]
    """False where the mask hides the key."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenInHeads:
    """The weights between one token and all others, in every head that has the token."""

    index: int
    direction: Direction
    groups: tuple[TokenGroup, ...]
    tokens: Mapping[Side, tuple[Token, ...]]

    def table(self) -> Table:
        """Return one row for each cell, by kind, layer and head."""
        return stacked(
            *(
                {
                    "kind": [str(group.kind)] * len(weights_N),
                    "layer": [head.layer] * len(weights_N),
                    "head": [head.index] * len(weights_N),
                    **self._cells(group),
                    "visible": group.visible_N.tolist(),
                    "weight": weights_N.tolist(),
                }
                for group in self.groups
                for head, weights_N in zip(group.heads, group.weights_HN, strict=True)
            )
        )

    def _cells(self, group: TokenGroup) -> Mapping[str, Sequence[object]]:
        queries, keys = (self.tokens[side] for side in group.kind.sides)
        others = range(len(group.visible_N))
        looks = self.direction == "at"
        return cell_columns(
            queries, keys, [(self.index, at) if looks else (at, self.index) for at in others]
        )


def maps_of_heads(inspection: Inspection, heads: Sequence[Head]) -> Maps:
    """Return the maps of some heads of one layer."""
    weights: dict[int | str, NDArray[np.float32]] = {
        head.index: inspection.weights_of(head) for head in heads
    }
    kind, first = heads[0].kind, (heads[0].layer, heads[0].index)
    return _maps(inspection, kind, "head", weights, inspection.layers_of(kind), first)


def maps_over_heads(inspection: Inspection, kind: Kind, how: How) -> Maps:
    """Return one map over the heads of all layers of a kind of attention."""
    weights_QK = HOW[how](np.concatenate(inspection.layers_of(kind)))
    return _maps(inspection, kind, "layer", {ALL_LAYERS: weights_QK}, [weights_QK])


def token_in_heads(
    inspection: Inspection, side: Side, index: int, direction: Direction
) -> TokenInHeads:
    """Return one row or one column of the map of each head.

    Args:
        inspection: Of the sentence.
        side: The side of the token.
        index: The position of the token among the tokens of its side.
        direction: "at" for the weights that the token gives, "by" for those that it gets.
    """
    looks = direction == "at"
    groups = []
    for kind in dict.fromkeys(site.attention for site in inspection.attention):
        if (kind.query_side if looks else kind.key_side) != side:
            continue
        sites, layers = inspection.sites_of(kind), inspection.layers_of(kind)
        weights_HQK = np.concatenate(layers)
        visible_QK = inspection.attention[sites[0]].visible_QK
        both = zip(sites, layers, strict=True)
        groups.append(
            TokenGroup(
                kind=kind,
                heads=tuple(head for site, each in both for head in site.heads(len(each))),
                weights_HN=weights_HQK[:, index] if looks else weights_HQK[:, :, index],
                visible_N=visible_QK[index] if looks else visible_QK[:, index],
            )
        )
    sides: tuple[Side, ...] = ("source", "target")
    return TokenInHeads(
        index, direction, tuple(groups), {each: inspection.tokens_of(each) for each in sides}
    )


def cell_columns(
    queries: Sequence[Token], keys: Sequence[Token], cells: Iterable[tuple[int, int]] | None = None
) -> Mapping[str, Sequence[object]]:
    """Return the columns of a table that say which cell of a map each row is about."""
    found = list(product(range(len(queries)), range(len(keys))) if cells is None else cells)
    return {
        "query": [query for query, _key in found],
        "query_token": [queries[query].text for query, _key in found],
        "key": [key for _query, key in found],
        "key_token": [keys[key].text for _query, key in found],
    }


def _maps(
    inspection: Inspection,
    kind: Kind,
    what: str,
    weights: Mapping[int | str, NDArray[np.float32]],
    layers: Sequence[NDArray[np.float32]],
    first: tuple[int, int] = (0, 0),
) -> Maps:
    visible_QK = inspection.attention[inspection.sites_of(kind)[0]].visible_QK
    queries, keys = map(inspection.tokens_of, kind.sides)
    return Maps(what, weights, visible_QK, queries, keys, layers, first)


SHARP = 0.25
"""A head that spreads its weights less evenly looks at little but one token."""


@dataclass(frozen=True, slots=True, eq=False)
class Forming:
    """A head at one step of a training, and how evenly the heads of its layer spread at each."""

    head: Head
    step: int
    map: Maps
    """Of the head at the step."""
    evenness: Mapping[int, tuple[float, ...]]
    """Step → evenness of each head of the layer; see `core.studies.heads.largest_weights`."""

    @property
    def sharp_from(self) -> int | None:
        """The first step from which on all heads of the layer are sharp; None where none is."""
        found = None
        for step, heads in reversed(list(self.evenness.items())):
            if max(heads) >= SHARP:
                break
            found = step
        return found

    def attention(self) -> AttentionPicture:
        """Return what `seq2see.attention` shows: weights, rows, columns, and the head."""
        return self.map.attention()

    def table(self) -> Table:
        """Return a row for each cell of the map, then one for each head of the layer and step.

        The entropy is a share of the largest possible, which even rows have.
        """
        n = self.map.visible_QK.size
        cells = {"step": [self.step] * n, **self.map.table(), "head": [str(self.head)] * n}
        spread = [
            (step, str(Head(self.head.site, index)), value)
            for step, heads in self.evenness.items()
            for index, value in enumerate(heads)
        ]
        columns = dict(zip(("step", "head", "entropy"), zip(*spread, strict=True), strict=True))
        return stacked(cells, columns)


def forming(
    inspections: Sequence[Inspection], steps: Sequence[int], head: Head, step: int
) -> Forming:
    """Return how the heads of a layer form."""
    found = dict(zip(steps, inspections, strict=True))
    spread = {}
    for at, inspection in found.items():
        attention = inspection.attention[head.site]
        spread[at] = tuple(
            evenness(weights_QK, attention.even_QK) for weights_QK in attention.weights_HQK
        )
    return Forming(head, step, maps_of_heads(found[step], (head,)), spread)


# ---- how far a head moves a token by each key


@dataclass(frozen=True, slots=True, eq=False)
class VectorNorms:
    """The lengths of the vectors that a head adds up, between tokens."""

    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    visible_QK: NDArray[np.bool_]
    weights_QK: NDArray[np.float32]
    norms_QK: NDArray[np.float64]
    """‖w v W^O‖ of each query and key."""

    @property
    def shares_QK(self) -> NDArray[np.float64]:
        """Each length as a share of its row's; a row of zeros stays one."""
        sums_Q1 = self.norms_QK.sum(axis=1, keepdims=True)
        return self.norms_QK / np.where(sums_Q1 == 0, 1.0, sums_Q1)

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return one row for each cell."""
        return {
            **cell_columns(self.queries, self.keys),
            "visible": self.visible_QK.reshape(-1).tolist(),
            "weight": self.weights_QK.reshape(-1).tolist(),
            "norm": self.norms_QK.reshape(-1).tolist(),
            "share": self.shares_QK.reshape(-1).tolist(),
        }


def has_vector_norms(model: Transformer) -> bool:
    """Say whether the rows of W^O that read each head are known."""
    return all(outputs_of(model, site) is not None for site in model.sites())


def outputs_of(model: Transformer, site: Site) -> torch.Tensor | None:
    """Return output_HED, the rows of W^O that read each head; None where they are not known."""
    output_HED: torch.Tensor | None = cast(MultiHeadAttention, model.block(site)[0]).output_HED
    return None if output_HED is None else output_HED.detach()


def vector_norms(run: Run, sentence: str, head: Head, inspection: Inspection) -> VectorNorms:
    """Return how far a head moves each query by each key, in the pass of an inspection."""
    ids = inspection.translation.source_ids, inspection.translation.fed_ids
    record = Record(frozenset({Step.VALUE}), frozenset({head.site}))
    # The second keeps nothing, and lets all other sublayers take the path they take when watched.
    with torch.inference_mode():
        run.model(*map(one_row, ids), Probes([record, Record(frozenset())]))
        output_HED = outputs_of(run.model, head.site)
        assert output_HED is not None
        value_KE = record.tensors[head.site, Step.VALUE][0, head.index]
        length_K = (value_KE.double() @ output_HED[head.index].double()).norm(dim=1).numpy()
    attention, (queries, keys) = inspection.attention[head.site], head.kind.sides
    weights_QK = attention.weights_HQK[head.index]
    return VectorNorms(
        queries=inspection.tokens_of(queries),
        keys=inspection.tokens_of(keys),
        visible_QK=attention.visible_QK,
        weights_QK=weights_QK,
        norms_QK=weights_QK.astype(np.float64) * length_K,
    )
