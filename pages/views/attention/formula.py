"""What the heads of a model compute, in LaTeX."""

from core.describe.formulas import WEIGHTS
from core.runs.run import Run

ATTENTION = r"""
\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V,
\qquad M_{ij} = \begin{cases} 0 & \text{if } i \text{ may look at } j \\ -\infty & \text{else}
\end{cases}
"""


def formula(run: Run) -> str:
    """Return how the heads of a model weigh and mix values."""
    scores = run.settings.model.scores
    if scores == "dot":
        return ATTENTION
    return rf"\mathrm{{Attention}}(Q_h, K_h, V_h) = w V_h, \qquad w = {WEIGHTS[scores]}"
