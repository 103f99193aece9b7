"""One setting of a training as it is asked for, and what its words are called."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.frame.language import N_, _


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting as it is asked for."""

    name: str
    """The setting's."""
    label: str
    text: str
    """What it does, and what the paper has; to be read on demand."""
    limits: tuple[float, float] = (0, 1)
    """The smallest and the largest, where it is a number."""
    step: float = 1
    """What the buttons add and take away."""
    offered: tuple[str, ...] = ()
    """The words to choose from, where it is one; else it is a number, or on and off."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What people call these, where it is another thing than in `WORDS`."""

    def word(self, value: str) -> str:
        """Return what people call one of the words."""
        label = self.words.get(value) or WORDS.get(value)
        return _(label) if label else value


WORDS = {
    "pre": N_("pre"),
    "post": N_("post"),
    "sinusoidal": N_("sinusoidal"),
    "learned": N_("learned"),
    "rotary": N_("rotary"),
    "buckets": N_("relative"),
    "halves": N_("sines first"),
    "none": N_("none"),
    "auto": N_("auto"),
}
"""Settings that are words → what they are called; number formats are called the same everywhere."""
