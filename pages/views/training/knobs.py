"""The settings of a training: what people call each, what it does, and what the paper has.

They are listed in `pages/texts/<language>/settings.toml`: a new setting of the model needs an
entry there, and is then offered, checked and named.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.config import ModelConfig
from core.config.training import TrainConfig
from pages.frame import texts
from pages.frame.language import ENGLISH, N_, _, alternatives, listed_apart, n_, number

Value = bool | int | float | str
Condition = Mapping[str, Sequence[Value]]
"""Setting → allowed values; one of several settings is enough."""


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
    needs: tuple[Condition, ...] = ()
    """What it needs, all of it, to change anything."""

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
    entries = texts.toml("settings", ENGLISH)
    return tuple(
        Knob(
            each,
            name,
            tuple(entry.get("limits", (0, 1))),
            entry.get("step", 1),
            tuple(_condition(entries["needs"][name]) for name in entry.get("needs", ())),
        )
        for each, entry in entries[name].items()
        if isinstance(entry, Mapping)
    )


def _condition(stated: Mapping[str, Any]) -> Condition:
    """Return each setting with the values that it may have; a file may name all others."""
    return {
        name: [each for each in ModelConfig.choices()[name] if each not in values["not"]]
        if isinstance(values, Mapping)
        else values
        for name, values in stated.items()
    }


VOCABULARY = _group("vocabulary")[0]
GROUPS = {name: _group(name) for name in ("model", "learning", "regularization")}
"""Group → the knobs that the paper names."""
ARCHITECTURE = {
    name: _group(name) for name in ("attention", "sublayers", "positions", "stacks", "training")
}
"""Group → the other knobs."""
MODEL, TRAINING = GROUPS["model"], ARCHITECTURE["training"]
PAPER = N_("Sizes, norm and positions, learning")
"""What stands above the settings that the paper names."""
KNOBS: Mapping[str, Knob] = {
    knob.name: knob
    for knobs in ((VOCABULARY,), *GROUPS.values(), *ARCHITECTURE.values())
    for knob in knobs
}
"""All that can be asked for, by the setting's name."""

NEEDS: Mapping[str, tuple[Condition, ...]] = {
    name: knob.needs for name, knob in KNOBS.items() if knob.needs
}
"""Setting → what it needs, all of it, to change anything; the others always do."""


def missing(name: str, values: Mapping[str, Value]) -> tuple[Condition, ...]:
    """Return what a setting needs and does not have.

    Args:
        name: The setting's.
        values: All settings by name.
    """
    return tuple(
        condition
        for condition in NEEDS.get(name, ())
        if not any(values[other] in wanted for other, wanted in condition.items())
    )


def setting_label(name: str) -> str:
    """Return what people call a setting; its own name where it is not asked for.

    Args:
        name: With the names of what it is in, as model.d_model.
    """
    knob = KNOBS.get(name.rpartition(".")[2])
    return knob.label if knob else name


def lacking(knob: Knob, values: Mapping[str, Value]) -> str:
    """Return what a setting needs to change anything, and does not have; empty where it acts.

    Args:
        knob: The setting.
        values: All settings by name.
    """
    needed = [
        alternatives(
            f"{setting_label(name)} = {_value(name, value)}"
            for name, wanted in condition.items()
            for value in wanted
        )
        for condition in missing(knob.name, values)
    ]
    said = _("Without effect at present: it needs {what}.")
    return said.format(what=listed_apart(needed)) if needed else ""


def _value(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return _("on") if value else _("off")
    return KNOBS[name].word(str(value))


def _width_of_a_head(values: Mapping[str, Value]) -> str:
    heads = int(values["n_heads"])
    return _auto(int(values["d_model"]) // heads) if heads > 0 else _("auto")


def _auto(n: int) -> str:
    return _("auto: {n}").format(n=number(n))


def _pairs(n: int) -> str:
    return n_("{n} pair", "{n} pairs", n).format(n=number(n))


AUTOMATIC: Mapping[str, Callable[[Mapping[str, Value]], str]] = {
    "d_k": _width_of_a_head,
    "d_v": _width_of_a_head,
    "n_kv_heads": lambda values: _auto(int(values["n_heads"])),
    "batch_tokens": lambda values: _pairs(int(values["batch_size"])),
}
"""Setting that is 0 where it follows from others → what it is then."""
