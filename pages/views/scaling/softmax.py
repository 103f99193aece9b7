"""The softmax of [a, a, 2a]: it sees differences of scores, not their ratios."""

import numpy as np
import streamlit as st

from core.studies.lessons import scaling
from core.studies.lessons.scaling import LARGEST
from pages.frame import controls, snippets
from pages.frame.charts import chart
from pages.frame.language import _, number, percent, plain
from pages.frame.opening import Opened
from pages.frame.view import Shown
from viz.charts.curves import Chart, Quantity, Rule, curves

FORMULA = r"""
\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}, \qquad
\mathrm{softmax}([a, a, 2a])_2 = \frac{1}{1 + 2 e^{-a}}, \qquad
\frac{d y_0}{d a} = \frac{d y_1}{d a} = -y_0\, y_2, \quad \frac{d y_2}{d a} = y_2 (1 - y_2)
"""


def draw(_opened: Opened) -> Shown:
    """Draw the outputs against a, beside the exact ones at the chosen a."""
    left, right = st.columns([5, 4], gap="medium")
    with right:
        size = controls.amount("a", "a", 1.0, limits=(-LARGEST, LARGEST))
        st.markdown(_exact_outputs(size))
    sizes = scaling.sizes_around(size)
    outputs = scaling.stretched_softmax(sizes)
    with left:
        picture = chart(_curves(sizes, outputs, size))
    return Shown(
        name="softmax",
        title=_("The softmax of [a, a, 2a] against a"),
        seen=_seen(size),
        numbers=lambda: _numbers(size, sizes),
        python=_python(size),
        code=[scaling.stretched_softmax, scaling.stretched_slopes, scaling.softmax],
        pictures=[picture],
        formula=FORMULA,
        tries=[
            _("**a = 0**: all scores are equal, and so are the outputs: a third each."),
            _(
                "**a = 1**, then **10**, then **100**: the scores keep their ratio 1 : 1 : 2, and "
                "yet y2 goes from 0.58 to 0.9999 to 1. The softmax sees "
                "differences, not ratios."
            ),
            _("**a = −3**: now 2a is the smallest score, and the other two share the weight."),
        ],
    )


FAR = 10.0
"""Where the curve is flat."""


def _seen(size: float) -> str:
    """Say how much the score 2a gets, and how much that moves with a."""
    share = float(scaling.stretched_softmax(np.array([size]))[0, 2])
    slope = float(scaling.stretched_slopes(size)[2])
    return _(
        "With a = {a} the score 2a gets **{share}** of the weight, and the curve has the slope "
        "**{slope}** there. At a = {far} the slope is {flat}: hardly anything can be learned."
    ).format(
        a=number(size, padded=False),
        share=percent(share),
        slope=number(slope, significant=2),
        far=number(FAR),
        flat=number(float(scaling.stretched_slopes(FAR)[2]), significant=1),
    )


def _curves(sizes: scaling.Floats, outputs: scaling.Floats, size: float) -> Chart:
    return curves(
        {
            _("y2, of the score 2a"): outputs[:, 2].tolist(),
            _("y0 and y1, of a each"): outputs[:, 0].tolist(),
        },
        x=Quantity("a"),
        y=Quantity(_("output of the softmax"), share=True),
        at=sizes.tolist(),
        title=_("The larger a, the more the largest score takes"),
        rules=[Rule(size, f"a = {number(size, padded=False)}")],
    )


def _exact_outputs(size: float) -> str:
    """Return the scores a, a, 2a with outputs and slopes dy/da as a table in Markdown."""
    found = scaling.response(np.array([1.0, 1.0, 2.0]), size)
    rows = [
        f"| y{at} | {name} = {score} | {plain(percent(output))} | {number(slope, significant=2)} |"
        for at, name, score, output, slope in zip(
            range(3),
            ("a", "a", "2a"),
            [number(score, padded=False) for score in found.scores_K.tolist()],
            found.outputs_K.tolist(),
            scaling.stretched_slopes(size).tolist(),
            strict=True,
        )
    ]
    return "\n".join(
        [_("| output | score | softmax y | slope dy/da |"), "|:--|---:|---:|---:|", *rows]
    )


def _numbers(size: float, sizes: scaling.Floats) -> dict[str, list[object]]:
    """Return outputs and slopes dy/da at the chosen a, then along the curves."""
    every = [size, *sizes.tolist()]
    outputs_N3 = scaling.stretched_softmax(every)
    slopes_N3 = np.stack([scaling.stretched_slopes(each) for each in every])
    return {
        "a": every,
        **{f"y{at}": outputs_N3[:, at].tolist() for at in range(3)},
        **{f"slope{at}": slopes_N3[:, at].tolist() for at in range(3)},
    }


def _python(size: float) -> str:
    imports = snippets.importing(
        "import numpy as np",
        "from core.studies.lessons.scaling import stretched_slopes, stretched_softmax",
        "from core.studies.lessons.scaling import sizes_around",
    )
    return imports + "\n".join(
        [
            "",
            f"sizes = [{size!r}, *sizes_around({size!r}).tolist()]",
            "slopes_N3 = np.stack([stretched_slopes(size) for size in sizes])",
            "numbers = [sizes, *stretched_softmax(sizes).T, *slopes_N3.T]",
            "",
        ]
    )
