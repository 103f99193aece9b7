"""How a word becomes tokens: the merges of the model's own tokenizer, one by one."""

import streamlit as st

from core.studies.lessons.pieces import Cut, cut
from pages.frame import controls, links, session
from pages.frame.language import _, listed, number, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.texts import view_text
from pages.frame.view import Shown

LONGEST = 40
"""Letters of a text that is cut."""


def ask(opened: Opened) -> str:
    """Ask for a word; within a row. The longest of the sentence is the first."""
    label = _("Word or text (at most {n} letters)").format(n=number(LONGEST))
    usual = max(opened.sentence.split(), key=len)
    st.caption(_("word"), width="content")
    return controls.text(label, "piece_word", usual, labelled=False, width=330)[:LONGEST]


def draw(opened: Opened, typed: str) -> Shown:
    """Show how a word is joined from bytes or characters."""
    recipe = Recipe(cut, opened.path, typed)
    found = recipe.result()
    if found.merges:
        columns = {
            _("merge, by its rank in training"): [
                number(each.rank) if each.rank else "" for each in found.merges
            ],
            _("joins"): [plain(each.joined) for each in found.merges],
            _("pieces (␣: the space before a word)"): [plain(each.pieces) for each in found.merges],
        }
        st.table(columns, border="horizontal", hide_index=True)
    label = _("An image read as a row of patches")
    links.link("", label, ":material/image:", {session.MODEL: "digits"})
    text = view_text("lessons", "pieces")
    return Shown(
        name="pieces",
        title=_("How “{text}” becomes tokens").format(text=typed),
        question=text.question,
        text=text,
        recipe=recipe,
        seen=_seen(found, typed),
        code=[cut],
    )


def _seen(found: Cut, typed: str) -> str:
    """Say which tokens a text has, with their ids, and how many merges led there."""
    named = _("{token} ({id})")
    tokens = listed(
        named.format(token=plain(token.text), id=number(each))
        for token, each in zip(found.tokens, found.ids, strict=True)
    )
    text = _(
        "Of the {all} merges that the tokenizer learned, **{used}** apply to “{text}”. Its tokens, "
        "with their ids: {tokens}."
    )
    if not found.merges:
        text = _("No merge applies to “{text}”. Its tokens, with their ids: {tokens}.")
    return text.format(
        all=number(found.n_merges),
        # The first row is before all merges.
        used=number(len(found.merges) - 1),
        text=plain(typed),
        tokens=tokens,
    )
