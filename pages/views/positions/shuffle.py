"""A sentence and the same words in another order, encoded with positions and without."""

import numpy as np
import streamlit as st

from core.config import ConfigError, ModelConfig
from core.model import Unplace
from core.studies.lessons import positions
from core.studies.lessons.positions import Array
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.controls import amount
from pages.frame.files import stacked
from pages.frame.language import N_, _, number, plain
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.rounding import bound
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

FORMULA = (
    r"\mathrm{Encoder}(\Pi X) = \Pi\, \mathrm{Encoder}(X) \quad "
    r"\text{for every permutation } \Pi \text{, as long as } X \text{ holds no positions}"
)
READS = {
    "gru": N_("Its recurrent unit (GRU) reads the words one after the other."),
    "lstm": N_("Its recurrent unit (LSTM) reads the words one after the other."),
    "gru_two_way": N_("Its recurrent unit (GRU) reads the words forwards and backwards."),
    "lstm_two_way": N_("Its recurrent unit (LSTM) reads the words forwards and backwards."),
    "convolution": N_("Its convolution reads each word together with its neighbours."),
}
"""How an encoder comes to know the order of words without positions, by what mixes them."""


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
    found = cached.of_run(positions.shuffled, opened.path, opened.sentence, seed)
    if found is None:
        st.info(_("There is nothing to shuffle in one word. Type a longer sentence."))
        return None
    st.caption(_("Shuffled: {words}").format(words=plain(_shuffled(found))))
    config = opened.run.settings.model
    picture = chart(_chart(found, config))
    return Shown(
        name="shuffle",
        title=_("The encoder’s outputs of a sentence and of its words in another order"),
        numbers=lambda: _numbers(found),
        seen=_seen(found, config),
        python=_python(opened, seed),
        code=[positions.shuffled, Unplace],
        pictures=[picture],
        formula="" if found.notices_without else FORMULA,
        tries=_tries(found, config),
    )


def _tries(found: positions.Shuffled, config: ModelConfig) -> list[str]:
    said = [
        _("Shuffle again: do the words that move farthest change most?")
        if found.notices_without
        else _("Shuffle again: without positions every token keeps its output (cosine 1)."),
        _("Type a sentence with the same word twice: are its two outputs alike?"),
    ]
    looks_back = config.n_decoder_layers and config.decoder_mixing == "attention"
    if looks_back and not config.is_parallel:
        said.append(
            _(
                "Positions but no mask: the decoder would still see every later word. "
                "The masks lesson shows it."
            )
        )
    return said


def _seen(found: positions.Shuffled, config: ModelConfig) -> str:
    """Say how far the outputs move, without positions and with them where there are any."""
    has_none = config.positions == "none"
    if not found.notices_without:
        text = _(
            "Without positions the encoder **does not notice** (all within {x}); with them "
            "**{token}** changes most: cosine **{cosine}**."
        )
        if has_none:
            text = _(
                "This model has no positions, and its encoder **does not notice** (all within {x})."
            )
        elif not found.notices_with:
            text = _("With positions or without, the encoder **does not notice** (all within {x}).")
        return _named(text, found, found.with_positions_S)
    said = [_("Without positions the encoder **notices** all the same.")]
    if has_none:
        said = [_("This model has no positions, and its encoder **notices** all the same.")]
    if config.encoder_mixing in READS:
        said.append(_(READS[config.encoder_mixing]))
    text = _("**{token}** changes most: cosine **{cosine}**.")
    said.append(_named(text, found, found.without_positions_S))
    if not has_none:
        text = _("With positions it is **{token}**: cosine **{cosine}**.")
        said.append(_named(text, found, found.with_positions_S))
    return joined(said)


def _named(text: str, found: positions.Shuffled, cosines_S: Array) -> str:
    """Return a text with the token in it whose output changes most."""
    least = int(cosines_S.argmin())
    return text.format(
        x=bound(found.difference_without),
        token=plain(found.tokens[least].text),
        cosine=number(float(cosines_S[least]), 2),
    )


def _shuffled(found: positions.Shuffled) -> str:
    """Return the tokens in their other order, one beside the other."""
    return " ".join(found.tokens[place].text for place in found.order_S)


def _chart(found: positions.Shuffled, config: ModelConfig) -> Chart:
    cosines = {_("without positions"): found.without_positions_S.tolist()}
    if config.positions != "none":
        cosines[_("with positions")] = found.with_positions_S.tolist()
    return bars(
        cosines,
        [token.text for token in found.tokens],
        value=Quantity(_("cosine of a word’s output before and after the shuffle")),
        title=_("How much of each word’s output is left when the words are shuffled"),
    )


def _numbers(found: positions.Shuffled) -> Columns:
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
    begun = snippets.loading(opened.path, "from core.studies.lessons.positions import shuffled")
    return begun + "\n".join(
        [
            f"found = shuffled(run, {snippets.quoted(opened.sentence)}, {seed})",
            "numbers = [found.cosines_without_SS, found.cosines_with_SS]",
            "numbers += [found.difference_without, found.difference_with]",
            "",
        ]
    )
