"""All heads of one kind of attention in a table: what each does with this sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.inspection import Inspection
from core.studies.heads.summaries import (
    HeadSummary,
    HeadTable,
    Pattern,
    head_pattern,
    head_summaries,
    head_table,
)
from core.tokenizer.tokenizer import Token
from pages.frame import controls, notes, selection, session
from pages.frame.language import _, joined, n_, number, percent, percent_of_100, plain
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import named_heads
from viz.charts.frames import written
from viz.charts.head_table import head_table as styled_table

TABLE = "heads_table"
"""Key of the table."""
ROW, MOST_ROWS = 35, 12
"""Pixels of a row, and the rows that are seen at once."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What the table shows."""

    selected: Selection
    table: HeadTable

    def said(self, summary: HeadSummary) -> str:
        """Return what a head does here, with the share of rows in which it holds, and chance."""
        keys = self.selected.inspection.tokens_of(self.selected.kind.key_side)
        return said(summary, keys, whole_words=self.selected.whole_words)


def draw(opened: Opened) -> Shown:
    """Draw the table, and say what the chosen head does."""
    with selection.row():
        selected = selection.choose(opened, head=False)
    recipe = Recipe(head_table, selected.inspecting, selected.kind)
    shown = Overview(selected, recipe.result())
    _draw_table(shown)
    [chosen] = [each for each in shown.table.summaries if each.head == selected.head]
    text, where = _("{head}: {does}."), notes.site_and_head(selected.head)
    st.text(text.format(head=where, does=shown.said(chosen)), width="content")
    named_heads.link_to_map(opened, selected.head)
    words = view_text("heads", "roles").sections
    return Shown(
        name=f"heads.{selected.kind}",
        title=_("What each head does: {kind}").format(kind=_(selected.kind.label)),
        recipe=recipe,
        how_to_read=words["How to read a sentence"],
        about={"head": where},
        code=[head_summaries, head_pattern],
        seen=_seen(shown),
        instead=_instead(shown),
    )


def _draw_table(shown: Overview) -> None:
    """Draw a row for each head; those without a clear pattern are grey."""
    selected, summaries = shown.selected, shown.table.summaries
    keys = selected.inspection.tokens_of(selected.kind.key_side)
    grey = [not each.pattern.prevails for each in summaries]
    columns: dict[str, Sequence[object]] = {
        "head": [notes.site_and_head(each.head) for each in summaries],
        "does": [short(each, keys, whole_words=selected.whole_words) for each in summaries],
        "in_rows": [_percents(each, each.pattern.share) for each in summaries],
        "by_chance": [_percents(each, each.pattern.chance) for each in summaries],
    }
    faint = {"does": grey, "in_rows": grey, "by_chance": grey}
    share = partial(percent_of_100, decimals=0)
    numeric, text = st.column_config.NumberColumn, st.column_config.TextColumn
    often = _("The share of the rows whose largest weight is there.")
    if selected.whole_words:
        often = _("The share of the rows whose weight is there farthest above an even spread.")
    chance = _("The same share for a head that picks any token that it may see.")
    controls.table(
        TABLE,
        written(styled_table(columns, faint), {"in_rows": share, "by_chance": share}),
        [(each.head.layer, each.head.index) for each in summaries],
        [(selected.layer, selected.head.index)],
        _take,
        selection_mode="single-row",
        row_height=ROW,
        height=ROW * (1 + min(len(summaries), MOST_ROWS)) + 2,
        column_config={
            "head": text(_("head"), width=250),
            "does": text(_("what it does in this sentence"), width=420),
            "in_rows": numeric(_("how often"), width=90, help=often),
            "by_chance": numeric(_("by chance"), width=90, help=chance),
        },
        alt=_("All heads, with what each does with this sentence"),
    )


def _percents(summary: HeadSummary, share: float) -> float | None:
    """Return a share for a column; nothing where no row has anything to share."""
    return None if summary.pattern.name in ("even", "none") else 100 * share


def _take(ticked: Sequence[tuple[int, int]]) -> None:
    """Take over the head whose row was ticked."""
    for layer, head in ticked:
        session.choose({session.LAYER: layer, session.HEAD: head})


