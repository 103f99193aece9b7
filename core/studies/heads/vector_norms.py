"""How far a head moves a token by each key: the length of weight times value times W^O.

A key with a large weight and a short value moves little (Kobayashi et al., "Attention is Not Only a
Weight: Analyzing Transformers with Vector Norms", 2020).

Q queries, K keys, D model width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray

from ...batch import one_row
from ...heads import Head, Site
from ...inspection import Inspection
from ...model import Probes, Record, Step, Transformer
from ...model.attention import MultiHeadAttention
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .maps import cell_columns


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
