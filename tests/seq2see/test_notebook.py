"""The cells of the notebook, run one after the other as a kernel runs them."""

import ast
import json

import pytest
import torch

from core.installed import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "notebooks" / "watch.ipynb").read_text())


def run(source, names):
    """Run a cell and return the value of its last line."""
    *lines, last = ast.parse(source).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return exec(compile(ast.Module([last], []), "cell", "exec"), names)


@pytest.fixture(scope="module")
def values():
    with torch.random.fork_rng():
        names = {}
        cells = (cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code")
        return [run("".join(cell["source"]), names) for cell in cells]


@pytest.mark.slow
def test_the_notebook_shows_what_its_texts_say(values):
    _, learned, shown, (names, shape), accuracies, (own, patched), [overridden], array = values
    assert learned > 0.99
    assert (names[-1], shape) == ("transformer.decoder.layers.0.multihead_attn", (1, 2, 6, 6))
    assert accuracies["both heads of the cross-attention"] < 0.3
    assert own == [[2, 9, 5, 4, 1, 3]]
    assert patched == [[6, 6, 8, 8, 7, 7]]
    assert overridden[0] == 3
    for picture in (shown, array):
        assert "<iframe" in picture._repr_html_()
    diagonal = shown[names[-1]].weights[0].flip(-1).diagonal(dim1=-2, dim2=-1)
    assert diagonal.mean() > 0.5


def test_the_notebook_holds_no_outputs():
    assert not any(cell.get("outputs") for cell in NOTEBOOK["cells"])
