"""What views of heads' weights share: the numbers, the Python that computes them, the formula."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.model.scoring import WEIGHTS
from pages.frame import snippets
from pages.frame.cells import cell_columns
from pages.frame.selection import Selection, key_tokens, query_tokens
from pages.frame.view import Column

Name = TypeVar("Name", int, str)

_FORMULA = r"""
\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V,
\qquad M_{ij} = \begin{cases} 0 & \text{if } i \text{ may look at } j \\ -\infty & \text{else}
\end{cases}
"""


def formula(selected: Selection) -> str:
    """Return what the heads of the model compute, in LaTeX."""
    scores = selected.opened.run.settings.model.scores
    if scores == "dot":
        return _FORMULA
    return rf"\mathrm{{Attention}}(Q_h, K_h, V_h) = w V_h, \qquad w = {WEIGHTS[scores]}"


def inspecting(selected: Selection, *imports: str) -> str:
    """Return Python that loads the run and inspects the sentence as the page does.

    Args:
        selected: What the page shows.
        imports: More lines that import, for what comes after.
    """
    if not selected.whole_words:
        return snippets.inspecting(selected.opened.path, selected.opened.sentence, *imports)
    merging = "from core.inspection import inspect_sentence, merged"
    return (
        snippets.loading(selected.opened.path, *imports, merging)
        + f"inspection = inspect_sentence(run, {snippets.quoted(selected.opened.sentence)})\n"
        + "inspection = merged(inspection)\n"
    )


def numbers(selected: Selection, heads: Mapping[Name, NDArray[np.float32]]) -> Mapping[str, Column]:
    """Return one row for each cell of the maps, which have the view's queries and keys.

    Where `visible` is False the mask hides the key from the query, and the weight is 0.

    Args:
        selected: Whose tokens they are.
        heads: What is written under `head` → weights_QK.
    """
    visible_QK = selected.attention.visible_QK
    cells = cell_columns(
        query_tokens(selected.inspection, selected.kind),
        key_tokens(selected.inspection, selected.kind),
    )
    return {
        "head": [head for head in heads for _cell in range(visible_QK.size)],
        **{name: list(cells[name]) * len(heads) for name in cells},
        "visible": visible_QK.reshape(-1).tolist() * len(heads),
        "weight": np.concatenate([each.reshape(-1) for each in heads.values()]).tolist(),
    }
