"""The logit lens: what the model would say if its layers ended at each depth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Kind
from core.studies.lessons.layers import Lens, decoder_lens, encoder_lens
from core.studies.lessons.layers import formula as lens_formula
from core.studies.lessons.of_sentence import sentence_lens
from pages.frame import layout, session, tour
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks
from pages.views.lessons.stacks import Place
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix

STACK = "lens_stack"
"""Name of the chosen stack in the URL."""


@dataclass(frozen=True, slots=True)
class _Guesses:
    """The best guess at every depth of every position, as words."""

    words: list[list[str]]
    echo_LK: NDArray[np.bool_]
    """True where a guess only repeats what the decoder was fed.

    With tied embeddings a vector that no layer has changed yet is most like its own token. Of an
    encoder, which nobody asks for the next token, that is what is to be seen.
    """
    asked_LK: NDArray[np.bool_]
    """True where a stop of a tour asks for the guess and does not show it yet."""


def ask(opened: Opened) -> Place:
    """Ask for a stack and a position; within a row."""
    stack, tokens = stacks.ask(opened, STACK, "decoder")
    usual = None
    if not missing(opened.run.settings, (Need.NEXT, Need.OWN_VECTORS)):
        recipe = Recipe(sentence_lens, opened.path, opened.sentence, stack)
        usual = recipe.result().result.decided_last
    position = stacks.ask_position(opened, stack, session.LENS_POSITION, usual)
    return Place(stack, position, tokens[position])


def draw(opened: Opened, place: Place) -> Shown:
    """Draw the model's best guess at every depth for every position."""
    recipe = Recipe(sentence_lens, opened.path, opened.sentence, place.stack)
    found = recipe.result().result
    guesses = _guesses(opened, found, place)
    picture = stacks.matrix(
        opened,
        place.stack,
        _map(opened, found, guesses, place),
        (len(guesses.words) - 1, place.position),
        "lens",
        lambda _row: {session.LENS_POSITION: None},
    )
    [followed] = _texts(opened, [found.followed_K[place.position]])
    if not tour.keeps_back():
        with (
            st.container(key=layout.FOLLOWED),
            st.expander(_("This position, depth by depth"), type="compact"),
        ):
            _table(found, guesses, followed, place.position)
    return Shown(
        name=f"lens_{place.stack}",
        title=_title(place),
        seen=_seen(found, guesses, followed, place),
        recipe=recipe,
        code=(decoder_lens, encoder_lens),
        pictures=[picture],
        formula=lens_formula(opened.run.model, place.stack),
    )


def _guesses(opened: Opened, found: Lens, place: Place) -> _Guesses:
    echo_LK, asked_LK = np.zeros((2, *found.best_LK.shape), dtype=np.bool_)
    if Kind.self_of(place.stack).causal:
        fed_K = np.asarray(opened.inspection.translation.fed_ids)
        # The last depth is what the model says.
        echo_LK[:-1] = found.best_LK[:-1] == fed_K
    asked_LK[:-1, place.position] = tour.keeps_back()
    return _Guesses([_texts(opened, depth) for depth in found.best_LK], echo_LK, asked_LK)


def _title(place: Place) -> str:
    return {
        "encoder": _("The token with the largest dot product after each encoder layer"),
        "decoder": _("The most probable next token after each decoder layer"),
    }[place.stack]


def _seen(found: Lens, guesses: _Guesses, followed: str, place: Place) -> str:
    """Say from which depth on a position's last guess is made."""
    position, decided = place.position, found.decided(place.position)
    causal = Kind.self_of(place.stack).causal
    where = _("After **{token}**") if causal else _("At **{token}**")
    before = guesses.words[-2][position] if len(guesses.words) > 1 else ""
    if decided is None:
        rank = int(found.followed_rank_LK[-1, position])
        text = n_(
            "{where}, {n} other token is a better guess than **{word}** in the end.",
            "{where}, {n} other tokens are better guesses than **{word}** in the end.",
            rank,
        )
        share, name = "", ""
    else:
        rank = 0
        share = plain(percent(float(found.followed_probability_LK[decided, position])))
        name = explained(found.names[decided])
        text = _("{where}, **{word}** is the best guess from “{name}” on (**{share}** there).")
        if decided == 0:
            text = _("{where}, **{word}** is the best guess from the embedding on ({share}).")
        elif decided == len(found.names) - 1:
            text = _(
                "{where}, the last layer is the first to guess **{word}** (**{share}**); one layer "
                "earlier the guess is **{before}**."
            )
            if guesses.echo_LK[:-1, position].all():
                text = _(
                    "{where}, the last layer is the first to guess **{word}** (**{share}**); "
                    "before it the model only repeats **{before}**."
                )
    return text.format(
        where=where.format(token=plain(place.token.text)),
        word=plain(followed),
        before=plain(before),
        name=name,
        share=share,
        n=number(rank),
    )


def _map(opened: Opened, found: Lens, guesses: _Guesses, place: Place) -> Matrix:
    hidden_LK = guesses.echo_LK | guesses.asked_LK
    legend = _("only repeats the word fed")
    if guesses.asked_LK.any():
        legend = _("“?”: to be predicted; the others only repeat the word fed")
    texts = [
        ["?" if asked else text for text, asked in zip(row, row_asked, strict=True)]
        for row, row_asked in zip(guesses.words, guesses.asked_LK.tolist(), strict=True)
    ]
    return Matrix(
        title=_title(place),
        values=found.best_probability_LK.astype(np.float32),
        rows=Axis(
            name=_("read after"), labels=[TokenLabel(explained(name)) for name in found.names]
        ),
        columns=stacks.axis(opened, place.stack),
        texts=texts,
        visible=~hidden_LK if hidden_LK.any() else None,
        hidden=legend,
        grey_words=True,
        value_name=_("probability"),
    )


def _table(found: Lens, guesses: _Guesses, followed: str, position: int) -> None:
    """Tabulate one position: how the token that is followed rises through depth."""
    shares = _("probability of {token}").format(token=f"“{plain(followed)}”")
    st.table(
        {
            _("read after"): list(map(explained, found.names)),
            _("best guess"): [plain(words[position]) for words in guesses.words],
            _("its probability"): _shares(found.best_probability_LK[:, position]),
            shares: _shares(found.followed_probability_LK[:, position]),
            _("more probable tokens"): found.followed_rank_LK[:, position].tolist(),
            _("entropy, nats"): _numbers(found.entropy_LK[:, position]),
            _("KL from the last, nats"): _numbers(found.divergence_LK[:, position]),
        },
        border="horizontal",
        hide_index=True,
    )


def _shares(values_L: NDArray[np.float64]) -> Sequence[str]:
    # Markdown would make a quotation of "> 99.999 %".
    return [plain(percent(value)) for value in values_L.tolist()]


def _numbers(values_L: NDArray[np.float64]) -> Sequence[str]:
    return [number(value, padded=False) for value in values_L.tolist()]


def _texts(opened: Opened, ids: Iterable[int]) -> list[str]:
    return [token.text for token in opened.run.tokenizer.describe([int(i) for i in ids])]