def _seen(shown: Overview) -> str:
    """Say which head differs most from chance, and how many have a pattern of their own."""
    found, summaries = shown.table.farthest, shown.table.summaries
    does = plain(shown.said(found))
    if len({each.pattern.name for each in summaries} | {"even", "none"}) == 2:
        return _("Each head here: {does}.").format(does=does)
    if found.pattern.above_chance <= 0:
        return _("No head differs from chance here.")
    gains = [each.pattern.above_chance for each in summaries]
    text = _("**{head}** differs most from chance: it {does}.")
    if gains.count(found.pattern.above_chance) > 1:
        text = _("**{head}** differs from chance as much as any: it {does}.")
    patterns = n_(
        "Clear patterns: **{clear}** of {n} head.",
        "Clear patterns: **{clear}** of {n} heads.",
        len(gains),
    )
    clear = number(sum(each.pattern.prevails for each in summaries))
    head = notes.site_and_head(found.head)
    return joined([text, patterns]).format(head=head, does=does, clear=clear, n=number(len(gains)))


def _instead(shown: Overview) -> str:
    """Return an example in which a head has a clear pattern, where none has one here."""
    if any(each.pattern.prevails for each in shown.table.summaries):
        return ""
    kind = shown.selected.kind

    def tells(inspection: Inspection) -> bool:
        return any(each.pattern.prevails for each in head_summaries(inspection, kind))

    return selection.example(shown.selected, tells)


def short(summary: HeadSummary, keys: Sequence[Token], *, whole_words: bool) -> str:
    """Return what a head's rows have in common, in a few words.

    Args:
        summary: The head's.
        keys: The tokens, or words, that it can look at.
        whole_words: Whether they are words.
    """
    pattern = summary.pattern
    if pattern.name == "none":
        return _("has no choice")
    if pattern.name == "even":
        return _("spreads nearly evenly")
    if pattern.name == "forward":
        return _("moves from left to right")
    found = _target(pattern, keys, not summary.head.kind.is_self, _unit(whole_words))
    template = _("looks at {target}") if pattern.prevails else _("varies; most often {target}")
    return template.format(target=found)


def said(summary: HeadSummary, keys: Sequence[Token], *, whole_words: bool) -> str:
    """Return the same with the share of rows in which it holds, and what chance gives.

    Args:
        summary: The head's.
        keys: The tokens, or words, that it can look at.
        whole_words: Whether they are words.
    """
    pattern = summary.pattern
    words = short(summary, keys, whole_words=whole_words)
    if pattern.name == "none":
        return _("{words}: no row sees more than one {unit}").format(
            words=words, unit=_unit(whole_words)
        )
    if pattern.name == "even":
        return _("{words} over all that it may see").format(words=words)
    return _("{words} in {share} of {rows} ({hits} of {n}; by chance {chance})").format(
        words=words,
        share=percent(pattern.share),
        rows=_("steps from row to row") if pattern.name == "forward" else _("its rows"),
        hits=number(pattern.hits),
        n=number(pattern.rows),
        chance=percent(pattern.chance),
    )


def _unit(whole_words: bool) -> str:
    return _("word") if whole_words else _("token")


def _target(pattern: Pattern, keys: Sequence[Token], cross: bool, unit: str) -> str:
    if pattern.name == "token":
        key = keys[pattern.at]
        if key.special:
            return key.text
        return _("“{token}” (position {at})").format(token=key.text, at=number(pattern.at))
    if pattern.name == "offset":
        named = (_in_the_source if cross else _beside)(pattern.at)
    elif pattern.name == "near":
        named = _("the source {unit} of the same position ± 1")
    else:
        named = (
            _("the source {unit} of the same text") if cross else _("another {unit} of its text")
        )
    return named.format(n=number(abs(pattern.at)), unit=unit)


def _beside(offset: int) -> str:
    named = {0: _("itself"), -1: _("the previous {unit}"), 1: _("the next {unit}")}
    further = _("the {unit} {n} back") if offset < 0 else _("the {unit} {n} ahead")
    return named.get(offset, further)


def _in_the_source(offset: int) -> str:
    if offset == 0:
        return _("the source {unit} of the same position")
    if offset < 0:
        return _("the source {unit} {n} before the same position")
    return _("the source {unit} {n} after the same position")
