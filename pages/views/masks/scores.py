"""One head's scores before the mask, with it, and after the softmax."""

import numpy as np
from numpy.typing import NDArray

from core.model.scoring import attention_weights
from core.studies.lessons.masks import HeadOfBatch, head_of_batch
from pages.frame.components import matrices
from pages.frame.files import stacked
from pages.frame.language import _, n_, number
from pages.frame.listed import joined
from pages.frame.notes import site_and_head
from pages.frame.opening import Opened
from pages.frame.rounding import bound
from pages.frame.view import Shown
from pages.views.masks.batch import Chosen, ask, weights_map
from viz.plane.matrices import Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Draw the three steps from scores to weights."""
    chosen = ask(opened, heads=True)
    done = chosen.of_head()
    panels = [
        _scores(chosen, done, _("Scores q·k / √d_k"), None),
        _scores(chosen, done, _("With −∞ where hidden"), done.visible_QK),
        weights_map(chosen, done, _("Softmax of each row: the weights")),
    ]
    picture = matrices(Matrices(panels=panels), key="score_maps")
    least, most = done.row_sums
    cells = {"score": done.scores_QK, "masked_score": done.masked_scores_QK}
    return Shown(
        name=f"scores.{chosen.head.site}.{chosen.head.index}",
        title=_("From scores to weights: {where}").format(where=site_and_head(chosen.head)),
        numbers=lambda: stacked(
            chosen.cells(**cells, weight=done.weights_QK),
            {"smallest_row_sum": [least], "largest_row_sum": [most]},
        ),
        seen=_seen(done),
        python=chosen.python()
        + "numbers = [done.scores_QK, done.masked_scores_QK, done.weights_QK, done.row_sums]\n",
        code=(attention_weights, head_of_batch),
        pictures=[picture],
        about=chosen.about,
        formula=r"""w_{ij} = \frac{e^{s_{ij}}}{\sum_{j'} e^{s_{ij'}}}, \qquad
        s_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d_k} & \text{visible} \\ -\infty &
        \text{hidden} \end{cases}""",
        tries=(
            _("Find a hidden cell with a score above 0: its weight is 0 all the same."),
            _("Choose another sentence of the batch: how many of its cells are hidden?"),
        ),
    )


def _seen(done: HeadOfBatch) -> str:
    """Say in how many rows the largest score is hidden, and what the rows sum to."""
    rows = np.arange(len(done.scores_QK))
    n = int((~done.visible_QK[rows, done.scores_QK.argmax(axis=-1)]).sum())
    text = n_(
        "In **{n}** of {rows} rows the largest score is hidden: as −∞ it gets the weight 0.",
        "In **{n}** of {rows} rows the largest score is hidden: as −∞ it gets the weight 0.",
        n,
    ).format(n=number(n), rows=number(len(rows)))
    error = max(abs(1 - total) for total in done.row_sums)
    sums = _("Every row still sums to 1, within {error}.").format(error=bound(error))
    return joined([text, sums])


def _scores(
    chosen: Chosen, done: HeadOfBatch, title: str, visible_QK: NDArray[np.bool_] | None
) -> Matrix:
    return Matrix(
        title=title,
        values=done.scores_QK,
        visible=visible_QK,
        scale="signed",
        limit=max(float(np.abs(done.scores_QK).max()), 1e-6),
        hidden_value="-inf",
        value_name=_("score"),
        rows=chosen.queries,
        columns=chosen.keys,
    )
