"""The settings of a training: what people call each, what it does, and what the paper has.

They are listed in `pages/texts/<language>/settings.toml`: what has an entry there is offered,
checked and named; the command line takes all other settings too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.config import ModelConfig
from core.config.training import TrainConfig
from pages.frame import texts
from pages.frame.language import ENGLISH, N_


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting as it is asked for."""

    name: str
    """The setting's."""
    group: str
    """The group in which it stands."""
    limits: tuple[float, float] = (0, 1)
    """The smallest and the largest, where it is a number."""
    step: float = 1
    """What the buttons add and take away."""

    @property
    def offered(self) -> tuple[str, ...]:
        """The words to choose from, where it is one; else it is a number, or on and off."""
        return (ModelConfig.choices() | TrainConfig.choices()).get(self.name, ())

    @property
    def label(self) -> str:
        """What people call it, in the visitor's language."""
        return self._texts()["label"]

    @property
    def text(self) -> str:
        """What it does, and what the paper has; to be read on demand."""
        return self._texts()["text"]

    def word(self, value: str) -> str:
        """Return what people call one of the words."""
        own = self._texts().get("words", {})
        return own.get(value) or texts.toml("settings")["words"].get(value, value)

    def _texts(self) -> Mapping[str, Any]:
        return texts.toml("settings")[self.group][self.name]


def group_title(group: str) -> str:
    """Return what stands above a group of knobs."""
    return texts.toml("settings")[group]["title"]


def _group(name: str) -> tuple[Knob, ...]:
    entries = texts.toml("settings", ENGLISH)[name]
    return tuple(
        Knob(each, name, tuple(entry.get("limits", (0, 1))), entry.get("step", 1))
        for each, entry in entries.items()
        if isinstance(entry, Mapping)
    )


Groups = Mapping[str, tuple[Knob, ...]]
VOCABULARY = _group("vocabulary")[0]
GROUPS: Groups = {name: _group(name) for name in ("model", "learning", "regularization")}
"""Group → the knobs that the paper names."""
ARCHITECTURE: Groups = {
    name: _group(name) for name in ("attention", "sublayers", "positions", "stacks", "training")
}
"""Group → the other knobs."""
MODEL, TRAINING = GROUPS["model"], ARCHITECTURE["training"]
PAPER = N_("More settings: sizes, norm, positions, learning")
"""What stands above the settings that the paper names."""
KNOBS: Mapping[str, Knob] = {
    knob.name: knob
    for knobs in ((VOCABULARY,), *GROUPS.values(), *ARCHITECTURE.values())
    for knob in knobs
}
"""All that can be asked for, by the setting's name."""
AUTOMATIC = frozenset({"d_k", "d_v", "n_kv_heads", "batch_tokens"})
"""Settings that are 0 where they follow from others."""


def setting_label(name: str) -> str:
    """Return what people call a setting; its own name where it is not asked for.

    Args:
        name: With the names of what it is in, as model.d_model.
    """
    knob = KNOBS.get(name.rpartition(".")[2])
    return knob.label if knob else name
