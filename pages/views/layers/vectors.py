"""Tokens as vectors: one-hot ones are all at right angles, learned ones are not."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Kind, Stack
from core.studies.lessons.embeddings import (
    N_PAIRS,
    Neighbour,
    TokenVectors,
    nearest,
    token_vectors,
    usual_angle,
)
from core.tokenizer.tokenizer import Token
from pages.frame import cached, session
from pages.frame.components import matrices
from pages.frame.language import _, number, plain
from pages.frame.listed import listed
from pages.frame.maps import labels
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown
from pages.views.layers import stacks
from viz.plane.matrices import Axis, Matrices, Matrix

_READ: Mapping[Stack, str] = {"encoder": "source_ids", "decoder": "fed_ids"}
"""What of a translation a stack reads."""
N_NEAREST = 6
"""So many tokens of the vocabulary are named."""
_FEW = 18
"""So many tokens have room for an angle in each cell."""


def draw(opened: Opened) -> Shown:
    """Show the angles of the sentence's tokens, one-hot and learned, and what is near one."""
    translation = opened.inspection.translation
    with st.container(horizontal=True, vertical_alignment="center"):
        stack, tokens = stacks.ask(opened, "vectors_stack", opened.run.model.config.stacks[0])
        ids = getattr(translation, _READ[stack])[: len(tokens)]
        found = cached.of_model(token_vectors, opened.path, stack, ids)
        first, _second = found.closest() or (0, 0)
        usual = ids.index(found.ids[first])
        position = stacks.ask_position(opened, stack, session.VECTORS_POSITION, usual)
    near = cached.of_model(nearest, opened.path, stack, ids[position], N_NEAREST)
    st.markdown(_near(opened, stack, tokens[position], near))
    names = [tokens[ids.index(token)] for token in found.ids]
    pictures = [matrices(Matrices(panels=_panels(opened, stack, found, names)), key="vectors")]
    return Shown(
        name=f"vectors_{stack}",
        title=_("Angles between token vectors"),
        seen=_seen(found, names, cached.of_model(usual_angle, opened.path, stack)),
        numbers=lambda: _numbers(found, names),
        python=stacks.python(
            opened,
            ["from core.studies.lessons.embeddings import token_vectors"],
            f'found = token_vectors(run.model, "{stack}", translation.{_READ[stack]})',
            'numbers = {"angle": found.angle_NN, "cosine": found.cosine_NN, "dot": found.dot_NN}',
        ),
        code=(TokenVectors, token_vectors, nearest, usual_angle),
        pictures=pictures,
        formula=r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert\, \lVert b \rVert}, \qquad "
        r"\text{one-hot: } e_i \cdot e_j = 0 \text{ for } i \ne j",
        how_to_read=_(
            "A dot product is the length of one vector times that of the other times the cosine of "
            "their angle: 0 at 90°, below 0 beyond. Compared are rows of the embedding matrix, "
            "as they are stored."
        ),
        tries=(
            _("Type: The cat ate an apple and the dog slept. Are cat and dog closer than apple?"),
            _("An untrained model: all angles are close to 90°, as of random directions."),
        ),
    )


def _panels(
    opened: Opened, stack: Stack, found: TokenVectors, names: Sequence[Token]
) -> list[Matrix]:
    side = Kind.self_of(stack).query_side
    axis = Axis(name=_("token"), labels=labels(names, opened.inspection.unknown_words), side=side)

    def panel(title: str, cosine_NN: NDArray[np.float64], note: str) -> Matrix:
        angles = [list(map(_degrees, row)) for row in np.degrees(np.arccos(cosine_NN)).tolist()]
        return Matrix(
            title=title,
            values=cosine_NN.astype(np.float32),
            rows=axis,
            columns=axis,
            scale="signed",
            limit=1.0,
            texts=angles if len(names) <= _FEW else None,
            details=angles,
            value_name=_("cosine"),
            note=note,
        )

    return [
        panel(_("One-hot"), np.eye(len(names)), _("Every two different tokens: 90°.")),
        panel(_("Learned"), found.cosine_NN, _("Training decided the angles.")),
    ]


def _degrees(angle: float) -> str:
    return f"{number(round(angle))}°"


def _seen(found: TokenVectors, names: Sequence[Token], usual: float) -> str:
    """Say which two tokens of the sentence are closest."""
    pair = found.closest()
    if pair is None:
        return _("There is one token only, and nothing to compare it with.")
    row, column = pair
    text = _(
        "One-hot, any two words stand at 90°. Learned, **{one}** and **{other}** are closest: "
        "**{angle}** (cosine {cosine}). Two tokens drawn at random: {usual} on average "
        "(n = {n})."
    )
    return text.format(
        one=plain(names[row].text),
        other=plain(names[column].text),
        angle=_degrees(found.angle_NN[pair]),
        cosine=number(found.cosine_NN[pair], 2),
        usual=_degrees(usual),
        n=number(N_PAIRS),
    )


def _near(opened: Opened, stack: Stack, token: Token, near: Sequence[Neighbour]) -> str:
    """Say which tokens of the whole vocabulary are nearest to one."""
    tokenizers = {"encoder": opened.run.tokenizer, "decoder": opened.run.target_tokenizer}
    named = tokenizers[stack].describe([each.token for each in near])
    one = _("{token} ({cosine})")
    said = listed(
        one.format(token=plain(name.text), cosine=number(each.cosine, 2))
        for name, each in zip(named, near, strict=True)
    )
    text = _("Nearest to **{token}** in the whole vocabulary, by cosine: {said}.")
    return f":small[{text.format(token=plain(token.text), said=said)}]"


def _numbers(found: TokenVectors, names: Sequence[Token]) -> Columns:
    """Return a row for each pair of tokens."""
    rows, columns = np.indices(found.dot_NN.shape).reshape(2, -1).tolist()
    return {
        "row_token": [names[row].text for row in rows],
        "column_token": [names[column].text for column in columns],
        "angle": found.angle_NN.reshape(-1).tolist(),
        "cosine": found.cosine_NN.reshape(-1).tolist(),
        "dot": found.dot_NN.reshape(-1).tolist(),
    }
