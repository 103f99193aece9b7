"""Questions about the Transformer, each answered by variants trained under equal conditions.

`EXPERIMENTS` is the only list of them; a file holds one question.
"""

from core.experiments.bottleneck import BOTTLENECK
from core.experiments.copying import COPYING
from core.experiments.depth import DEPTH
from core.experiments.distance import DISTANCE
from core.experiments.embedding import EMBEDDING
from core.experiments.experiment import Experiment
from core.experiments.forcing import FORCING
from core.experiments.guide import GUIDE
from core.experiments.heads import HEADS
from core.experiments.linear import LINEAR
from core.experiments.memory import MEMORY
from core.experiments.metric import METRIC
from core.experiments.mixing import MIXING
from core.experiments.norms import NORMS
from core.experiments.order import ORDER
from core.experiments.parallel import PARALLEL
from core.experiments.projections import PROJECTIONS
from core.experiments.reading import READING
from core.experiments.residuals import RESIDUALS
from core.experiments.scale import SCALE
from core.experiments.vocabulary import VOCABULARY

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        *(
            BOTTLENECK,
            READING,
            DISTANCE,
            ORDER,
            EMBEDDING,
            MIXING,
            HEADS,
            PROJECTIONS,
            SCALE,
            LINEAR,
        ),
        *(RESIDUALS, DEPTH, NORMS, MEMORY),
        *(FORCING, METRIC, GUIDE, PARALLEL, COPYING, VOCABULARY),
    )
}
"""In the order in which a course meets them."""

__all__ = ["EXPERIMENTS", "Experiment"]
