"""What stands below each picture of the lesson on scaling."""

from core.analysis.lessons.rescaled import score_spread, without_scaling
from core.analysis.lessons.scaling import (
    jacobian,
    jacobian_norms,
    product_variances,
    sampled_gradients,
    softmax,
    stretched_slopes,
    stretched_softmax,
)
from core.model import Rescale
from core.model.attention import attend_probed
from pages.frame.lesson import Explanation
from pages.frame.text import _

SOFTMAX = Explanation(
    formula=r"""
\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}, \qquad
\mathrm{softmax}([a, a, 2a])_2 = \frac{1}{1 + 2 e^{-a}}, \qquad
\frac{d y_0}{d a} = \frac{d y_1}{d a} = -y_0\, y_2, \quad \frac{d y_2}{d a} = y_2 (1 - y_2)
""",
    tries=[
        _("**a = 0**: all scores are equal, and so are the outputs: a third each."),
        _(
            "**a = 1**, then **10**, then **100**: the scores keep their ratio 1 : 1 : 2, and yet "
            "the third output goes from 0.58 to 0.9999 to 1. The softmax sees differences, not "
            "ratios."
        ),
        _("**a = −3**: now 2a is the smallest score, and the other two share the weight."),
    ],
    code=[stretched_softmax, stretched_slopes, softmax],
)

VARIANCE = Explanation(
    formula=r"""
q \cdot k = \sum_{i=1}^{d_k} q_i k_i, \qquad \mathrm{E}[q \cdot k] = 0, \qquad
\mathrm{Var}[q \cdot k] = d_k, \qquad
\mathrm{Var}\!\left[\frac{q \cdot k}{\sqrt{d_k}}\right] = 1
""",
    tries=[
        _(
            "Change the **components**: normal, uniform or ±1 make no difference. Only mean 0, "
            "variance 1 and independence count."
        ),
        _("Change the **seed** with 10 samples, then with 1000: how much of the line is chance?"),
        _(
            "Look at the **model's own heads**: what they learned is not independent, and so their "
            "variance need not be 1. A head that points sharply has learned large scores in "
            "spite of the division."
        ),
    ],
    code=[product_variances, score_spread],
)

JACOBIAN = Explanation(
    formula=r"""
\frac{\partial y_i}{\partial x_j} =
\begin{cases} y_i (1 - y_i) & i = j \\ -y_i y_j & i \neq j \end{cases}, \qquad
J = \mathrm{diag}(y) - y y^\top
""",
    tries=[
        _("Raise the **factor** from 1 to √d_k and on to 100: y becomes one-hot, the map grey."),
        _("Set the **factor** to 0: all outputs are equal. Which J has the largest norm?"),
        _("Type **5, 5**, then **5, 5, 5, 5**: equal scores share the weight, and the gradient."),
        _("Every row sums to 0: what one output gains, the others lose."),
    ],
    code=[jacobian, softmax],
)

GRADIENT = Explanation(
    formula=r"""
\lVert J \rVert_F = \sqrt{\sum_{i,j} \left(\frac{\partial y_i}{\partial x_j}\right)^2},
\qquad x_j = q \cdot k_j \ \text{ or } \ \frac{q \cdot k_j}{\sqrt{d_k}}
""",
    tries=[
        _(
            "Choose the **median**: half of the queries get less than that. The mean falls slower, "
            "because in a few queries two keys happen to tie."
        ),
        _("Change the number of **keys**: the divided scores keep their gradient with each."),
        _("Change the **seed**, and see how much of the line is chance."),
    ],
    code=[sampled_gradients, jacobian_norms],
)

HEADS = Explanation(
    formula=r"""
\mathrm{evenness} = \frac{1}{|Q|} \sum_{q \in Q} \frac{-\sum_k w_{qk} \ln w_{qk}}{\ln n_q},
\qquad n_q = \text{keys that } q \text{ may see}, \quad Q = \{q : n_q > 1\}
""",
    tries=[
        _("Which heads change least? Those that were sharp already."),
        _("Type a longer sentence, or one with words that the model never saw."),
        _("Choose another model at the top: with a smaller d_k there is less to take away."),
    ],
    code=[without_scaling, Rescale, attend_probed],
)
