"""Tokens as vectors: how similar they are, the vocabulary as points, and their lengths."""

import math
from functools import partial
from typing import get_args

import numpy as np
import streamlit as st

from core.config.choices import Positions, SinusoidalPositions
from core.heads import Stack
from core.model.positional import Embedding
from core.studies.lessons.embeddings import (
    TokenVectors,
    nearest,
    nearest_words,
    random_pair_cosine,
    sentence_vectors,
    telling_word,
)
from core.studies.lessons.of_sentence import OfSentence
from core.studies.lessons.positions import Norms, norms
from pages.frame import clicks, components
from pages.frame.cached import ModelOf
from pages.frame.charts import chart
from pages.frame.language import N_, _, joined, listed, number, plain, short
from pages.frame.maps import labels
from pages.frame.needs import Need
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, row
from pages.frame.view import Shown
from pages.views.lessons import pieces, stacks, vocabulary
from pages.views.lessons.stacks import Place
from viz.charts.bars import bars
from viz.charts.curves import Quantity
from viz.component.standalone import Drawn
from viz.direction import isolated
from viz.plane.matrices import Axis, Matrices, Matrix

NEEDS = {"lengths": (Need.SOURCE, Need.OWN_MODULES, Need.SCALED_TOKENS)}
SIMILARITY, POSITION = "vectors", "vectors_position"
"""Key of the map of cosines, and name of the chosen position in the URL."""
FEW = 18
"""Tokens that leave room for a number in each cell."""
N_NAMED = 3
"""Most similar tokens that the line names."""
TIED = {
    "all": N_("all embeddings and the output are one matrix"),
    "target": N_("target embedding and output are one matrix"),
    "embeddings": N_("both embeddings are one matrix, the output has its own"),
    "none": N_("every embedding and the output have their own matrix"),
}


def draw(opened: Opened) -> Shown:
    """Draw how similar the sentence's tokens are, the vocabulary, or the lengths that add up."""
    with row():
        pictures = {
            "angles": _("similarity"),
            "points": _("points"),
            "lengths": _("lengths"),
            "pieces": _("pieces"),
        }
        shown = stacks.ask_picture(opened, "embedding_shown", pictures, NEEDS)
        if shown in ("angles", "points"):
            usual = partial(_usual, opened)
            place = stacks.ask_place(opened, "vectors_stack", POSITION, usual=usual)
            ids = _ids(opened, place.stack)
        if shown == "pieces":
            typed = pieces.ask(opened)
    if shown == "pieces":
        return pieces.draw(opened, typed)
    if shown == "lengths":
        return _lengths(opened)
    if shown == "points":
        return vocabulary.draw(opened, place.stack, ids[place.position])
    stack, position = place.stack, place.position
    recipe = Recipe(sentence_vectors, opened.writer, opened.sentence, stack, position)
    found = recipe.result()
    left, right = st.columns([2, 3], gap="medium")
    with left:
        drawn = [_nearest(found, place.token)]
    with right:
        drawn.append(_map(opened, place, ids, found))
    tied = _("In this model {tied}.").format(tied=_(TIED[opened.run.settings.model.tied]))
    st.caption(tied)
    return Shown(
        name=f"embedding_{stack}",
        title=_("How similar the tokens’ vectors are"),
        recipe=recipe,
        seen=_seen(opened, place, ids, found),
        code=(TokenVectors, nearest, nearest_words, random_pair_cosine),
        pictures=drawn,
    )


def _ids(opened: Opened, stack: Stack) -> tuple[int, ...]:
    written = opened.inspection.translation
    return {"encoder": written.source_ids, "decoder": written.fed_ids}[stack]


def _usual(opened: Opened, stack: Stack) -> int | None:
    """Return the position to begin with: of a word with others that are used alike."""
    return Recipe(telling_word, opened.writer, opened.sentence, stack).result()


def _map(
    opened: Opened, place: Place, ids: tuple[int, ...], found: OfSentence[TokenVectors]
) -> Drawn:
    """Draw the cosines of the sentence's tokens; a click chooses the token of the row."""
    vectors = found.result
    once = labels(
        [place.tokens[ids.index(token)] for token in vectors.ids], opened.inspection.unknown_words
    )
    axis = Axis(name=_("token"), labels=once, side=place.side)
    cosine_NN = vectors.cosine_NN
    others = ~np.eye(len(once), dtype=bool)
    between = np.abs(cosine_NN[others])
    # A cosine somewhat below 0 is a right angle to the eye.
    has_opposites = cosine_NN[others].min(initial=0.0) < -between.max(initial=0.0) / 2
    written = [[number(each, 2) for each in line] for line in cosine_NN.tolist()]

    def take() -> None:
        if pick := clicks.picked(SIMILARITY):
            at = ids.index(vectors.ids[pick["row"]])
            clicks.pin(place.side, at, {POSITION: None})

    shown = Matrix(
        title=_("Cosine between the vectors of the sentence’s tokens"),
        values=cosine_NN.astype(np.float32),
        rows=axis,
        columns=axis,
        # Each token is like itself: the scale is that of the others.
        visible=others,
        hidden=_("itself"),
        scale="signed" if has_opposites else "weight",
        limit=max(math.ceil(100 * between.max(initial=0.0)) / 100, 0.01),
        texts=written if len(once) <= FEW else None,
        value_name=_("cosine"),
    )
    chosen = vectors.ids.index(ids[place.position])
    selected = (0, chosen, chosen)
    return components.show(
        Matrices(panels=[shown], selected=selected), key=SIMILARITY, on_pick=take
    )


