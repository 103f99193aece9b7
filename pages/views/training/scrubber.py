"""What the scrubber of a training says: its curves and its stops."""

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter

from pages.frame.language import _, number, percent
from viz.scrubber.scrubber import Scrubber


def scrubber_of(
    metrics: Sequence[Mapping[str, float]], stops: Sequence[int], chosen: int
) -> Scrubber:
    """Return the scrubber of a run.

    Args:
        metrics: A run's, as read from its file. What is not finite or below 0 is left out, steps
            as well as losses; of a step that was done twice the later line counts.
        stops: Steps whose weights can be loaded.
        chosen: One of them.
    """
    placed = [row for row in metrics if _drawn(row, "step")]
    rows = {int(row["step"]): row for row in sorted(placed, key=itemgetter("step"))}
    training, held_out = _curve(rows, "loss"), _curve(rows, "held_out_loss")
    return Scrubber(
        stops=stops,
        chosen=chosen,
        labels=[stop_label(rows.get(stop, {})) for stop in stops],
        steps=list(training),
        losses=list(training.values()),
        held_out_steps=list(held_out),
        held_out_losses=list(held_out.values()),
    )


def stop_label(row: Mapping[str, float]) -> str:
    r"""Return what one line of a run's metrics says, in a few words.

    >>> stop_label({"step": 200, "loss": 1.934, "held_out_exact_match": 0.12})
    'loss 1.93 · exact match 12\xa0%'
    >>> stop_label({})
    ''
    """
    parts = []
    if "loss" in row:
        parts.append(_("loss {loss}").format(loss=number(row["loss"], padded=False)))
    if "held_out_loss" in row:
        parts.append(_("held out {loss}").format(loss=number(row["held_out_loss"], padded=False)))
    if "held_out_exact_match" in row:
        share = percent(row["held_out_exact_match"])
        parts.append(_("exact match {share}").format(share=share))
    return " · ".join(parts)


def _curve(rows: Mapping[int, Mapping[str, float]], name: str) -> dict[int, float]:
    return {step: row[name] for step, row in rows.items() if _drawn(row, name)}


def _drawn(row: Mapping[str, float], name: str) -> bool:
    return math.isfinite(row.get(name, math.nan)) and row[name] >= 0
