"""What every head does with one sentence, laid out as the heads stand in the model.

L layers, H heads.
"""

import numpy as np
from numpy.typing import NDArray

from core.analysis.heads.summaries import head_summaries
from core.heads import Kind
from core.inspection import Inspection


def confidence_map(inspection: Inspection, kind: Kind) -> NDArray[np.float32]:
    """Return confidence_LH: the largest weight of a row of each head, the mean over its rows.

    Args:
        inspection: Of one sentence.
        kind: Of which heads.
    """
    layers: dict[int, list[float]] = {}
    for each in head_summaries(inspection, kind):
        layers.setdefault(each.head.layer, []).append(each.confidence)
    return np.array([layers[layer] for layer in sorted(layers)], np.float32)
