"""Means over rows, against a slow count sentence by sentence."""

import numpy as np
import pytest
import torch

from core.batch import collate
from core.model import Record, Step
from core.studies.heads.question import heads_of
from core.studies.heads.roles import SEED
from core.studies.heads.row_statistics import row_statistics
from core.studies.heads.texts import pairs_read

N = 6
STEPS = frozenset({Step.STREAM_IN, Step.VISIBLE, Step.WEIGHTS, Step.MIXED})


@torch.no_grad()
def slowly(run, head):
    """Distance, that of an even row, its largest weight, and the share that the head adds."""
    attention, _ = run.model.block(head.site)
    columns = slice(head.index * attention.d_v, (head.index + 1) * attention.d_v)
    output_DE = attention.output.weight[:, columns].double()
    rows, added, stream = [], 0.0, 0.0
    for pair in pairs_read(run, N, SEED):
        record = Record(STEPS, frozenset({head.site}))
        run.model(*collate([pair], run.model.config.pad_id).inputs, record)
        weights_QK = record.weights(head.site)[0, head.index].double().numpy()
        visible_QK = record.tensors[head.site, Step.VISIBLE][0].expand(weights_QK.shape).numpy()
        mixed_QE = record.tensors[head.site, Step.MIXED][0, head.index].double()
        x_QD = record.tensors[head.site, Step.STREAM_IN][0].double()
        for query, seen_K in enumerate(visible_QK):
            keys = np.flatnonzero(seen_K)
            if len(keys) < 2:
                continue
            away = np.abs(keys - query)
            rows.append((weights_QK[query, keys] @ away, away.mean(), 1 / len(keys)))
            added += float((output_DE @ mixed_QE[query]).norm())
            stream += float(x_QD[query].norm())
    return (*np.mean(rows, axis=0).tolist(), added / stream)


def test_means_over_rows_are_those_of_a_slow_count(copy_run):
    found = row_statistics(copy_run, N)
    assert list(found) == heads_of(copy_run.model)
    for head, each in found.items():
        distance, even_distance, even_largest, added = slowly(copy_run, head)
        assert each.even_largest == pytest.approx(even_largest)
        assert each.added == pytest.approx(added, rel=1e-5)
        if head.kind.is_self:
            assert each.distance == pytest.approx(distance, rel=1e-5)
            assert each.even_distance == pytest.approx(even_distance)
        else:
            # Positions of two texts have no distance.
            assert each.distance is None is each.even_distance
