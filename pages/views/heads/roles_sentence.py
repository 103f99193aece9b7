"""All heads of one kind of attention in a table: what each does with this sentence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from core.heads import Kind
from core.inspection import Inspection
from core.runs.run import RunError
from core.studies.heads.findings import PronounHead, best_pronoun_head
from core.studies.heads.roles import own_position
from core.studies.heads.summaries import (
    HeadSummary,
    HeadTable,
    Pattern,
    head_pattern,
    head_summaries,
    head_table,
)
from core.tokenizer.tokenizer import Token
from pages.frame import cached, clicks, controls, measured_on, notes, selection, session
from pages.frame.controls import fold
from pages.frame.language import _, joined, n_, number, percent, percent_of_100, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, Selection
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.heads import named_heads
from viz.charts.frames import written
from viz.charts.head_table import head_table as styled_table

TABLE = "heads_table"
"""Key of the table."""
MARK = " "
"""Name of the column with the heads' colours."""
ROW, MOST_ROWS = 35, 12
"""Pixels of a row, and the rows that are seen at once."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What the table shows."""

    selected: Selection
    table: HeadTable

    @property
    def keys(self) -> Sequence[Token]:
        """The tokens that can be looked at."""
        return self.selected.inspection.tokens_of(self.selected.kind.key_side)


def draw(opened: Opened) -> Shown:
    """Draw the table, and say what the chosen head does."""
    with selection.row():
        selected = selection.choose(opened, head=False)
    recipe = Recipe(head_table, selected.inspecting, selected.kind)
    shown = Overview(selected, recipe.result())
    _draw_table(shown)
    _draw_chosen(shown)
    if selected.kind.is_self and not opened.run.settings.is_opened:
        title = _("Does a token look at itself most?")
        fold(title, "itself", partial(_draw_itself, opened, selected.kind), compact=True)
    text = view_text("heads", "roles").sections
    title = _("What each head does: {kind}").format(kind=_(selected.kind.label))
    return Shown(
        name=f"heads.{selected.kind}",
        title=title,
        recipe=recipe,
        how_to_read=text["How to read a sentence"],
        formula=text["Formula of a sentence"].strip("$\n"),
        about={"head": notes.site_and_head(selected.head)},
        code=[head_summaries, head_pattern],
        seen=_seen(shown),
        instead=_instead(shown),
    )


def _draw_table(shown: Overview) -> None:
    """Draw a row for each head."""
    places = [(each.head.layer, each.head.index) for each in shown.table.summaries]
    columns, faint = _columns(shown)
    controls.table(
        TABLE,
        written(styled_table([head for _layer, head in places], columns, faint, MARK), _writers()),
        places,
        [(shown.selected.layer, shown.selected.head.index)],
        _take,
        selection_mode="single-row",
        row_height=ROW,
        height=ROW * (1 + min(len(places), MOST_ROWS)) + 2,
        column_config=_column_config(shown),
        alt=_("All heads, with what each does with this sentence"),
    )


def _take(ticked: Sequence[tuple[int, int]]) -> None:
    """Take over the head whose row was ticked."""
    for layer, head in ticked:
        session.choose({session.LAYER: layer, session.HEAD: head})


def _draw_chosen(shown: Overview) -> None:
    selected = shown.selected
    [chosen] = [s for s in shown.table.summaries if s.head == selected.head]
    with st.container(horizontal=True, vertical_alignment="center"):
        text = notes.site_and_head(selected.head)
        # Of the head that differs most it stands above already.
        if chosen != shown.table.farthest:
            does = said(chosen, shown.keys, whole_words=selected.whole_words)
            text = _("{head}: {does}.").format(head=text, does=does)
        st.text(text, width="content")
        named_heads.link_to_map(selected.opened, selected.head)
    st.caption(
        n_(
            "Of this sentence only, {n} row: those that see one key only do not count. A map is a "
            "hypothesis about what a head does; silencing the head is a test.",
            "Of this sentence only, {n} rows: those that see one key only do not count. A map is a "
            "hypothesis about what a head does; silencing the head is a test.",
            chosen.rows,
        ).format(n=number(chosen.rows))
    )


