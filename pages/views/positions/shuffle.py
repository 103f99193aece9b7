"""A sentence and the same words in another order, encoded with positions and without."""

import numpy as np
import streamlit as st

from core.analysis.lessons import position_experiments
from core.config import ConfigError
from core.model import Unplace
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import _, number, plain
from pages.frame.opening import Opened
from pages.frame.rounding import bound
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity


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
    st.caption(_("Shuffled: {words}").format(words=plain(_shuffled(found))))
    picture = chart(_chart(found))
    return Shown(
        name="shuffle",
        title=_("The encoder’s outputs of a sentence and of its words in another order"),
        numbers=lambda: _numbers(found),
        seen=_seen(found),
        python=_python(opened, seed),
        code=[position_experiments.shuffled, Unplace],
        pictures=[picture],
        formula=r"\mathrm{Encoder}(\Pi X) = \Pi\, \mathrm{Encoder}(X) \quad "
        r"\text{for every permutation } \Pi \text{, as long as } X \text{ holds no positions}",
        tries=[
            _("Shuffle again: without positions every token keeps its output (cosine 1)."),
            _("A sentence with a word twice: what becomes of its two outputs?"),
            _(
                "Positions but no mask: the decoder would still see every later word. "
                "The masks lesson shows it."
            ),
        ],
    )


def _seen(found: position_experiments.Shuffled) -> str:
    """Say how far the outputs move, without positions and with them."""
    _without, with_positions = _kept(found).values()
    least = int(np.argmin(with_positions))
    return _(
        "Without positions the encoder **does not notice** (all within {x}); with them "
        "**{token}** changes most: cosine **{cosine}**."
    ).format(
        x=bound(found.difference_without),
        token=plain(found.tokens[least].text),
        cosine=number(with_positions[least], 2),
    )


def _shuffled(found: position_experiments.Shuffled) -> str:
    """Return the tokens in their other order, one beside the other."""
    return " ".join(found.tokens[place].text for place in found.order_S)


def _kept(found: position_experiments.Shuffled) -> dict[str, list[float]]:
    """Return the cosine of each token's two outputs, without positions and with them."""
    places = np.argsort(found.order_S)
    tokens = np.arange(len(places))
    return {
        _("without positions"): found.cosines_without_SS[tokens, places].tolist(),
        _("with positions"): found.cosines_with_SS[tokens, places].tolist(),
    }


def _chart(found: position_experiments.Shuffled) -> Chart:
    return bars(
        _kept(found),
        [token.text for token in found.tokens],
        value=Quantity(_("cosine of a word’s output before and after the shuffle")),
        title=_("How much of each word’s output is left when the words are shuffled"),
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