def _nearest(found: OfSentence[TokenVectors], token: str) -> Drawn:
    """Draw what is most similar to a token in the whole vocabulary."""
    near, texts = found.result.nearest, found.tokens["neighbour"]
    title = _("Most similar to “{token}” in the whole vocabulary").format(token=isolated(token))
    return chart(
        bars(
            {_("cosine"): [each.cosine for each in near]},
            [texts[each.token] for each in near],
            value=Quantity(_("cosine"), write=partial(number, digits=2)),
            title=title,
        )
    )


def _seen(
    opened: Opened, place: Place, ids: tuple[int, ...], found: OfSentence[TokenVectors]
) -> str:
    """Say what is most similar to a token, and whether that is more than chance."""
    near, texts = found.result.nearest[:N_NAMED], found.tokens["neighbour"]
    usual = Recipe(random_pair_cosine, ModelOf(opened.path), place.stack).result()
    n_tokens, width = opened.run.model.embedding(place.stack).tokens.weight.shape
    # Among as many random directions, beside what all share, one as near is found by chance.
    by_chance = usual + (1 - usual) * math.sqrt(2 * math.log(n_tokens) / width)
    one = _("**{token}** ({cosine})")
    words = listed(
        one.format(token=plain(texts[each.token]), cosine=number(each.cosine, 2)) for each in near
    )
    text = _(
        "Most similar to “{token}” are {words}, by cosine; for two random tokens it is {usual} on "
        "average."
    )
    if near[0].cosine <= by_chance:
        text = _(
            "Most similar to “{token}” are {words}, by cosine, no more than by chance; for two "
            "random tokens it is {usual} on average."
        )
    said = text.format(token=plain(place.token), words=words, usual=number(usual, 2))
    return joined([said, _closest_here(place, ids, found.result)])


def _closest_here(place: Place, ids: tuple[int, ...], vectors: TokenVectors) -> str:
    """Say which other token of the sentence is most similar to the chosen one."""
    chosen = vectors.ids.index(ids[place.position])
    cosine_N = vectors.cosine_NN[chosen].copy()
    cosine_N[chosen] = -np.inf
    if len(cosine_N) < 2:
        return ""
    at = int(cosine_N.argmax())
    return _("In this sentence, “{other}” is closest ({cosine}).").format(
        other=plain(place.tokens[ids.index(vectors.ids[at])].text),
        cosine=number(float(cosine_N[at]), 2),
    )


def _lengths(opened: Opened) -> Shown:
    recipe = Recipe(norms, opened.writer, opened.sentence)
    found = recipe.result()
    title = _("Mean length of the vectors that are added")
    names = [_("token"), _("position"), _("token × √d_model")]
    plain_mean, scaled, position = found.means
    value = Quantity(_("length of the vector (Euclidean norm)"), write=short)
    picture = bars({value.name: [plain_mean, position, scaled]}, names, value=value, title=title)
    return Shown(
        name="lengths",
        title=title,
        question=_("What does multiplying by √d_model change?"),
        recipe=recipe,
        seen=_longer(found),
        code=[Embedding],
        pictures=[chart(picture)],
        formula=_sum(opened.run.settings.model.positions),
    )


def _sum(positions: Positions) -> str:
    r"""Return what is added up, in LaTeX; all sinusoids of a width have the same length.

    >>> _sum("learned").count("learned"), r"\lVert" in _sum("halves")
    (1, True)
    """
    tokens = r"x_p = \sqrt{d_{model}}\; e_{token} + "
    if positions == "learned":
        return rf"{tokens}P_p, \qquad P_p \text{{ is learned}}"
    added = rf"{tokens}\mathrm{{PE}}(p)"
    if positions not in get_args(SinusoidalPositions):
        return added
    length = r"\lVert \mathrm{PE}(p) \rVert = \sqrt{\tfrac{d_{model}}{2}}"
    return rf"{added}, \qquad {length}"


def _longer(found: Norms) -> str:
    """Say which of the two vectors that are added is longer, without the factor and with it."""
    token, scaled, position = found.means
    text = _(
        "A token’s vector has length {token}, its position’s {position}. Multiplied by √d_model, "
        "the token’s has **{scaled}**."
    )
    if token < position < scaled:
        text = _(
            "Without the factor √d_model the position ({position}) would drown the token "
            "({token}); with it, the token (**{scaled}**) is the longer one."
        )
    return text.format(token=short(token), position=short(position), scaled=short(scaled))
