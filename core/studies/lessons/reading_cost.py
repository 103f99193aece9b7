"""What one layer of a model costs by the number of tokens it reads, with the units it could have.

Counted are the multiplications of matrices. The feed-forward layer, the same beside each unit, is
left out, and so are sums, biases, the softmax and gates.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from typing import Literal, get_args

from ...config import ModelConfig
from ...runs.run import Run
from ..cells import Table

Unit = Literal["attention", "linear", "gru"]
UNITS: tuple[Unit, ...] = get_args(Unit)
LENGTHS = tuple(2**power for power in range(2, 10))
"""Every number of tokens that is counted for: 4, 8 … 512."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs to read some tokens."""

    steps: int
    """Steps that wait for each other."""
    multiplications: int
    kept: int
    """Numbers that are kept on the way, beside the vectors of the tokens."""


def cost(config: ModelConfig, unit: Unit, n: int) -> Cost:
    """Return what a layer of the model's widths costs for n tokens."""
    d, h, g = config.d_model, config.n_heads, config.n_key_value_sets
    d_k, d_v = config.d_k, config.d_v
    if unit == "gru":
        # Two gates and the new state, each computed from the token and from the last state.
        return Cost(n, n * 6 * d * d, d)
    projections = n * d * (h + g) * (d_k + d_v)
    if unit == "attention":
        # A score and a share of a value for each head, query and key; kept are the weights.
        return Cost(1, projections + n * n * h * (d_k + d_v), n * n * h)
    # Sums over all keys of φ(k) vᵀ and of φ(k), which each query reads.
    return Cost(1, projections + n * h * d_k * (2 * d_v + 1), h * d_k * (d_v + 1))


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """What each unit costs at each of LENGTHS."""

    costs: Mapping[Unit, tuple[Cost, ...]]

    def table(self) -> Table:
        """Return a row for each unit and length."""
        rows = [
            (unit, n, *astuple(each))
            for unit, found in self.costs.items()
            for n, each in zip(LENGTHS, found, strict=True)
        ]
        names = "unit", "tokens", *(each.name for each in fields(Cost))
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def reading_cost(run: Run) -> ReadingCost:
    """Count for a layer of a run's widths."""
    config = run.settings.model
    return ReadingCost({unit: tuple(cost(config, unit, n) for n in LENGTHS) for unit in UNITS})
