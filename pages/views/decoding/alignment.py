"""Which source word made which word of the translation: words joined by lines."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.evaluate.word_links import WordLink, written_links
from core.heads import Kind
from core.studies.alignment import (
    Aligner,
    Alignment,
    Choice,
    align_sentence,
    choose_aligner,
    probabilities,
)
from pages.frame import components
from pages.frame.language import _, joined, listed, number, percent, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.component.payload import TokenLabel
from viz.lines.lines import Lines

SURE = 0.5
"""Probability of a link from which on it is named where it crosses another one."""


def draw(opened: Opened) -> Shown | None:
    """Draw the words of both sentences and their links."""
    choosing = Recipe(choose_aligner, opened.path)
    aligning = Recipe(align_sentence, opened.writer, opened.sentence, choosing)
    choice, found = choosing.result(), aligning.result()
    if not found.links:
        st.info(_("The model writes nothing."))
        return None
    picture = _picture(found, _name(choice.aligner))
    return Shown(
        name="alignment",
        title=picture.title,
        seen=joined([_of_sentence(found), _of_choice(choice)]),
        recipe=aligning,
        code=[probabilities],
        pictures=[components.show(picture, key="alignment")],
        about={"alignment": written_links(found.links)},
    )


def _picture(found: Alignment, name: str) -> Lines:
    """Return the links as lines, as wide as they are probable."""
    words = found.words
    linked = np.zeros_like(found.probabilities_st, dtype=bool)
    linked[tuple(np.array(found.links).T)] = True
    shares_st = np.where(linked, found.probabilities_st, 0.0).astype(np.float32)
    unlinked = _("a source word without a line makes no word of its own")
    if linked.any(axis=1).all():
        unlinked = ""
    return Lines(
        title=_("Words linked by cross-attention: {heads}").format(heads=name),
        weights_HQK=shares_st[None].clip(0.0, 1.0),
        visible_QK=linked,
        heads=[0],
        queries=[TokenLabel(text) for text in words.source_texts],
        keys=[TokenLabel(text) for text in words.target_texts],
        sides=Kind.CROSS.sides[::-1],
        threshold=0.0,
        texts={
            "axis": "{side}",
            "head": name,
            "looks": _("{token} makes"),
            "looked": _("{token} comes from"),
            "nothing": _("no word"),
            "width": _("line width: probability of the link"),
            "threshold": _("Links under this probability are left out"),
            "left.out": _("links under {threshold} are left out: {n} of {total}"),
            "no.lines": _("No link reaches {threshold}: move the slider to the left."),
            "mask": unlinked,
            "rest": _("Rest the pointer on a word to see its links alone; a click keeps them."),
            "file": _("alignment"),
        },
    )


def _name(aligner: Aligner) -> str:
    """Return what the chosen heads are called."""
    heads, n = aligner.heads, number(len(aligner.heads))
    if len({head.layer for head in heads}) > 1:
        return _("mean of all {n} heads").format(n=n)
    layer = heads[0].layer
    if len(heads) == 1:
        return _("decoder layer {layer}, head {head}").format(layer=layer, head=heads[0].index)
    return _("decoder layer {layer}, mean of its {n} heads").format(layer=layer, n=n)


def _of_sentence(found: Alignment) -> str:
    """Return what is to be seen: links that cross, or a word that becomes several."""
    crossing = _crossing(found)
    sources, targets = found.words.source_texts, found.words.target_texts
    if crossing:
        text = _("**{one}** and **{other}** cross: the translation turns their order round.")
        return text.format(one=_pair(found, crossing[0]), other=_pair(found, crossing[1]))
    made = {
        source: [at for word, at in found.links if word == source] for source, _at in found.links
    }
    most = max(made, key=lambda source: len(made[source]))
    if len(made[most]) > 1:
        text = _("**{word}** becomes {n} words: {words}.")
        return text.format(
            word=plain(sources[most]),
            n=number(len(made[most])),
            words=listed(f"**{plain(targets[at])}**" for at in made[most]),
        )
    text = _("**{n}** words of the translation have a source word each, and no two lines cross.")
    return text.format(n=number(len(found.links)))


def _crossing(found: Alignment) -> Sequence[WordLink]:
    """Return the two links that cross and are most probable, if any is more likely than not."""
    shares_st = found.probabilities_st
    sure = [link for link in found.links if shares_st[link] >= SURE]
    pairs = [
        (one, other) for one in sure for other in sure if one[0] < other[0] and one[1] > other[1]
    ]
    return max(pairs, key=lambda pair: min(shares_st[link] for link in pair), default=())


def _pair(found: Alignment, link: WordLink) -> str:
    source, target = link
    words = found.words
    return f"{plain(words.source_texts[source])} – {plain(words.target_texts[target])}"


def _of_choice(choice: Choice) -> str:
    """Return how well the chosen heads align."""
    if choice.quality is None or choice.diagonal is None or choice.first_head is None:
        text = _(
            "Of {tried} tried, these heads are those whose largest weights of rows and of columns "
            "agree most, in **{share}** of the links of {n} sentences; nobody knows the right "
            "links here."
        )
        return text.format(
            tried=number(len(choice.tried)),
            share=percent(choice.best.agreement),
            n=number(choice.n),
        )
    aer = choice.quality.aer
    return _(
        "On {n} held-out sentences **{aer}** of the links are wrong or missing (alignment error "
        "rate, 95 % interval {low} to {high}): the best of {tried} sets of heads. With the first "
        "head of the last layer it is {first}, with a straight diagonal {diagonal}."
    ).format(
        n=number(aer.n),
        aer=percent(aer.value),
        low=percent(aer.low),
        high=percent(aer.high),
        tried=number(len(choice.tried)),
        first=percent(choice.first_head.aer.value),
        diagonal=percent(choice.diagonal.aer.value),
    )
