"""A sentence and the same words in another order, encoded with positions and without."""

from typing import Any

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.model import Unplace
from core.studies.lessons.positions import Array, Shuffled, shuffled
from pages.frame import controls
from pages.frame.charts import chart
from pages.frame.language import N_, _, bound, joined, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown, saying_why
from pages.views.lessons import positions
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
    with positions.row():
        # No button beside it: the next number is the next shuffle.
        seed = controls.amount(
            _("Shuffle again"),
            "pe_seed",
            0,
            help_text=_("The seed: the same number gives the same order again."),
        )
    recipe: Recipe[Any] = Recipe(shuffled, opened.path, opened.sentence, seed)
    found: Shuffled | None = recipe.result()
    if found is None:
        st.info(_("There is nothing to shuffle in one word. Type a longer sentence."))
        return None
    order = " ".join(found.tokens[place].text for place in found.order_S)
    st.caption(_("Shuffled: {words}").format(words=plain(order)))
    config = opened.run.settings.model
    return Shown(
        name="shuffle",
        title=_("The encoder’s outputs of a sentence and of its words in another order"),
        recipe=recipe,
        seen=_seen(found, config),
        code=[Unplace],
        pictures=[chart(_chart(found, config))],
        formula="" if found.notices_without else FORMULA,
    )


def _seen(found: Shuffled, config: ModelConfig) -> str:
    """Say how far the outputs move, without positions and with them where there are any."""
    has_none = config.positions == "none"
    if not found.notices_without:
        text = _("Without positions **no output changes** (all within {x}).")
        if has_none:
            text = _("This model has no positions: **no output changes** (all within {x}).")
        said = [text.format(x=bound(found.difference_without))]
    else:
        said = [_("Without positions the encoder **notices** all the same.")]
        if has_none:
            said = [_("This model has no positions, and its encoder **notices** all the same.")]
        if config.encoder_mixing in READS:
            said.append(_(READS[config.encoder_mixing]))
        changes = _("**{token}** changes most: cosine **{cosine}**.")
        said.append(_named(changes, found, found.without_positions_S))
    if not has_none:
        changes = _("With positions **{token}** changes most: cosine **{cosine}**.")
        if not found.notices_with:
            changes = _("With positions none changes either.")
        said.append(_named(changes, found, found.with_positions_S))
    return joined(said)


def _named(text: str, found: Shuffled, cosines_S: Array) -> str:
    """Return a text with the token in it whose output changes most."""
    least = int(cosines_S.argmin())
    token = plain(found.tokens[least].text)
    return text.format(token=token, cosine=number(float(cosines_S[least]), 2))


def _chart(found: Shuffled, config: ModelConfig) -> Chart:
    cosines = {_("without positions"): found.without_positions_S.tolist()}
    if config.positions != "none":
        cosines[_("with positions")] = found.with_positions_S.tolist()
    return bars(
        cosines,
        [token.text for token in found.tokens],
        value=Quantity(_("cosine of a word’s output before and after the shuffle")),
        title=_("How much of each word’s output is left when the words are shuffled"),
    )
