"""All heads of one kind of attention in a table: what each does here, to find one by."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import streamlit as st

from core.heads import Head, Kind
from core.inspection import Inspection
from core.runs.run import Run
from core.studies.heads.patterns import head_pattern
from core.studies.heads.summaries import (
    HeadSummary,
    Pair,
    head_summaries,
    pair_to_compare,
    site_summaries,
)
from pages.frame import (
    address,
    cached,
    controls,
    notes,
    opening,
    selection,
    session,
    tables,
)
from pages.frame.language import N_, _, n_, number, plain, translated
from pages.frame.listed import joined
from pages.frame.opening import Opened
from pages.frame.selection import Selection, key_tokens, query_tokens
from pages.frame.view import Column, Shown
from pages.views.attention import itself, seen, weights
from pages.views.attention.head_table import (
    MARK,
    PAIR,
    HeadTable,
    column_config,
    columns,
    faint,
    said,
    weight_of,
    writers,
)
from viz.charts.frames import written
from viz.charts.head_table import head_table as styled_table
from viz.direction import isolated, unmarked

CHANCE = "chance"
SORTS = {
    CHANCE: N_("difference from chance"),
    "entropy": N_("entropy"),
    "distance": N_("distance"),
    "pair": N_("pair"),
}
TABLE = "heads_table"
"""Key of the table."""
_ROW, _ROWS = 35, 12
_IMPORTS = (
    "from core.studies.heads.summaries import head_summaries",
    "from core.heads import Kind",
)
_NUMBERS = {
    "in_rows": "pattern.share",
    "by_chance": "pattern.chance",
    "entropy": "entropy",
    "distance": "distance",
    "largest": "confidence",
    "evenness": "evenness",
}
"""What the files call a number → which it is of a summary."""


def draw(opened: Opened) -> Shown:
    """Draw the table, and say what the chosen head does."""
    with selection.row():
        selected = selection.choose(opened, head=False)
        st.caption(_("sorted by"), width="content")
        sort = controls.choice(_("Sorted by"), session.SORT, translated(SORTS), CHANCE)
    asked = (opened.sentence, selected.whole_words, selected.kind)
    summaries = cached.of_run(_summaries, opened.path, *asked)
    with st.container(horizontal=True, vertical_alignment="center"):
        pair = _ask_pair(selected) if sort == PAIR else None
    ordered = sorted(summaries, key=_order(selected, sort, pair))
    shown = HeadTable(selected, ordered, pair, sort)
    _draw_table(shown)
    _draw_chosen(shown)
    if selected.kind.is_self and not opened.run.settings.is_opened:
        itself.fold_in(opened, selected.kind)
    return _shown(shown)


def _ask_pair(selected: Selection) -> Pair:
    """Ask for a query and a key, which the URL names by their positions."""
    query, key = _default_pair(selected)
    queries = query_tokens(selected.inspection, selected.kind)
    keys = key_tokens(selected.inspection, selected.kind)
    query = _token(_("query"), [t.text for t in queries], query, session.QUERY)
    st.caption("→", width="content")
    return query, _token(_("key"), [t.text for t in keys], key, session.KEY)


def _token(label: str, texts: Sequence[str], default: int, parameter: str) -> int:
    offered = {index: f"{index} {isolated(text)}" for index, text in enumerate(texts)}
    return controls.selection(label, parameter, offered, default, labelled=False, width=150)


def _default_pair(selected: Selection) -> Pair:
    """Return the first pronoun and what it stands for, or else the largest weight's tokens."""
    inspection, kind = selected.inspection, selected.kind
    layer, head = opening.default_head(selected.opened.run, kind)
    pronoun = seen.row_of_pronoun(selected.opened, inspection, kind)
    return pair_to_compare(inspection, kind, pronoun, Head(kind.site(layer), head))


def _summaries(run: Run, sentence: str, whole_words: bool, kind: Kind) -> list[HeadSummary]:
    return head_summaries(cached.inspected(run.path, sentence, whole_words), kind)


def _order(selected: Selection, sort: str, pair: Pair | None) -> Callable[[HeadSummary], float]:
    """Return by what heads are sorted.

    The farthest from chance, the most pointed, the nearest or the heaviest comes first.
    """
    if pair is not None:
        return lambda each: -weight_of(selected, each, pair)
    if sort == CHANCE:
        return lambda each: -each.pattern.above_chance
    return attrgetter(sort)


def _draw_table(shown: HeadTable) -> None:
    """Draw a row for each head."""
    places = [(each.head.layer, each.head.index) for each in shown.summaries]
    tables.show(
        TABLE,
        written(
            styled_table([head for _layer, head in places], columns(shown), faint(shown), MARK),
            writers(),
        ),
        places,
        [(shown.selected.layer, shown.selected.head.index)],
        _take,
        selection_mode="single-row",
        row_height=_ROW,
        height=_ROW * (1 + min(len(places), _ROWS)) + 2,
        column_config=column_config(shown),
        alt=_("All heads, with what each does with this sentence"),
    )


def _take(ticked: Sequence[tuple[int, int]]) -> None:
    """Take over the head whose row was ticked."""
    for layer, head in ticked:
        address.choose({session.LAYER: layer, session.HEAD: head})


