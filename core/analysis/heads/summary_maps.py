"""What every head does with one sentence, laid out as the heads stand in the model.

L layers, H heads.
"""

import numpy as np
from numpy.typing import NDArray

from core.analysis.heads.summaries import head_summaries
from core.inspection import Inspection


def confidence_map(inspection: Inspection, kind: str) -> NDArray[np.float32]:
    """Return confidence_LH: the largest weight of a row of each head, the mean over its rows.

    Args:
        inspection: Of one sentence.
        kind: encoder.self, decoder.self or decoder.cross.
    """
    layers: dict[int, list[float]] = {}
    for each in head_summaries(inspection, kind):
        layers.setdefault(each.site.layer, []).append(each.confidence)
    return np.array([layers[layer] for layer in sorted(layers)], np.float32)
