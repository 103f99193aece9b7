"""A sentence and the same words in another order, encoded with positions and without."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import streamlit as st

from core.config import ModelConfig
from core.model import Unplace
from core.studies.lessons.positions import Array, Shuffled, shuffled
from core.tokenizer.tokenizer import Token
from pages.frame import session
from pages.frame.charts import chart
from pages.frame.language import N_, _, joined, labelled, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity

SEED = "pe_seed"
"""Name of the seed of the shuffle in the URL."""
UNSHUFFLED = -1
"""In the place of a seed: the words stand in their own order."""
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


def draw(opened: Opened) -> Shown | None:
    """Draw how alike the outputs of both orders are."""
    asked = session.value(SEED, _read_seed, 0)
    seed = None if asked == UNSHUFFLED else asked
    recipe: Recipe[Any] = Recipe(shuffled, opened.path, opened.sentence, seed)
    found: Shuffled | None = recipe.result()
    if found is None:
        st.info(_("There is nothing to shuffle in one word. Type a longer sentence."))
        return None
    st.markdown(labelled(_("Your order"), _chips(found.tokens)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if seed is None:
            label, following = _("Shuffle"), 0
        else:
            label, following = _("Shuffle again"), seed + 1
            tokens = (found.tokens[place] for place in found.order_S)
            st.markdown(labelled(_("Shuffled"), _chips(tokens)), width="content")
        st.button(
            label,
            icon=":material/shuffle:",
            key="shuffle_again",
            on_click=session.choose,
            args=({SEED: following},),
        )
    config = opened.run.settings.model
    return Shown(
        name="shuffle",
        title=_("The encoder’s outputs of a sentence and of its words in another order"),
        recipe=recipe,
        seen=_("Each word is compared with itself: click **Shuffle**.")
        if seed is None
        else _seen(found, config),
        code=[Unplace],
        pictures=[chart(_chart(found, config))],
        formula="" if found.notices_without else FORMULA,
    )


def _read_seed(text: str) -> int | None:
    return UNSHUFFLED if text == str(UNSHUFFLED) else session.position(text, 10_000)


def _chips(tokens: Iterable[Token]) -> str:
    return " ".join(f":gray-badge[{plain(token.text)}]" for token in tokens)


def _seen(found: Shuffled, config: ModelConfig) -> str:
    """Say whether the encoder notices the order, without positions and with them."""
    has_none = config.positions == "none"
    without = _("Without positions")
    if has_none:
        without = _("Without positions, as in this model")
    if not found.notices_without:
        text = _("{without}, the encoder cannot tell the two orders apart: **no output changes**.")
        sentences = [text.format(without=without)]
    else:
        text = _("{without}, the encoder **notices** the order all the same.")
        sentences = [text.format(without=without)]
        if config.encoder_mixing in READS:
            sentences.append(_(READS[config.encoder_mixing]))
        changes = _(
            "The output of “{token}” changes most: similarity (cosine) **{cosine}**, where 1 is "
            "no change."
        )
        sentences.append(_named(changes, found, found.without_positions_S))
    if not has_none:
        changes = _(
            "With positions, the output of “{token}” changes most: similarity (cosine) "
            "**{cosine}**, where 1 is no change."
        )
        if not found.notices_with:
            changes = _("With positions none changes either.")
        sentences.append(_named(changes, found, found.with_positions_S))
    return joined(sentences)


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
        value=Quantity(
            _("similarity (cosine) of a word’s two outputs; 1: the same"),
            domain=(min(0.0, *chain(*cosines.values())), 1.0),
        ),
        title=_("How similar each word’s output stays when the words are shuffled"),
    )