def _draw_chosen(shown: HeadTable) -> None:
    selected = shown.selected
    [chosen] = [s for s in shown.summaries if s.head == selected.head]
    with st.container(horizontal=True, vertical_alignment="center"):
        text = notes.site_and_head(selected.head)
        # Of the head that differs most it stands above already.
        if chosen != shown.farthest:
            does = said(chosen, shown.keys, whole_words=selected.whole_words)
            text = _("{head}: {does}.").format(head=text, does=does)
        st.text(text, width="content")
        st.button(
            _("Show its map"),
            key="heads_to_maps",
            type="tertiary",
            icon=":material/grid_view:",
            on_click=address.choose_above,
            args=({session.VIEW: "maps"},),
        )
    st.caption(
        n_(
            "Of this sentence only, {n} row: those that see one key only do not count. A map is a "
            "hypothesis about what a head does; silencing the head is a test.",
            "Of this sentence only, {n} rows: those that see one key only do not count. A map is a "
            "hypothesis about what a head does; silencing the head is a test.",
            chosen.rows,
        ).format(n=number(chosen.rows))
    )


def _seen(shown: HeadTable) -> str:
    """Say which head differs most from chance, and how many have a pattern of their own."""
    found = shown.farthest
    does = plain(said(found, shown.keys, whole_words=shown.selected.whole_words))
    if len({each.pattern.name for each in shown.summaries} | {"even", "none"}) == 2:
        return _("Each head here: {does}.").format(does=does)
    if found.pattern.above_chance <= 0:
        return _("No head differs from chance here.")
    gains = [each.pattern.above_chance for each in shown.summaries]
    text = _("**{head}** differs most from chance: it {does}.")
    if gains.count(found.pattern.above_chance) > 1:
        text = _("**{head}** differs from chance as much as any: it {does}.")
    patterns = n_(
        "Clear patterns: **{clear}** of {n} head.",
        "Clear patterns: **{clear}** of {n} heads.",
        len(gains),
    )
    clear = number(sum(each.pattern.prevails for each in shown.summaries))
    head = notes.site_and_head(found.head)
    return joined([text, patterns]).format(head=head, does=does, clear=clear, n=number(len(gains)))


def _instead(shown: HeadTable) -> str:
    """Return an example in which a head has a clear pattern, where none has one here."""
    if any(each.pattern.prevails for each in shown.summaries):
        return ""
    kind = shown.selected.kind

    def tells(inspection: Inspection) -> bool:
        return any(each.pattern.prevails for each in head_summaries(inspection, kind))

    return seen.example(shown.selected, tells)


def _shown(shown: HeadTable) -> Shown:
    selected = shown.selected
    title = _("What each head does: {kind}").format(kind=_(selected.kind.label))
    if shown.pair:
        title += _(", weight of {pair}").format(pair=shown.named_pair)
    return Shown(
        name=f"heads.{selected.kind}",
        title=title,
        numbers=partial(_numbers, shown),
        python=weights.inspecting(selected, *_IMPORTS) + _python(shown),
        about={"head": notes.site_and_head(selected.head)},
        code=[head_summaries, site_summaries, head_pattern],
        seen=_seen(shown),
        instead=_instead(shown),
        how_to_read=_(_HOW_TO_READ),
        formula=_FORMULA,
    )


def _numbers(shown: HeadTable) -> dict[str, Column]:
    """Return the table's columns, shares as they are, and what else there is of each head."""
    summaries = shown.summaries
    exact = {
        name: [attrgetter(attribute)(each) for each in summaries]
        for name, attribute in _NUMBERS.items()
    }
    told = columns(shown)
    does = [unmarked(str(each)) for each in told["does"]]
    return {**told, "does": does, **exact, "of_rows": [each.rows for each in summaries]}


def _python(shown: HeadTable) -> str:
    lines = [f'summaries = head_summaries(inspection, Kind("{shown.selected.kind}"))']
    weight = "weight(each)"
    if shown.pair:
        query, key = shown.pair
        at = f"each.head)[{query}, {key}]"
        lines += [
            "",
            "",
            "def weight(each):",
            f"    return float(inspection.weights_of({at})",
            "",
            "",
        ]
    by = "-each.pattern.above_chance" if shown.sort == CHANCE else f"each.{shown.sort}"
    by = f"-{weight}" if shown.pair else by
    lines += [
        f"summaries.sort(key=lambda each: {by})",
        "numbers = {",
        *(f'    "{n}": [each.{name} for each in summaries],' for n, name in _NUMBERS.items()),
        "}",
    ]
    if shown.pair and shown.visible:
        lines.append(f'numbers["{PAIR}"] = [{weight} for each in summaries]')
    return "\n".join([*lines, ""])


_HOW_TO_READ = N_(
    """
- One row for each **head**. Click the box of a row to choose that head; click a column's name to
  sort by it.
- **What its largest weights have in common** is the pattern that most rows of the head's map have:
  the same distance from the query, the same token, the same text; in cross-attention also the same
  position in the source ± 1, or going from left to right. It is the head's when it holds in half
  of the rows or more and twice as often as **by chance**: as in a head that picks any token that it
  may see. Other patterns are grey.
- Between **whole words**, a word of n tokens gets the share of n tokens by chance. So the largest
  weight of a row is there the one that is most above this share.
- The heads that differ most from chance stand on top. Sorted by something else, the table shows
  that number too, and below, *As a table*, stand all.
- **Entropy** says among how many keys a row's weights are spread: 2 to the power of it, if they
  were alike. **Distance** says how many tokens away they are. The **largest weight** of a row says
  how much it points at one key.
- Sorted by **pair**, the table shows how much of the query's attention each head gives to the key.
- All this is of one sentence. What a head is for, only a test on many sentences says.
"""
)

_FORMULA = r"""
H_i = -\sum_j w_{ij} \log_2 w_{ij}, \qquad d_i = \sum_j w_{ij}\,|i - j|, \qquad
\text{averaged over the rows } i \text{ that may see two keys or more}
"""
