"""Where the parameters are: in a model and in published ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...config import ModelConfig
from ...describe import describe
from ...families.published import PUBLISHED
from ...runs.run import Run
from .cells import Table


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
    """Count the parameters of a run's model and of published ones, each without its weights."""
    configs = (run.settings.model, *(each.config for each in PUBLISHED))
    return Counts(
        (run.name, *(each.label for each in PUBLISHED)),
        _groups(configs),
        {
            "published": [None, *(each.parameters for each in PUBLISHED)],
            "source": ["", *(each.source for each in PUBLISHED)],
        },
    )


def _groups(configs: Sequence[ModelConfig]) -> tuple[Mapping[str, int], ...]:
    return tuple(describe(config).by_group() for config in configs)
