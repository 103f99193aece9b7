"""A sentence decoded step by step, on one side or on two, packed for the component that draws it.

Weights are 16-bit integers, 0 to 65535: enough for the three digits that the pointer shows, at half
of the size of floats. Each side names its arrays, cross-attention and self-attention, by place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..component.payload import (
    SAVE_TEXTS,
    SIGN_TEXTS,
    Array,
    TokenLabel,
    check_weights,
    complete,
    content_of,
    framed,
    written_label,
)
from ..messages import N_

# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_DECODING_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "free": N_("Fed its own words (free running)"),
    "forced": N_("Fed the true words (teacher forcing)"),
    "step": N_("step {number} of {n}"),
    "step.name": N_("decoding step"),
    "step.previous": N_("previous step"),
    "step.next": N_("next step"),
    "step.help": N_("Arrow keys move from step to step, Home and End to the ends; Space plays."),
    "play": N_("play"),
    "pause": N_("pause"),
    "difference": N_("first difference: step {number}"),
    "difference.none": N_("first difference: none"),
    "difference.mark": N_("the two sides differ here for the first time"),
    "overridden": N_("inserted word"),
    "layer": N_("layer"),
    "head": N_("head"),
    "fed": N_("fed"),
    "next": N_("comes next"),
    "looks": N_("looks at"),
    "looks.source": N_("source (cross-attention)"),
    "looks.prefix": N_("words fed (self-attention)"),
    "appended": N_("appended"),
    "appended.true": N_("the true word, whatever was predicted"),
    "ended": N_("ended at step {number}"),
    "chosen": N_("chosen"),
    "chosen.forced": N_("predicted"),
    "true": N_("true"),
    "others": N_("all others"),
    "more": N_("show more of them"),
    "fewer": N_("show fewer"),
    "read": N_("Bars: probability of the next token; click another one to go on with it."),
    "space": N_("␣: begins a word."),
    "percent": N_("{n}\u00a0%"),
    "rank": N_("rank {rank}"),
    "force": N_("go on with {token} instead"),
    "weight": N_("weight"),
    "look": N_("{query} → {key} {weight}"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "side.free": N_("free running"),
    "side.forced": N_("teacher forcing"),
    "now": N_("{side} {token} {probability}."),
    "picture": N_("Decoding, step {number} of {n}; layer {layer}, head {head}"),
    **SAVE_TEXTS,
    "file": N_("decoding"),
}

# Where no true target is known, and the model's own output stands in its place.
OWN_REFERENCE_TEXTS: Mapping[str, str] = {
    "forced": N_("Fed the reference: the model's own output"),
    "appended.true": N_("the word of the reference, whatever was predicted"),
    "true": N_("reference"),
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """One token that might come next.

    Attributes:
        token: Its id, which the component sends back when a visitor clicks it.
        label: How it is shown.
        probability: What the model gives it.
    """

    token: int
    label: TokenLabel
    probability: float


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of one side.

    Attributes:
        chosen: What was appended; with teacher forcing, what the model itself would have appended.
        chosen_probability: Its probability.
        top: The most probable tokens, falling.
        others: The probability of all tokens that are not in `top`.
        true: The reference's token, None where there is no reference.
        true_probability: Its probability.
        true_rank: How many tokens are more probable than it.
        overridden: True if `chosen` was put in by hand.
        chosen_token: Its id, by which it is found in `top`: two tokens may read the same ("le"
            within a word and as a word), and one may read otherwise in a list ("␣le").
        true_token: The id of the reference's token.
    """

    chosen: TokenLabel
    chosen_probability: float
    top: tuple[Alternative, ...]
    others: float
    true: TokenLabel | None = None
    true_probability: float | None = None
    true_rank: int | None = None
    overridden: bool = False
    chosen_token: int | None = None
    true_token: int | None = None


