"""The logit lens: what the model would say if its layers ended at each depth."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Kind, Stack
from core.studies.lessons.layers import Lens, decoder_lens, encoder_lens
from core.studies.lessons.layers import formula as lens_formula
from core.tokenizer.tokenizer import Token
from pages.frame import cached, layout, session, tour
from pages.frame.language import _, n_, number, percent, plain
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrix

_LENSES: Mapping[Stack, tuple[Callable[..., Lens], tuple[str, ...]]] = {
    "encoder": (encoder_lens, ("source_ids",)),
    "decoder": (decoder_lens, ("source_ids", "fed_ids")),
}
"""What reads a stack, and what of a translation it is given."""


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Cells of which the colour is not shown."""

    echo_LK: NDArray[np.bool_]
    asked_LK: NDArray[np.bool_]
    """Their words are not shown either."""


def draw(opened: Opened) -> Shown:
    """Show the model's best guess at every depth for every position."""
    with st.container(horizontal=True, vertical_alignment="center"):
        stack, tokens = stacks.ask(opened, "lens_stack", "decoder")
        found = _read(opened, stack)
        position = stacks.ask_position(opened, stack, session.LENS_POSITION, found.decided_last)
    guesses = [_texts(opened, depth) for depth in found.best_LK]
    echo_LK = _echo(opened, found, stack)
    picture = stacks.matrix(
        opened,
        stack,
        _map(opened, found, guesses, stack, _asked(echo_LK, position)),
        (len(guesses) - 1, position),
        session.LENS,
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
        seen=_seen(found, tokens[position].text, best, followed, position, echo_LK),
        numbers=lambda: _numbers(opened, found, guesses, tokens),
        python=_python(opened, stack),
        code=(decoder_lens, encoder_lens),
        pictures=[picture],
        formula=lens_formula(opened.run.model, stack),
        tries=(
            _(
                "Decoder: with tied embeddings the lens first shows the fed word. Where does the "
                "next one take over?"
            ),
            _("A sentence with a pronoun: in which layer is its form decided?"),
            *(
                [_("Encoder: nothing asks it for words; read how long a token stays what it was.")]
                if "encoder" in opened.run.model.config.stacks
                else []
            ),
        ),
    )


def _read(opened: Opened, stack: Stack) -> Lens:
    lens, given = _LENSES[stack]
    ids = opened.inspection.translation
    return cached.of_model(lens, opened.path, *(getattr(ids, name) for name in given))


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


def _numbers(
    opened: Opened, found: Lens, guesses: Sequence[Sequence[str]], tokens: tuple[Token, ...]
) -> Columns:
    """Return a row for each depth and position."""
    depths, positions = np.indices(found.best_LK.shape).reshape(2, -1).tolist()
    followed = _texts(opened, found.followed_K)
    return {
        "after": [found.names[depth] for depth in depths],
        "position": positions,
        "token": [tokens[position].text for position in positions],
        "best_guess": [guess for depth in guesses for guess in depth],
        "its_probability": found.best_probability_LK.reshape(-1).tolist(),
        "token_followed": [followed[position] for position in positions],
        "its_probability_followed": found.followed_probability_LK.reshape(-1).tolist(),
        "more_probable_tokens": found.followed_rank_LK.reshape(-1).tolist(),
        "entropy": found.entropy_LK.reshape(-1).tolist(),
        "divergence_from_last": found.divergence_LK.reshape(-1).tolist(),
    }


def _python(opened: Opened, stack: Stack) -> str:
    lens, given = _LENSES[stack]
    read, ids = lens.__name__, ", ".join(f"translation.{name}" for name in given)
    return stacks.python(
        opened,
        [f"from core.studies.lessons.layers import {read}"],
        f"lens = {read}(run.model, {ids})",
        "numbers = {",
        '    "its_probability": lens.best_probability_LK,',
        '    "its_probability_followed": lens.followed_probability_LK,',
        '    "more_probable_tokens": lens.followed_rank_LK,',
        '    "entropy": lens.entropy_LK,',
        '    "divergence_from_last": lens.divergence_LK,',
        "}",
    )


def _texts(opened: Opened, ids: Iterable[int]) -> list[str]:
    return [token.text for token in opened.run.tokenizer.describe([int(i) for i in ids])]
