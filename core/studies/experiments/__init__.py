"""Questions about the Transformer, each answered by variants trained under equal conditions.

`EXPERIMENTS` is the only list of them; a file holds one question.
"""

from core.studies.experiments.bottleneck import BOTTLENECK
from core.studies.experiments.copying import COPYING
from core.studies.experiments.depth import DEPTH
from core.studies.experiments.distance import DISTANCE
from core.studies.experiments.embedding import EMBEDDING
from core.studies.experiments.experiment import Experiment
from core.studies.experiments.forcing import FORCING
from core.studies.experiments.guide import GUIDE
from core.studies.experiments.heads import HEADS
from core.studies.experiments.linear import LINEAR
from core.studies.experiments.memory import MEMORY
from core.studies.experiments.metric import METRIC
from core.studies.experiments.mixing import MIXING
from core.studies.experiments.norms import NORMS
from core.studies.experiments.order import ORDER
from core.studies.experiments.parallel import PARALLEL
from core.studies.experiments.projections import PROJECTIONS
from core.studies.experiments.reading import READING
from core.studies.experiments.residuals import RESIDUALS
from core.studies.experiments.scale import SCALE
from core.studies.experiments.vocabulary import VOCABULARY

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
