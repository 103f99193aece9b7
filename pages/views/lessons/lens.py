"""The logit lens: what the model would say if its layers ended at each depth."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Kind, Stack
from core.studies.lessons.layers import Lens, decoder_lens, encoder_lens
from core.studies.lessons.layers import formula as lens_formula
from core.studies.lessons.of_sentence import OfSentence, sentence_lens
from core.tokenizer.tokenizer import Token
from pages.frame import layout, session, tour
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix


@dataclass(frozen=True, slots=True)
class Asked:
    """What of the lens is looked at."""

    stack: Stack
    tokens: tuple[Token, ...]
    recipe: Recipe[OfSentence[Lens]]
    position: int


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Cells whose colour is not shown."""

    echo_LK: NDArray[np.bool_]
    asked_LK: NDArray[np.bool_]
    """Their words are not shown either."""


def ask(opened: Opened) -> Asked:
    """Ask for a stack and a position; within a row."""
    stack, tokens = stacks.ask(opened, "lens_stack", "decoder")
    recipe = Recipe(sentence_lens, opened.path, opened.sentence, stack)
    usual = recipe.result().result.decided_last
    position = stacks.ask_position(opened, stack, session.LENS_POSITION, usual)
    return Asked(stack, tokens, recipe, position)


def draw(opened: Opened, asked: Asked) -> Shown:
    """Draw the model's best guess at every depth for every position."""
    found, stack, position = asked.recipe.result().result, asked.stack, asked.position
    guesses = [_texts(opened, depth) for depth in found.best_LK]
    echo_LK = _echo(opened, found, stack)
    picture = stacks.matrix(
        opened,
        stack,
        _map(opened, found, guesses, stack, _asked(echo_LK, position)),
        (len(guesses) - 1, position),
        "lens",
        lambda _row: {session.LENS_POSITION: None},
    )
    best = [row[position] for row in guesses]
    [followed] = _texts(opened, [found.followed_K[position]])
    if not tour.keeps_back():
        with st.container(key=layout.FOLLOWED):
            _table(found, best, followed, position)
    return Shown(
        name=f"lens_{stack}",
        title=_title(stack),
        seen=_seen(found, asked.tokens[position].text, best, followed, position, echo_LK),
        recipe=asked.recipe,
        code=(decoder_lens, encoder_lens),
        pictures=[picture],
        formula=lens_formula(opened.run.model, stack),
    )


def _title(stack: Stack) -> str:
    return {
        "encoder": _(
            "Logit lens, encoder: the token with the largest dot product after each layer"
        ),
        "decoder": _("Logit lens, decoder: the most probable next token after each layer"),
    }[stack]


def _echo(opened: Opened, found: Lens, stack: Stack) -> NDArray[np.bool_]:
    """Return where a guess only repeats what the decoder was fed; what it says in the end counts.

    With tied embeddings a vector that no layer has changed yet is most like its own token. Of an
    encoder, which nobody asks for the next token, it is what is to be seen.
    """
    echo_LK = np.zeros_like(found.best_LK, dtype=np.bool_)
    if Kind.self_of(stack).causal:
        fed_K = np.asarray(opened.inspection.translation.fed_ids)
        echo_LK[:-1] = found.best_LK[:-1] == fed_K
    return echo_LK


def _asked(echo_LK: NDArray[np.bool_], position: int) -> _Hidden:
    """Return what is hidden: echoes, and what a stop of a tour asks for and still keeps back."""
    asked_LK = np.zeros_like(echo_LK)
    asked_LK[:-1, position] = tour.keeps_back()
    return _Hidden(echo_LK & ~asked_LK, asked_LK)


def _seen(
    found: Lens,
    token: str,
    best: Sequence[str],
    followed: str,
    position: int,
    echo_LK: NDArray[np.bool_],
) -> str:
    """Say from which depth on a position's last guess is made."""
    before = best[-2] if len(best) > 1 else ""
    decided = found.decided(position)
    if decided is None:
        rank = int(found.followed_rank_LK[-1, position])
        text = n_(
            "At **{token}** {n} other token is a better guess than **{word}** in the end.",
            "At **{token}** {n} other tokens are better guesses than **{word}** in the end.",
            rank,
        )
        return text.format(token=plain(token), word=plain(followed), n=number(rank))
    text = _("At **{token}** the best guess is **{word}** from the embedding on, with {share}.")
    if decided == len(found.names) - 1:
        text = _(
            "At **{token}** the best guess is **{word}** only after {name}, the last, with "
            "**{share}**; one step earlier it is **{before}**."
        )
        if echo_LK[:-1, position].all():
            text = _(
                "At **{token}** the best guess is **{word}** only after {name}, the last, with "
                "**{share}**; until then it only repeats **{token}**."
            )
    elif decided:
        text = _(
            "At **{token}** the best guess is **{word}** from “{name}” on, there with **{share}**; "
            "before it, other tokens lead."
        )
    return text.format(
        token=plain(token),
        word=plain(followed),
        before=plain(before),
        name=explained(found.names[decided]),
        share=plain(percent(float(found.followed_probability_LK[decided, position]))),
    )


def _map(
    opened: Opened,
    found: Lens,
    guesses: Sequence[Sequence[str]],
    stack: Stack,
    hidden: _Hidden,
) -> Matrix:
    hidden_LK = hidden.echo_LK | hidden.asked_LK
    legend = _("only repeats the word fed")
    if hidden.asked_LK.any():
        legend = _("“?”: to be predicted; the others only repeat the word fed")
    texts = [
        ["?" if asked else text for text, asked in zip(row, row_asked, strict=True)]
        for row, row_asked in zip(guesses, hidden.asked_LK.tolist(), strict=True)
    ]
    return Matrix(
        title=_title(stack),
        values=found.best_probability_LK.astype(np.float32),
        rows=Axis(
            name=_("read after"), labels=[TokenLabel(explained(name)) for name in found.names]
        ),
        columns=stacks.axis(opened, stack),
        texts=texts,
        visible=~hidden_LK if hidden_LK.any() else None,
        hidden=legend,
        grey_words=True,
        value_name=_("probability"),
    )


def _table(found: Lens, best: Sequence[str], followed: str, position: int) -> None:
    """Tabulate one position: how the token that is followed rises through depth."""
    shares = _("probability of {token}").format(token=f"“{plain(followed)}”")
    st.table(
        {
            _("read after"): list(map(explained, found.names)),
            _("best guess"): [plain(guess) for guess in best],
            _("its probability"): _written(found.best_probability_LK[:, position], _share),
            shares: _written(found.followed_probability_LK[:, position], _share),
            _("more probable tokens"): found.followed_rank_LK[:, position].tolist(),
            _("entropy, nats"): _written(found.entropy_LK[:, position], _brief),
            _("KL from the last, nats"): _written(found.divergence_LK[:, position], _brief),
        },
        border="horizontal",
        hide_index=True,
    )


def _written(values_L: NDArray[np.float64], write: Callable[[float], str]) -> list[str]:
    return [write(value) for value in values_L.tolist()]


def _share(value: float) -> str:
    # Markdown would make a quotation of "> 99.999 %".
    return plain(percent(value))


def _brief(value: float) -> str:
    return number(value, padded=False)


def _texts(opened: Opened, ids: Iterable[int]) -> list[str]:
    return [token.text for token in opened.run.tokenizer.describe([int(i) for i in ids])]
