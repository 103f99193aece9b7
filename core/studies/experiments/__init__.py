"""Questions about the Transformer, each answered by variants trained under equal conditions.

`EXPERIMENTS` is the only list of them; a file holds those of one subject.
"""

from .attention import HEADS, LINEAR, MIXING, PROJECTIONS, SCALE
from .blocks import DEPTH, EMBEDDING, MEMORY, NORMS, ORDER, RESIDUALS
from .experiment import Experiment
from .recurrence import BOTTLENECK, DISTANCE, READING
from .training import COPYING, FORCING, GUIDE, METRIC, PARALLEL, VOCABULARY

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        # Without attention.
        *(BOTTLENECK, READING, DISTANCE),
        # Inside attention.
        *(HEADS, PROJECTIONS, SCALE, LINEAR, MIXING),
        # Around attention.
        *(ORDER, EMBEDDING, RESIDUALS, DEPTH, NORMS, MEMORY),
        # Training and decoding.
        *(FORCING, METRIC, GUIDE, PARALLEL, COPYING, VOCABULARY),
    )
}
"""By name, in the order in which a course meets them."""
__all__ = ["EXPERIMENTS", "Experiment"]
