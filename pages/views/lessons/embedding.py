"""Tokens as vectors: one-hot and learned ones, times √d_model, and what shares their matrix."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.heads import Kind, Stack
from core.model.positional import Embedding
from core.studies.lessons.embeddings import (
    N_PAIRS,
    Neighbour,
    TokenVectors,
    nearest,
    usual_angle,
)
from core.studies.lessons.of_sentence import sentence_vectors
from core.studies.lessons.positions import Norms, norms
from core.tokenizer.tokenizer import Token
from pages.frame import cached, controls, selection
from pages.frame.cached import ModelOf
from pages.frame.charts import chart
from pages.frame.components import matrices
from pages.frame.language import N_, _, n_, number, plain, short
from pages.frame.maps import labels
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from pages.views.lessons import stacks, vocabulary
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrices, Matrix

NEEDS = {"lengths": (Need.SOURCE, Need.SCALED_TOKENS)}
N_NEAREST = 6
"""Tokens of the vocabulary that are named."""
FEW = 18
"""Tokens that leave room for an angle in each cell."""
TOKENS_DRAWN = 14
"""Tokens whose bars fit on the first screen."""
TIED = {
    "all": N_("all embeddings and the output are one matrix"),
    "target": N_("target embedding and output are one matrix"),
    "embeddings": N_("both embeddings are one matrix, the output has its own"),
    "none": N_("every embedding and the output have their own matrix"),
}


def draw(opened: Opened) -> Shown:
    """Draw the angles of the sentence's tokens, the vocabulary, or the lengths that are added."""
    with selection.row():
        pictures = {"angles": _("angles"), "points": _("points"), "lengths": _("lengths")}
        shown = stacks.ask_picture(opened, "embedding_shown", pictures, NEEDS)
        if shown != "lengths":
            stack, tokens = stacks.ask(opened, "vectors_stack", opened.run.model.config.stacks[0])
            ids = _ids(opened, stack)
            recipe = Recipe(sentence_vectors, opened.path, opened.sentence, stack)
            found = recipe.result().result
            first, _second = found.closest() or (0, 0)
            usual = ids.index(found.ids[first])
            position = stacks.ask_position(opened, stack, "vectors_position", usual)
        if shown == "points":
            n_dimensions = vocabulary.ask_dimensions()
    tied = _("In this model {tied}.").format(tied=_(TIED[opened.run.settings.model.tied]))
    if shown == "lengths":
        st.caption(tied)
        return _lengths(opened)
    if shown == "points":
        return vocabulary.draw(opened, stack, ids[position], n_dimensions)
    near = cached.call(nearest, ModelOf(opened.path), stack, ids[position], N_NEAREST)
    st.caption(f"{_near(opened, stack, tokens[position], near)} {tied}")
    names = [tokens[ids.index(token)] for token in found.ids]
    return Shown(
        name=f"embedding_{stack}",
        title=_("Angles between token vectors"),
        recipe=recipe,
        seen=_closest(found, names, cached.call(usual_angle, ModelOf(opened.path), stack)),
        code=(TokenVectors, nearest, usual_angle),
        pictures=[matrices(Matrices(panels=_panels(opened, stack, found, names)), key="vectors")],
    )


def _ids(opened: Opened, stack: Stack) -> tuple[int, ...]:
    written = opened.inspection.translation
    return {"encoder": written.source_ids, "decoder": written.fed_ids}[stack]


def _panels(opened: Opened, stack: Stack, found: TokenVectors, names: list[Token]) -> list[Matrix]:
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
            texts=angles if len(names) <= FEW else None,
            details=angles,
            value_name=_("cosine"),
            note=note,
        )

    return [
        panel(_("Learned"), found.cosine_NN, _("Training decided the angles.")),
        panel(_("One-hot"), np.eye(len(names)), _("Every two different tokens: 90°.")),
    ]


def _degrees(angle: float) -> str:
    return f"{number(round(angle))}°"


def _closest(found: TokenVectors, names: list[Token], usual: float) -> str:
    """Say which two tokens of the sentence are closest."""
    pair = found.closest()
    if pair is None:
        return _("There is one token only, and nothing to compare it with.")
    row, column = pair
    text = _(
        "Of the learned vectors those of **{one}** and **{other}** are closest: **{angle}**. "
        "One-hot vectors always stand at 90°, two learned ones drawn at random at {usual} on "
        "average (n = {n})."
    )
    return text.format(
        one=plain(names[row].text),
        other=plain(names[column].text),
        angle=_degrees(found.angle_NN[pair]),
        usual=_degrees(usual),
        n=number(N_PAIRS),
    )


def _near(opened: Opened, stack: Stack, token: Token, near: tuple[Neighbour, ...]) -> str:
    """Say which tokens of the whole vocabulary are nearest to one."""
    tokenizers = {"encoder": opened.run.tokenizer, "decoder": opened.run.target_tokenizer}
    named = tokenizers[stack].describe([each.token for each in near])
    names, cosines = [name.text for name in named], [each.cosine for each in near]
    return vocabulary.nearest_tokens(token.text, names, cosines)


def _lengths(opened: Opened) -> Shown:
    recipe = Recipe(norms, opened.path, opened.sentence)
    found, config = recipe.result(), opened.run.settings.model
    first, n_tokens = 0, len(found.tokens)
    if n_tokens > TOKENS_DRAWN:
        first = controls.amount(_("First token"), "pe_token", 0)
        first = max(0, min(first, n_tokens - TOKENS_DRAWN))
    learned = config.positions == "learned"
    return Shown(
        name="lengths",
        title=_("How long the two vectors are that are added, token by token"),
        recipe=recipe,
        seen=_longer(found, config.d_model),
        code=[Embedding],
        pictures=[chart(_bars(found, slice(first, first + TOKENS_DRAWN)))],
        formula=r"x_p = \sqrt{d_{model}}\; e_{token} + P_p, \qquad P_p \text{ is learned}"
        if learned
        else r"x_p = \sqrt{d_{model}}\; e_{token} + \mathrm{PE}(p), \qquad "
        r"\lVert \mathrm{PE}(p) \rVert = \sqrt{\tfrac{d_{model}}{2}}",
    )


def _bars(found: Norms, part: slice) -> Chart:
    series = {
        _("token"): found.plain_S,
        _("token × √d_model"): found.scaled_S,
        _("position"): found.positions_S,
    }
    texts = [f"{place} {isolated(token.text)}" for place, token in enumerate(found.tokens)]
    return bars(
        {name: norms_S[part].tolist() for name, norms_S in series.items()},
        texts[part],
        value=Quantity(_("length of the vector (Euclidean norm)")),
        title=_("How long the two vectors are that are added, token by token"),
    )


def _longer(found: Norms, d_model: int) -> str:
    plain_mean, scaled, position = found.means
    before, after = found.ratios
    return n_(
        "A position’s vector ({position}) is **{before}** times as long as the token’s ({plain}). "
        "Multiplied by √{d} the token’s becomes {scaled}, and the position’s is **{after}** times "
        "as long.",
        "A position’s vector ({position}) is **{before}** times as long as a token’s ({plain}). "
        "Multiplied by √{d} the token’s becomes {scaled}, and the position’s is **{after}** times "
        "as long: means over {n} tokens.",
        len(found.tokens),
    ).format(
        n=number(len(found.tokens)),
        d=number(d_model),
        plain=short(plain_mean),
        scaled=short(scaled),
        position=short(position),
        before=short(before),
        after=short(after),
    )
