"""What the decoding stepper shows: one sentence decoded step by step, on one side or on two."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from viz.component.payload import ROUNDING, SIGN_TEXTS, TokenLabel, check_texts, check_weights
from viz.messages import N_

# Every word that the component shows. A page may hand over its own; {names} are filled in.
DEFAULT_DECODING_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "free": N_("Free running: fed what was written"),
    "forced": N_("Teacher forcing: fed the true words"),
    "step": N_("step {number} / {last}"),
    "step.name": N_("decoding step"),
    "step.previous": N_("previous step"),
    "step.next": N_("next step"),
    "step.help": N_("Arrow keys move from step to step, Home and End to the ends; Space plays."),
    "play": N_("play"),
    "pause": N_("pause"),
    "difference": N_("first difference: step {number}"),
    "difference.none": N_("first difference: none"),
    "difference.mark": N_("the two sides differ here for the first time"),
    "overridden": N_("the word we put in"),
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
    "others": N_("others"),
    "read": N_("Bars: probability of the next token; click one on the free side to go on with it."),
    "entropy": N_("entropy"),
    "nats": N_("nats"),
    "percent": N_("{n}\u00a0%"),
    "rank": N_("rank {rank}"),
    "force": N_("go on with {token} instead"),
    "corrupt": N_("corrupt this token"),
    "undo": N_("undo"),
    "weight": N_("weight"),
    "look": N_("{query} → {key} {weight}"),
    "hidden": N_("hidden by the mask"),
    "unknown": N_("never seen in training"),
    "table": N_("Inputs per step"),
    "table.step": N_("step"),
    "table.free": N_("fed when free"),
    "table.chosen": N_("appended"),
    "table.forced": N_("fed when forced"),
    "table.true": N_("true next"),
    "chart": N_("How far the two sides part"),
    "chart.divergence": N_("KL(forced ‖ free), nats"),
    "chart.true": N_("probability of the true token"),
    "side.free": N_("free running"),
    "side.forced": N_("teacher forcing"),
    "now": N_("{side} {token} {probability}."),
    "picture": N_("Decoding, step {number} / {last}; layer {layer}, head {head}"),
    "png": N_("PNG"),
    "png.help": N_("Save as a picture: {title}"),
    "svg": N_("SVG"),
    "svg.help": N_("Save as a drawing: {title}"),
    "file": N_("decoding"),
}

# Where nobody knows a true target, and the model's own output stands in its place.
OWN_REFERENCE_TEXTS: Mapping[str, str] = {
    "forced": N_("Fed the reference: the model's own output"),
    "appended.true": N_("the word of the reference, whatever was predicted"),
    "true": N_("reference"),
    "table.true": N_("reference, next"),
    "chart.true": N_("probability of the reference’s token"),
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
        entropy: Of the whole distribution, in nats.
        true: The reference's token, None where there is no reference.
        true_probability: Its probability.
        true_rank: How many tokens are more probable than it.
        overridden: True if `chosen` was put in by hand.
        chosen_token: Its id, by which it is found in `top`; without, it is found by how it reads.
        true_token: The same of the reference's token.

    Raises:
        ValueError: If numbers contradict each other.
    """

    chosen: TokenLabel
    chosen_probability: float
    top: tuple[Alternative, ...]
    others: float
    entropy: float
    true: TokenLabel | None = None
    true_probability: float | None = None
    true_rank: int | None = None
    overridden: bool = False
    chosen_token: int | None = None
    true_token: int | None = None

    def __post_init__(self) -> None:
        falling = [alternative.probability for alternative in self.top]
        for probability in (*falling, self.others, self.chosen_probability, self.true_probability):
            # Written so that NaN, which compares as False with everything, is refused too.
            if probability is not None and not 0.0 <= probability <= 1.0 + ROUNDING:
                raise ValueError(f"probabilities need 0 to 1, got {probability}")
        if not falling or falling != sorted(falling, reverse=True):
            raise ValueError(f"top needs falling probabilities, got {falling}")
        total = sum(falling) + self.others
        if abs(total - 1.0) > ROUNDING:
            raise ValueError(f"top and others need the sum 1, got {total}")
        if not -ROUNDING <= self.entropy < math.inf:
            raise ValueError(f"entropy needs a finite number from 0, got {self.entropy}")
        given = {each is None for each in (self.true, self.true_probability, self.true_rank)}
        if len(given) > 1 or (self.true_rank or 0) < 0:
            raise ValueError(
                "true, true_probability and true_rank come together, and a rank counts from 0; "
                f"got {self.true}, {self.true_probability}, {self.true_rank}"
            )


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
        ValueError: If shapes, labels or weights contradict each other.
    """

    fed: tuple[TokenLabel, ...]
    steps: tuple[StepView, ...]
    cross: npt.NDArray[np.float32] | None
    self_: npt.NDArray[np.float32] | None

    @property
    def n_before(self) -> int:
        """So many tokens were fed before the one with which the first step begins."""
        return len(self.fed) - len(self.steps)

    @property
    def n_heads(self) -> tuple[int, int]:
        """Layers, and heads in each."""
        weights = self.self_ if self.cross is None else self.cross
        assert weights is not None
        return weights.shape[0], weights.shape[1]

    def __post_init__(self) -> None:
        n, n_fed = len(self.steps), len(self.fed)
        if n == 0 or n_fed < n:
            raise ValueError(f"every step is fed one token, got {n} steps, {n_fed} fed")
        if self.cross is None and self.self_ is None:
            raise ValueError("a side needs cross or self_: nothing is looked at")
        if self.cross is not None:
            check_weights(self.cross, (*self.n_heads, n, self.cross.shape[-1]))
        if self.self_ is None:
            return
        check_weights(self.self_, (*self.n_heads, n, n_fed))
        if np.triu(self.self_, 1 + self.n_before).any():
            raise ValueError("self_ needs 0 above the diagonal: no step sees a later word")


def _check_sides(sides: Sequence[SideView], n_source: int) -> None:
    shape = (*sides[0].n_heads, n_source)
    for side in sides:
        found = (*side.n_heads, 0 if side.cross is None else side.cross.shape[3])
        if found != shape:
            raise ValueError(f"both sides need (layers, heads, source) {shape}, got {found}")
    if len({side.self_ is None for side in sides}) > 1:
        raise ValueError("both sides need self_, or none does")
    before = [side.n_before for side in sides]
    if len(set(before)) > 1:
        raise ValueError(f"both sides need as many tokens before the first step, got {before}")


@dataclass(frozen=True, eq=False)
class DecodingView:
    """One sentence, decoded on the model's own words and, where there is a reference, on the true.

    Attributes:
        source: The source sentence's tokens; none for a decoder alone.
        free: Decoded on its own words.
        forced: Decoded on the true words; None without a reference.
        divergence: Kullback–Leibler divergence between the two sides' distributions, in nats, for
            every step that both have; may be empty.
        first_difference: The first step at which the two sides differ, None if there is none.
        start: The step to open on. For a sentence that is already shown the visitor's step is
            kept, unless `start` changes without the visitor having asked for anything.
        arrival: Which arrival this is: with another one the stepper goes to `start` even where it
            is the same, and nothing plays on.
        texts: Replacements for some of DEFAULT_DECODING_TEXTS.
        about: What a picture to take away is of: the model and what it read.

    Raises:
        ValueError: If sides, steps or texts contradict each other.
    """

    source: tuple[TokenLabel, ...]
    free: SideView
    forced: SideView | None = None
    divergence: tuple[float, ...] = ()
    first_difference: int | None = None
    start: int = 0
    arrival: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    about: str = ""

    def __post_init__(self) -> None:
        sides = [self.free, *([self.forced] if self.forced else [])]
        _check_sides(sides, len(self.source))
        counts = [len(side.steps) for side in sides]
        common = min(counts) if self.forced else 0
        if self.divergence and len(self.divergence) != common:
            raise ValueError(f"divergence needs {common} steps, got {len(self.divergence)}")
        if not all(-ROUNDING <= each < math.inf for each in self.divergence):
            raise ValueError(f"divergence needs finite numbers from 0, got {self.divergence}")
        for name in ("first_difference", "start"):
            step = getattr(self, name)
            if step is not None and not 0 <= step < max(counts):
                raise ValueError(f"{name} {step} is not among {max(counts)} steps")
        check_texts(self.texts, DEFAULT_DECODING_TEXTS)
