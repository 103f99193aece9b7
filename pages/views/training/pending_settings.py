"""A training as it was set up."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.tasks import Task
from core.training.estimate import Costs
from core.training.presets import Preset
from core.training.settings import Setting


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Wanted:
    """What a visitor asked for, as far as it can be."""

    task: Task | None
    """None while there are no pairs to learn from."""
    short: str
    """The task in a word that can stand in the name of a run."""
    source: str
    """The task on the command line."""
    preset_name: str
    changed: Mapping[str, Setting]
    """The settings that differ from the preset's."""
    preset: Preset | None
    """With these settings; None where they cannot be."""
    costs: Costs | None
    """None where one of the others is."""
    problem: str
    """Why these settings cannot be; empty where they can."""
