import numpy as np
import pytest

from core.analysis.heads.summary_maps import confidence_map
from core.heads import Kind
from core.inspection import inspect_sentence


@pytest.mark.parametrize("kind", list(Kind))
def test_each_head_stands_at_its_layer_with_its_mean_largest_weight(copy_run, kind):
    inspection = inspect_sentence(copy_run, "d a f q", target="d a f")
    expected = [
        [
            np.mean(
                [
                    row.max()
                    for row, visible in zip(weights_QK, found.visible_QK, strict=True)
                    if visible.sum() > 1
                ]
            )
            for weights_QK in found.weights_HQK.astype(np.float64)
        ]
        for site, found in inspection.attention.items()
        if site.attention == kind
    ]
    found_LH = confidence_map(inspection, kind)
    assert found_LH.dtype == np.float32
    assert found_LH == pytest.approx(np.array(expected), abs=1e-6)
