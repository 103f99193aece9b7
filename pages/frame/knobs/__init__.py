"""The settings of a training: what people call each, what it does, and what the paper has.

A table: whoever adds a setting of the model adds a row, and it is asked for, checked and named.
"""

from collections.abc import Mapping

from pages.frame.knobs.effects import AUTOMATIC as AUTOMATIC
from pages.frame.knobs.effects import Value
from pages.frame.knobs.effects import missing as missing
from pages.frame.knobs.knob import WORDS as WORDS
from pages.frame.knobs.knob import Knob as Knob
from pages.frame.knobs.layers import ATTENTION, POSITIONS, SUBLAYERS
from pages.frame.knobs.paper import GROUPS as GROUPS
from pages.frame.knobs.paper import MODEL as MODEL
from pages.frame.knobs.paper import VOCABULARY as VOCABULARY
from pages.frame.knobs.stacks import STACKS
from pages.frame.knobs.training import TRAINING as TRAINING
from pages.frame.language import N_, _
from pages.frame.listed import alternatives, listed_apart

ARCHITECTURE: Mapping[str, tuple[Knob, ...]] = {
    N_("Attention"): ATTENTION,
    N_("Sublayers"): SUBLAYERS,
    N_("Positions and embeddings"): POSITIONS,
    N_("Stacks"): STACKS,
    N_("Training"): TRAINING,
}
"""What stands above some knobs → the knobs."""
PAPER = N_("Sizes, norm and positions, learning")
"""What stands above the settings that the paper names."""
KNOBS: Mapping[str, Knob] = {
    knob.name: knob
    for knobs in ((VOCABULARY,), *GROUPS.values(), *ARCHITECTURE.values())
    for knob in knobs
}
"""All that can be asked for, by the setting's name."""


def setting_label(name: str) -> str:
    """Return what people call a setting; its own name where it is not asked for.

    Args:
        name: With the names of what it is in, as model.d_model.
    """
    knob = KNOBS.get(name.rpartition(".")[2])
    return _(knob.label) if knob else name


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
