"""What is stored of the start is what its live page shows, in every language."""

import json

import numpy as np
import pytest

from docs.first_paint import stored
from pages.frame.first_paint import FILE, RUN
from viz.whole.whole import FULL

TOLERANCE = 1e-3
"""Of weights, norms and probabilities: other processors round otherwise."""
AGAIN = "python -m docs.first_paint stores it anew"


def leaves(tree, path=()):
    """Return each value of a tree by its path."""
    if not isinstance(tree, dict | list):
        return {path: tree}
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    return {name: leaf for key, each in items for name, leaf in leaves(each, (*path, key)).items()}


def test_the_stored_start_is_the_live_one():
    ours, live = json.loads((RUN / FILE).read_text("utf-8")), stored()
    weights, live_weights = (np.concatenate(each.pop("arrays")) for each in (ours, live))
    assert weights == pytest.approx(live_weights, abs=TOLERANCE * FULL), AGAIN
    assert leaves(ours) == pytest.approx(leaves(live), abs=TOLERANCE), AGAIN
