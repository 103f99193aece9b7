"""Questions about the Transformer, each answered by variants trained under equal conditions.

`EXPERIMENTS` is the only list of them; a file holds one question.
"""

from .bottleneck import BOTTLENECK
from .copying import COPYING
from .depth import DEPTH
from .distance import DISTANCE
from .embedding import EMBEDDING
from .experiment import Experiment
from .forcing import FORCING
from .guide import GUIDE
from .heads import HEADS
from .linear import LINEAR
from .memory import MEMORY
from .metric import METRIC
from .mixing import MIXING
from .norms import NORMS
from .order import ORDER
from .parallel import PARALLEL
from .projections import PROJECTIONS
from .reading import READING
from .residuals import RESIDUALS
from .scale import SCALE
from .vocabulary import VOCABULARY

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        # What came before.
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
