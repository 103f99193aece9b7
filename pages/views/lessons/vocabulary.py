"""The vocabulary as points: its vectors in two of all dimensions, and what is near."""

from collections.abc import Collection
from functools import partial

import streamlit as st

from core.heads import Kind, Stack
from core.studies.lessons.embeddings import (
    NEAR,
    Near,
    VocabularyMap,
    nearest,
    principal_components,
    vocabulary_map,
)
from pages.frame import clicks, session
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
HEIGHT = 424
"""Pixels of the figure: its lower axis stands on the first screen."""


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
    recipe = Recipe(vocabulary_map, opened.writer, opened.sentence, stack, word, selected)
    found = recipe.result()
    figure = _figure(found, stack, word)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        take = partial(clicks.take_points, MAP, SELECTED, MOST_LISTED)
        picture = plotly_chart(figure, MAP, take)
    with right:
        for near in found.near:
            st.markdown(_nearest(near))
        st.caption(
            _(
                "Similar: a large cosine between two vectors in all dimensions. It comes from how "
                "the words are used in training, not from what they mean."
            )
        )
        if not selected:
            st.caption(_("Draw a line around points to read what is most similar to them, too."))
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


def _figure(found: VocabularyMap, stack: Stack, word: int) -> Figure:
    own = theme.SOURCE if Kind.self_of(stack).query_side == "source" else theme.TARGET
    word_near, *_others = found.near
    pairs = list(zip(word_near.ids, found.is_near, strict=True))
    near = {each for each, is_near in pairs if is_near}
    farther = {each for each, is_near in pairs if not is_near}
    others = set(found.ids) - near - farther - {word}
    similar = theme.HEADS[1]

    def group(
        name: str, members: Collection[int], colour: theme.Rgb, symbol: str = "circle"
    ) -> Points:
        at = [place for place, each in enumerate(found.ids) if each in members]
        return Points(
            found.points_N2[at],
            [found.texts[place] for place in at],
            [found.ids[place] for place in at],
            name,
            colour,
            labelled=members is not others,
            small=members is others,
            symbol=symbol,
        )

    axis = _("component {n} ({share})")
    x, y = (axis.format(n=number(at), share=percent(each)) for at, each in enumerate(found.shares))
    return scatter(
        [
            group(_("others"), others, theme.QUIET),
            group(_("farther"), farther, similar, "circle-open"),
            group(_("nearest {share}").format(share=percent(NEAR)), near, similar),
            group("", {word}, own),
        ],
        (x, y),
        title=_("The {n} words most similar to “{token}”").format(
            n=number(len(word_near.ids)), token=word_near.token
        ),
        height=HEIGHT,
        signs=signs(),
    )


def _seen(found: VocabularyMap) -> str:
    """Say how many of a word's neighbours lie near it, and that the picture may mislead."""
    near, share = found.near[0], sum(found.shares)
    total, n_near = len(near.ids), sum(found.is_near)
    # By chance it is one of ten.
    answer = _("Some do") if n_near > 1 else _("No")
    if n_near > total / 2:
        answer = _("Yes") if n_near == total else _("Mostly")
    said = _(
        "{answer}: **{n} of the {total}** words most similar to “{token}” lie near it, among the "
        "nearest {near} of all points (filled)."
    ).format(
        answer=answer,
        n=number(n_near),
        total=number(total),
        near=percent(NEAR),
        token=plain(near.token),
    )
    text = _("The two axes show {share} of the differences between words.")
    if share < 0.5:
        text = _(
            "The two axes show only {share} of the differences between words, so similar words can "
            "lie far apart."
        )
    return joined([said, text.format(share=percent(share))])


def _nearest(near: Near) -> str:
    """Say which tokens of the whole vocabulary are nearest to one."""
    one = _("{token} ({cosine})")
    said = listed(
        one.format(token=plain(name), cosine=number(cosine, 2))
        for name, cosine in zip(near.neighbours, near.cosines, strict=True)
    )
    text = _("Most similar to “{token}” in the whole vocabulary: {said}.")
    return text.format(token=plain(near.token), said=said)
