"""What attention maps refuse to be."""

from dataclasses import replace

import numpy as np
import pytest

from viz.component.payload import TokenLabel
from viz.plane.maps import AttentionMaps


def words(n, prefix="w"):
    return tuple(TokenLabel(f"{prefix}{i}") for i in range(n))


def cross(layers=2, heads=3, queries=5, keys=7, seed=0, selected=(1, 2)):
    weights = np.random.default_rng(seed).random((layers, heads, queries, keys), np.float32)
    visible = np.ones((queries, keys), np.bool_)
    visible[:, -1] = False
    target = words(queries + 1, "t")
    return AttentionMaps(
        kind="decoder.cross",
        sides=("target", "source"),
        weights=weights * visible,
        visible=visible,
        queries=target[:-1],
        keys=words(keys),
        predicted=target[1:],
        source=words(keys),
        target=target,
        translation="t1 t2",
        selected=selected,
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": np.full((2, 3, 5, 7), 0.5, np.float32)}, "visible is False"),
        ({"queries": words(4)}, r"\(2, 3, 4, 7\)"),
        ({"keys": words(5)}, r"\(2, 3, 5, 5\)"),
        ({"source": words(5)}, "7 source labels, got 5"),
        ({"target": words(5)}, "6 target labels, got 5"),
        ({"predicted": words(4)}, "5 predicted labels, got 4"),
        ({"sides": ("source", "target")}, "0 predicted labels, got 5"),
        ({"kind": "other"}, "other"),
        ({"selected": (2, 0)}, "layer 2, head 0.*2 layers × 3 heads"),
        ({"selected": (0, -1)}, "head -1"),
        ({"zoom": (0, 0, 6, 7)}, r"\(0, 0, 6, 7\).*\(5, 7\)"),
        ({"zoom": (3, 0, 3, 7)}, r"\(3, 0, 3, 7\)"),
        ({"zoom": (0, -1, 3, 3)}, "-1"),
        ({"zoom": (0, 0, 0, 3)}, r"\(0, 0, 0, 3\)"),
        ({"texts": {"titel": "x"}}, "titel"),
    ],
)
def test_contradictions_are_refused_with_both_sides(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(cross(), **changes)
