"""Where the parameters are: in a model and in published ones."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any, Literal, get_args

from ...config import ModelConfig
from ...config.published import PUBLISHED
from ...describe import describe
from ...describe.parts import ATTENTION, EMBEDDINGS, FEED_FORWARD, GROUPS, MIXING
from ...heads import Site
from ...runs.run import Run
from ..cells import Table


@dataclass(frozen=True, slots=True)
class Counts:
    """Parameters of several models by kind of part."""

    models: tuple[str, ...]
    groups: tuple[Mapping[str, int], ...]
    """Of each model: kind of part → parameters."""
    also: Mapping[str, Sequence[Any]]
    """What else is known of each: name of a column → values."""

    @property
    def totals(self) -> tuple[int, ...]:
        """All parameters of each model."""
        return tuple(sum(each.values()) for each in self.groups)

    @property
    def columns(self) -> Mapping[str, Sequence[int]]:
        """Kind of part → its parameters in each model."""
        return {name: [each.get(name, 0) for each in self.groups] for name in self.groups[0]}

    def table(self) -> Table:
        """Return a row for each model."""
        found = {"model": self.models, **self.columns, **self.also}
        return {name: list(values) for name, values in found.items()}


def published_counts(run: Run) -> Counts:
    """Count the parameters of a run's model, and of published ones without their weights."""
    config = run.settings.model
    own = _of_library(run) if config.architecture else describe(config).by_group()
    return Counts(
        (run.name, *(each.label for each in PUBLISHED)),
        (own, *(describe(each.config).by_group() for each in PUBLISHED)),
        {
            "published": [None, *(each.parameters for each in PUBLISHED)],
            "source": ["", *(each.source for each in PUBLISHED)],
        },
    )


def _of_library(run: Run) -> Mapping[str, int]:
    """Count by sublayer, each with its norms; what stands outside of the layers is embeddings."""
    model, found = run.model, dict.fromkeys(GROUPS, 0)
    sites = [residual.site for layer in model.layers() for _, residual in layer.blocks()]
    # Several layers may be the same module.
    n_times = len(model.layers()) // len(model.layer_modules())
    for site in sites:
        found[_group(site)] = found.get(_group(site), 0) + model.n_parameters(site)
    found = {name: n // n_times for name, n in found.items()}
    found[EMBEDDINGS] = run.settings.n_parameters - sum(found.values())
    return found


def _group(site: Site) -> str:
    if site.is_attention:
        return ATTENTION
    return FEED_FORWARD if site.sublayer == "feed_forward" else MIXING


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
