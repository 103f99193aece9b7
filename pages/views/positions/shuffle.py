"""A sentence and the same words in another order, encoded with positions and without."""

import numpy as np
import streamlit as st

from core.analysis.lessons import position_experiments
from core.config import ConfigError
from core.model import Unplace
from pages.frame import cached, snippets
from pages.frame.components import matrices
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import _
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.rounding import bound
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.plane.matrices import Axis, Matrices, Matrix


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown | None:
    """Draw how alike the outputs of both orders are."""
    with controls.row():
        # No button beside it: the next number is the next shuffle.
        seed = amount(
            _("Shuffle again"),
            "pe_seed",
            0,
            help_text=_("The seed: the same number gives the same order again."),
        )
    found = cached.of_run(position_experiments.shuffled, opened.path, opened.sentence, seed)
    if found is None:
        st.info(_("There is nothing to shuffle in one word. Type a longer sentence."))
        return None
    picture = matrices(_matrices(opened, found), key="pe_shuffle")
    return Shown(
        name="shuffle",
        title=_("The encoder’s outputs of a sentence and of its words in another order"),
        numbers=lambda: _numbers(found),
        seen=_(
            "Without positions every word comes out as before the shuffle, within **{x}** "
            "(rounding); with them it differs by up to **{y}**. EOS stays at its place."
        ).format(x=bound(found.difference_without), y=controls.short(found.difference_with)),
        python=_python(opened, seed),
        code=[position_experiments.shuffled, Unplace],
        pictures=[picture],
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
    )


def _matrices(opened: Opened, found: position_experiments.Shuffled) -> Matrices:
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
    return Matrices(
        panels=[
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
    )


def _numbers(found: position_experiments.Shuffled) -> Columns:
    """Return both maps cell by cell, and the largest differences."""
    rows, columns = np.indices(found.cosines_with_SS.shape).reshape(2, -1).tolist()
    cells: Columns = {
        "row": rows,
        "row_token": [found.tokens[row].text for row in rows],
        "column": columns,
        "column_token": [found.tokens[found.order_S[column]].text for column in columns],
        "without_positions": found.cosines_without_SS.reshape(-1).tolist(),
        "with_positions": found.cosines_with_SS.reshape(-1).tolist(),
    }
    differences: Columns = {
        "largest_difference_without": [found.difference_without],
        "largest_difference_with": [found.difference_with],
    }
    return stacked(cells, differences)


def _python(opened: Opened, seed: int) -> str:
    begun = snippets.loading(
        opened.path, "from core.analysis.lessons.position_experiments import shuffled"
    )
    return begun + "\n".join(
        [
            f"found = shuffled(run, {snippets.quoted(opened.sentence)}, {seed})",
            "numbers = [found.cosines_without_SS, found.cosines_with_SS]",
            "numbers += [found.difference_without, found.difference_with]",
            "",
        ]
    )
