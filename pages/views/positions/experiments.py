"""The views of what positions do to the sentence: a shuffled one, and their size."""

import numpy as np
import streamlit as st

from core.analysis.lessons import position_experiments
from core.model import Unplace
from core.model.positional import Embedding
from core.runs.run import Run
from pages.frame import cached, lesson
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.text import _
from pages.views.positions import controls
from pages.views.positions.controls import short
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.plane.matrices import Axis, Matrices, Matrix

TOKENS_DRAWN = 14
"""So many fit on the first screen."""
FORMULAS = {
    "sinusoidal": r"x_p = \sqrt{d_{model}}\; e_{token} + \mathrm{PE}(p), \qquad "
    r"\lVert \mathrm{PE}(p) \rVert = \sqrt{\tfrac{d_{model}}{2}}",
    "learned": r"x_p = \sqrt{d_{model}}\; e_{token} + P_p, \qquad P_p \text{ is learned}",
}
"""What is added, by the kind of a model's positions."""


@controls.saying_why
def shuffle(opened: Opened) -> None:
    """Encode a sentence and the same words in another order, with and without positions."""
    with controls.row():
        seed = controls.seed()
    found = cached.of_run(position_experiments.shuffled, opened.path, opened.sentence, seed)
    if found is None:
        st.info(_("There is nothing to shuffle in one word. Type a longer sentence."))
        return
    source = labels(found.tokens, opened.inspection.unknown_words)
    rows = Axis(name=_("output in the sentence's order"), labels=source, side="source")
    columns = Axis(
        name=_("output in the shuffled order"),
        labels=tuple(source[place] for place in found.order_S),
        side="source",
    )
    named = {
        _("Without positions: the same vectors, in another order"): found.cosines_without_SS,
        _("With positions: other vectors"): found.cosines_with_SS,
    }
    panels = [
        Matrix(
            title=title,
            values=cosines_SS.astype(np.float32),
            rows=rows,
            columns=columns,
            scale="signed",
            value_name=_("cosine"),
        )
        for title, cosines_SS in named.items()
    ]
    st.caption(
        _(
            "Largest difference of an output once the shuffle is undone: {x} without positions "
            "(rounding), {y} with them. EOS stays at its place."
        ).format(x=short(found.difference_without), y=short(found.difference_with))
    )
    matrices(Matrices(panels=panels), key="pe_shuffle")
    lesson.explained(
        Explanation(
            formula=r"\mathrm{Encoder}(\Pi X) = \Pi\, \mathrm{Encoder}(X) \quad "
            r"\text{for every permutation } \Pi \text{, as long as } X \text{ holds no positions}",
            tries=[
                _("Shuffle again: without positions every token keeps its output (cosine 1)."),
                _("A sentence with a word twice: without positions both outputs are the same."),
                _(
                    "Positions but no mask: the decoder would still see every later word. "
                    "The masks lesson shows it."
                ),
            ],
            code=[position_experiments.shuffled, Unplace],
        )
    )


@controls.saying_why
def norms(opened: Opened) -> None:
    """Draw how long the two vectors are that are added up."""
    found = cached.of_run(position_experiments.norms, opened.path, opened.sentence)
    tokens = [token.text for token in found.tokens]
    texts = [f"{place} {token}" for place, token in enumerate(tokens)]
    first = 0
    if len(texts) > TOKENS_DRAWN:
        with controls.row():
            first = controls.number(_("First token"), "pe_token", 0)
        first = max(0, min(first, len(texts) - TOKENS_DRAWN))
    series = {
        _("token"): found.plain_S.tolist(),
        _("token × √d_model"): found.scaled_S.tolist(),
        _("position"): found.positions_S.tolist(),
    }
    part = slice(first, first + TOKENS_DRAWN)
    chart(
        bars(
            {name: values[part] for name, values in series.items()},
            texts[part],
            value=Quantity(_("length of the vector (Euclidean norm)")),
            title=_("How long the two vectors are that are added, token by token"),
        )
    )
    st.caption(_norms_measured(found, opened.run))
    columns = {"place": range(len(tokens)), "text": tokens}
    lesson.numbers("position_norms", columns | series)
    lesson.explained(
        Explanation(
            formula=FORMULAS[opened.run.settings.model.positions],
            tries=[
                _("Another model: the norm of sinusoids is √(d_model / 2), wherever they stand."),
                _("Other words: are the vectors of rare ones longer or shorter?"),
            ],
            code=[position_experiments.norms, Embedding],
        )
    )


def _norms_measured(found: position_experiments.Norms, run: Run) -> str:
    plain, scaled, position = found.means
    before, after = found.ratios
    return _(
        "Means over {n} tokens: token {plain}, × √{d} = {scaled}, position {position}. The "
        "position's vector is {before} times as long as the token's; after × √{d}, {after} times."
    ).format(
        n=len(found.tokens),
        d=run.settings.model.d_model,
        plain=short(plain),
        scaled=short(scaled),
        position=short(position),
        before=short(before),
        after=short(after),
    )