@dataclass(frozen=True, eq=False)
class SideView:
    """All steps of one way of decoding: each was fed one token more than the one before it.

    Attributes:
        fed: What the first step was fed, BOS or a whole prompt, and one token more per step.
        steps: What came out at each.
        cross: (layers, heads, steps, source), each 0 to 1; None where there is no source.
        self_: (layers, heads, steps, fed), each 0 to 1, and 0 for what is fed later; None where
            nothing looks at what was fed.

    Raises:
        ValueError: The weights cannot be drawn, or do not fit steps and tokens.
    """

    fed: tuple[TokenLabel, ...]
    steps: tuple[StepView, ...]
    cross: NDArray[np.float32] | None
    self_: NDArray[np.float32] | None

    @property
    def n_before(self) -> int:
        """How many tokens were fed before the one with which the first step begins."""
        return len(self.fed) - len(self.steps)

    @property
    def n_heads(self) -> tuple[int, int]:
        """Layers, and heads in each."""
        weights = self.self_ if self.cross is None else self.cross
        assert weights is not None
        return weights.shape[0], weights.shape[1]

    def __post_init__(self) -> None:
        n = len(self.steps)
        if self.cross is not None:
            check_weights(self.cross, (*self.n_heads, n, self.cross.shape[-1]))
        if self.self_ is not None:
            later = np.tri(n, len(self.fed), self.n_before, np.bool_)
            check_weights(self.self_, (*self.n_heads, n, len(self.fed)), later)


@dataclass(frozen=True, eq=False)
class DecodingView:
    """One sentence, decoded on the model's own words and, where there is a reference, on the true.

    Attributes:
        source: The source sentence's tokens; none for a decoder alone.
        free: Decoded on its own words.
        forced: Decoded on the true words; None without a reference.
        first_difference: The first step at which the two sides differ, None if there is none.
        look: Layer and head whose weights are shown first.
        start: The step to open on. For a sentence that is already shown the visitor's step is
            kept, unless `start` changes without the visitor having asked for anything.
        arrival: Which arrival this is: with another one the stepper goes to `start` even where it
            is the same, and nothing plays on.
        texts: Replacements for some of DEFAULT_DECODING_TEXTS.
        about: What a picture to take away is of: the model and what it read.
    """

    source: tuple[TokenLabel, ...]
    free: SideView
    forced: SideView | None = None
    first_difference: int | None = None
    look: tuple[int, int] = (0, 0)
    start: int = 0
    arrival: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    about: str = ""


_FULL = 65535

_Number = Callable[[TokenLabel], int]
_Weights = NDArray[np.float32]


def pack_decoding(view: DecodingView, *, key: str = "", locale: str = "en") -> bytes:
    """Write a view as the one block of bytes that the component reads.

    Each label is written once, since most come back at every step.

    Args:
        view: All steps.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    labels: dict[TokenLabel, int] = {}

    def number(label: TokenLabel) -> int:
        return labels.setdefault(label, len(labels))

    sides = [side for side in (view.free, view.forced) if side]
    arrays: list[Array] = []
    header: dict[str, Any] = {
        "key": key,
        "locale": locale,
        "source": [number(label) for label in view.source],
        "sides": [_written_side(side, number, arrays) for side in sides],
        "shape": view.free.n_heads,
        "look": view.look,
        "difference": view.first_difference,
        "texts": complete(view.texts, DEFAULT_DECODING_TEXTS),
        "about": view.about,
    }
    header["labels"] = [written_label(label) for label in labels]
    # Lets the component see that only the step to open on has changed, and keep what it has drawn.
    content = content_of(header, arrays)
    header |= {"start": view.start, "arrival": view.arrival, "content": content}
    return framed(header, arrays)


def _written_side(side: SideView, number: _Number, arrays: list[Array]) -> dict[str, Any]:
    indices: dict[str, int | None] = {}
    for name, weights in (("source", side.cross), ("target", side.self_)):
        indices[name] = None if weights is None else len(arrays)
        arrays += [] if weights is None else [_written_weights(weights)]
    return {
        "fed": [number(label) for label in side.fed],
        "steps": [_written_step(step, number) for step in side.steps],
        **indices,
    }


def _written_step(step: StepView, number: _Number) -> dict[str, Any]:
    return {
        "chosen": [number(step.chosen), step.chosen_probability],
        "chosenAt": _place(step.chosen_token, step.top),
        "top": [[each.token, number(each.label), each.probability] for each in step.top],
        "others": step.others,
        "true": step.true and [number(step.true), step.true_probability, step.true_rank],
        "trueAt": _place(step.true_token, step.top),
        "overridden": step.overridden,
    }


def _place(token: int | None, top: tuple[Alternative, ...]) -> int:
    """Return which alternative a token is, -1 if none."""
    return next((i for i, each in enumerate(top) if each.token == token), -1)


def _written_weights(weights: _Weights) -> NDArray[np.uint16]:
    # A weight that is not 0 stays so: a zero on the screen is one.
    scaled = np.maximum(np.rint(weights * np.float32(_FULL)), weights > 0)
    return np.minimum(scaled, _FULL).astype(np.uint16)
