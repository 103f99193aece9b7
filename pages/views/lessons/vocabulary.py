"""The vocabulary as points: its vectors in two of all dimensions, and what is near."""

import streamlit as st

from core.heads import Kind, Stack
from core.studies.lessons.embeddings import (
    Near,
    VocabularyMap,
    nearest,
    principal_components,
    vocabulary_map,
)
from pages.frame import session
from pages.frame.charts import plotly_chart, selected_points
from pages.frame.language import _, listed, number, percent, plain, signs
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.session import position
from pages.frame.view import Shown
from viz import theme
from viz.charts.plotly_figures import Figure, Points, scatter

MAP, SELECTED = "vocabulary", "words"
"""Keys of the figure, and of the selected tokens' ids in the URL."""
MOST_LISTED = 8
"""Selected tokens whose neighbours are named."""


def draw(opened: Opened, stack: Stack, usual: int) -> Shown:
    """Draw a vocabulary, and name what is nearest to the tokens that are selected in it.

    Args:
        opened: The run and the sentence.
        stack: By which the tokens are read.
        usual: Id of the token whose neighbours are named where none is selected.
    """
    session.belongs_to(SELECTED, f"{opened.path}\n{stack}\n{opened.sentence}")
    n_tokens, width = opened.run.model.embedding(stack).tokens.weight.shape
    selected = _ids(session.linked(SELECTED), n_tokens)
    recipe = Recipe(vocabulary_map, opened.path, opened.sentence, stack, selected or (usual,))
    found = recipe.result()
    figure = _figure(found, stack)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        picture = plotly_chart(figure, MAP, _take)
    with right:
        for near in found.near:
            st.markdown(_nearest(near))
        if not selected:
            st.caption(_("Draw a line around points to see their neighbours."))
    return Shown(
        name=f"vocabulary_{stack}",
        title=_("The vocabulary as points"),
        recipe=recipe,
        seen=_seen(found, width),
        code=(principal_components, nearest),
        pictures=[picture],
    )


def _ids(written: str | None, n_tokens: int) -> tuple[int, ...]:
    ids = (position(each, n_tokens) for each in (written or "").split(","))
    return tuple(dict.fromkeys(each for each in ids if each is not None))[:MOST_LISTED]


def _take() -> None:
    ids = selected_points(MAP)[:MOST_LISTED]
    session.choose({SELECTED: ",".join(map(str, ids)) or None})


def _figure(found: VocabularyMap, stack: Stack) -> Figure:
    colour = theme.SOURCE if Kind.self_of(stack).query_side == "source" else theme.TARGET
    in_sentence = [token in found.sentence for token in found.ids]

    def group(name: str, inside: bool) -> Points:
        at = [place for place, each in enumerate(in_sentence) if each is inside]
        return Points(
            found.points_N2[at],
            [found.texts[place] for place in at],
            [found.ids[place] for place in at],
            name,
            colour if inside else theme.QUIET,
            labelled=inside,
        )

    axis = _("component {n} ({share})")
    x, y = (axis.format(n=number(at), share=percent(each)) for at, each in enumerate(found.shares))
    return scatter(
        [group(_("other tokens"), False), group(_("the sentence"), True)],
        (x, y),
        title=_("The vocabulary as points"),
        signs=signs(),
    )


def _seen(found: VocabularyMap, width: int) -> str:
    """Say how much of the vectors' differences the picture holds."""
    text = _(
        "The {n} of {d_model} directions in which {tokens} token vectors differ most hold "
        "**{share}** of their variance."
    )
    return text.format(
        n=number(len(found.shares)),
        d_model=number(width),
        share=percent(sum(found.shares)),
        tokens=number(len(found.ids)),
    )


def _nearest(near: Near) -> str:
    """Say which tokens of the whole vocabulary are nearest to one."""
    one = _("{token} ({cosine})")
    said = listed(
        one.format(token=plain(name), cosine=number(cosine, 2))
        for name, cosine in zip(near.neighbours, near.cosines, strict=True)
    )
    text = _("Nearest to “{token}” in the whole vocabulary, by cosine: {said}.")
    return text.format(token=plain(near.token), said=said)