def _draw_itself(opened: Opened, kind: Kind) -> None:
    """Say how often tokens look at themselves most, on held-out sentences."""
    try:
        found = cached.call(own_position, opened.path, kind)
    except RunError as error:
        st.info(plain(explained(error)))
        return
    text = _(
        "In {sentences} the largest weight of a row is on the token itself in **{share}** of the "
        "rows of all these heads (n = {rows}); of a head that picks any key it would be {chance}."
    )
    st.markdown(
        text.format(
            sentences=measured_on.sentences(opened.run, found.n_texts),
            share=percent(found.value),
            rows=number(found.n),
            chance=percent(found.baseline),
        )
    )


def _seen(shown: Overview) -> str:
    """Say which head differs most from chance, and how many have a pattern of their own."""
    found, summaries = shown.table.farthest, shown.table.summaries
    does = plain(said(found, shown.keys, whole_words=shown.selected.whole_words))
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


def _columns(
    shown: Overview,
) -> tuple[Mapping[str, Sequence[object]], Mapping[str, Sequence[bool]]]:
    """Return name of a column → what stands in the rows, and where that is faint."""
    summaries, known = shown.table.summaries, _pronoun_head(shown.selected)
    grey = [not each.pattern.prevails for each in summaries]
    is_known = [known is not None and each.head == known.head for each in summaries]
    columns: dict[str, Sequence[object]] = {
        "layer": [each.head.layer for each in summaries],
        "head": [each.head.index for each in summaries],
        "does": [_does(shown, each, known) for each in summaries],
        "in_rows": [_percents(each, each.pattern.share) for each in summaries],
        "by_chance": [_percents(each, each.pattern.chance) for each in summaries],
        "entropy": [each.entropy for each in summaries],
        "distance": [each.distance for each in summaries],
        "largest": [each.confidence for each in summaries],
    }
    does = [faded and not this for faded, this in zip(grey, is_known, strict=True)]
    return columns, {"does": does, "in_rows": grey, "by_chance": grey}


def _percents(summary: HeadSummary, share: float) -> float | None:
    """Return a share for a column; nothing where no row has anything to share."""
    return None if summary.pattern.name in ("even", "none") else 100 * share


def _writers() -> dict[str, Callable[[float], str]]:
    """Return what writes the numbers of the columns."""
    two = partial(number, digits=2)
    share = partial(percent_of_100, decimals=1)
    return {
        **{"in_rows": share, "by_chance": share},
        **{"entropy": two, "distance": two, "largest": two},
    }


def _column_config(shown: Overview) -> dict[str, ColumnConfig | None]:
    """Return how the columns are written."""
    numeric, text = st.column_config.NumberColumn, st.column_config.TextColumn
    away = _("How many tokens away the keys are, weighted; mean over the rows.")
    if not shown.selected.kind.is_self:
        away += " " + _("Counted from the place that is as far along in the source.")
    bits = _("Of a row's weights in bits, mean over the rows: 0 for one key, 3 for eight alike.")
    rows = _("The share of the rows whose largest weight is there.")
    if shown.selected.whole_words:
        rows = _("The share of the rows whose weight is there farthest above an even spread.")
    chance = _("The same share for a head that picks any token that it may see.")
    largest = _("The largest weight of a row, mean over the rows.")
    return {
        MARK: text(_("colour"), width=50, help=_("The head's colour in every picture")),
        "layer": numeric(_("layer"), width=46),
        "head": numeric(_("head"), width=46),
        "does": text(_("what its largest weights have in common"), width=400),
        "in_rows": numeric(_("in rows"), width=72, help=rows),
        "by_chance": numeric(_("by chance"), width=78, help=chance),
        "entropy": numeric(_("bits"), width=54, help=bits),
        "distance": numeric(_("distance"), width=76, help=away),
        "largest": numeric(_("largest"), width=68, help=largest),
    }


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


def _pronoun_head(selected: Selection) -> PronounHead | None:
    """Return the head of the kind that finds antecedents better than any rule, if one does.

    Of a sentence without a pronoun that says nothing.
    """
    if clicks.first_pronoun(selected.opened, selected.inspection) is None:
        return None
    found = best_pronoun_head(selected.opened.run, selected.kind)
    return found if found is not None and found.beats_baseline else None


def _does(shown: Overview, each: HeadSummary, found: PronounHead | None) -> str:
    """Return what a head does: its pattern here, and what was measured on other sentences."""
    here = short(each, shown.keys, whole_words=shown.selected.whole_words)
    if found is None or each.head != found.head:
        return here
    return _("{here}; in tests finds antecedents ({share} of {n})").format(
        here=here, share=percent(found.score), n=measured_on.pronouns(found.n)
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
