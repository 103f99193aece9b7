"""The vocabulary as points: its vectors in two of all dimensions, and what is near."""

from collections.abc import Collection

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
from pages.frame.charts import plotly_chart
from pages.frame.language import _, joined, listed, number, percent, plain, signs
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


def draw(opened: Opened, stack: Stack, word: int) -> Shown:
    """Draw a vocabulary, and what is nearest to a word and to the tokens that are selected in it.

    Args:
        opened: The run and the sentence.
        stack: By which the tokens are read.
        word: Id of the token whose neighbours are marked.
    """
    session.belongs_to(SELECTED, f"{opened.path}\n{stack}\n{opened.sentence}")
    n_tokens = len(opened.run.model.embedding(stack).tokens.weight)
    selected = _ids(session.linked(SELECTED), n_tokens)
    recipe = Recipe(vocabulary_map, opened.path, opened.sentence, stack, word, selected)
    found = recipe.result()
    figure = _figure(found, stack, word)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        picture = plotly_chart(figure, MAP, _take)
    with right:
        for near in found.near:
            st.markdown(_nearest(near))
        if not selected:
            st.caption(_("Draw a line around points to read their neighbours, too."))
    return Shown(
        name=f"vocabulary_{stack}",
        title=_("The vocabulary as points"),
        question=_("Do similar words lie close together?"),
        recipe=recipe,
        seen=_seen(found),
        code=(principal_components, nearest),
        pictures=[picture],
    )


def _ids(written: str | None, n_tokens: int) -> tuple[int, ...]:
    ids = (position(each, n_tokens) for each in (written or "").split(","))
    return tuple(dict.fromkeys(each for each in ids if each is not None))[:MOST_LISTED]


def _take() -> None:
    points = session.component_value(MAP).selection["points"]
    ids = [int(point["customdata"]) for point in points[:MOST_LISTED]]
    session.choose({SELECTED: ",".join(map(str, ids)) or None})


def _figure(found: VocabularyMap, stack: Stack, word: int) -> Figure:
    own = theme.SOURCE if Kind.self_of(stack).query_side == "source" else theme.TARGET
    near, *_others = found.near
    neighbours = set(near.ids)
    others = set(found.ids) - neighbours - {word}

    def group(name: str, members: Collection[int], colour: theme.Rgb, *, labelled: bool) -> Points:
        at = [place for place, each in enumerate(found.ids) if each in members]
        return Points(
            found.points_N2[at],
            [found.texts[place] for place in at],
            [found.ids[place] for place in at],
            name,
            colour,
            labelled=labelled,
            small=members is others,
        )

    axis = _("component {n} ({share})")
    x, y = (axis.format(n=number(at), share=percent(each)) for at, each in enumerate(found.shares))
    return scatter(
        [
            group(_("all others"), others, theme.QUIET, labelled=False),
            group(_("most similar"), neighbours, theme.HEADS[1], labelled=True),
            group(near.token, {word}, own, labelled=True),
        ],
        (x, y),
        title=_("The vocabulary as points"),
        signs=signs(),
    )


def _seen(found: VocabularyMap) -> str:
    """Say how many of a word's neighbours lie near it, and that the picture may mislead."""
    near, share = found.near[0], sum(found.shares)
    total = len(near.ids)
    # By chance it is one of ten.
    answer = _("Some do") if found.n_near > 1 else _("No")
    if found.n_near > total / 2:
        answer = _("Yes") if found.n_near == total else _("Mostly")
    said = _(
        "{answer}: in this flat picture **{n} of the {total}** words most similar to “{token}” lie "
        "near it."
    ).format(
        answer=answer,
        n=number(found.n_near),
        total=number(total),
        token=plain(near.token),
    )
    text = _("Its two axes keep {share} of the differences between words.")
    if share < 0.5:
        text = _(
            "Its two axes keep only {share} of the differences between words, so distances can "
            "mislead."
        )
    return joined([said, text.format(share=percent(share))])


def _nearest(near: Near) -> str:
    """Say which tokens of the whole vocabulary are nearest to one."""
    one = _("{token} ({cosine})")
    said = listed(
        one.format(token=plain(name), cosine=number(cosine, 2))
        for name, cosine in zip(near.neighbours, near.cosines, strict=True)
    )
    text = _("Nearest to “{token}” in the whole vocabulary, by cosine: {said}.")
    return text.format(token=plain(near.token), said=said)
