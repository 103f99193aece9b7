"""Texts are found by whoever collects them for translation."""

import ast
from pathlib import Path

import pytest

from viz.messages import N_

VIZ = Path(__file__).parents[2] / "viz"


def texts_of(path):
    """Yield the values of every dictionary of texts in a file."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Dict):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if target.id.endswith("TEXTS"):
                named = zip(node.value.keys, node.value.values, strict=True)
                yield from (value for key, value in named if key is not None)


@pytest.mark.parametrize("path", sorted(VIZ.rglob("*.py")), ids=lambda path: path.name)
def test_every_text_that_a_picture_shows_is_marked(path):
    for value in texts_of(path):
        assert isinstance(value, ast.Call) and value.func.id == "N_", ast.unparse(value)


def test_a_marked_text_is_itself():
    assert N_("weight") == "weight"
