"""The loss curve of a training with one handle that goes from snapshot to snapshot.

Both axes are logarithmic: most happens in the first steps. Step 0 has a place of its own at the
left, since a logarithm has none for it; a loss of 0 likewise has one at the bottom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viz.charts.measurements import thinned_indices
from viz.component.payload import SIGN_TEXTS, complete, framed
from viz.messages import N_

# Every text of the component. A page may hand over its own; {names} are filled in.
DEFAULT_SCRUBBER_TEXTS: Mapping[str, str] = {
    **SIGN_TEXTS,
    "name": N_("Snapshot of the training"),
    "help": N_("Arrow keys go from snapshot to snapshot, the space bar plays them."),
    "stop": N_("step {step}"),
    "step": N_("step"),
    "loss": N_("loss"),
    "training": N_("training"),
    "held_out": N_("held out"),
    "play": N_("Play the training"),
    "pause": N_("Pause"),
}
POINTS_SHOWN = 600
"""A curve with more points than this is thinned; its peaks stay."""

_DIGITS = 5


@dataclass(frozen=True, kw_only=True)
class Scrubber:
    """A training's curves, the steps whose weights can be looked at, and the one looked at.

    Attributes:
        stops: Steps with weights, rising; 0 for the weights before training. Sixty can be told
            apart.
        chosen: One of them.
        labels: What is known at each stop, "loss 1.93 · exact match 12 %", or "" where nothing is;
            empty if nothing is known at any. The component writes the step in front.
        steps: Where the training loss was measured, rising; may be empty.
        losses: Finite and not negative, as many.
        held_out_steps: Where the held-out loss was measured, rising; may be empty.
        held_out_losses: Finite and not negative, as many.
        texts: Replacements for some of DEFAULT_SCRUBBER_TEXTS.
    """

    stops: Sequence[int]
    chosen: int
    labels: Sequence[str] = ()
    steps: Sequence[int] = ()
    losses: Sequence[float] = ()
    held_out_steps: Sequence[int] = ()
    held_out_losses: Sequence[float] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def pack_scrubber(scrubber: Scrubber, *, key: str = "", locale: str = "en") -> bytes:
    """Write a scrubber as the one block of bytes that the component reads.

    Args:
        scrubber: What is shown.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    return framed(
        {
            "key": key,
            "locale": locale,
            "stops": [int(step) for step in scrubber.stops],
            "labels": list(scrubber.labels) or [""] * len(scrubber.stops),
            "chosen": int(scrubber.chosen),
            "training": _written_curve(scrubber.steps, scrubber.losses),
            "held_out": _written_curve(scrubber.held_out_steps, scrubber.held_out_losses),
            "texts": complete(scrubber.texts, DEFAULT_SCRUBBER_TEXTS),
        }
    )


def _written_curve(steps: Sequence[int], values: Sequence[float]) -> list[tuple[int, float]]:
    # Step 0 has a place of its own, at the left of the first.
    positions = [max(float(step), 1.0) for step in steps]
    shown = thinned_indices(positions, values, POINTS_SHOWN, log=True)
    return [(int(steps[i]), float(f"{values[i]:.{_DIGITS}g}")) for i in shown]
