"""All heads of one kind of attention in a table: what each does here, to find one by."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import streamlit as st

from core.analysis.heads.patterns import head_pattern
from core.analysis.heads.summaries import HeadSummary, Pair, head_summaries, site_summaries
from core.heads import Kind
from core.runs.run import Run
from pages.frame import address, cached, controls, notes, session, visit
from pages.frame.export import Column, Taking
from pages.frame.selection import Looked
from pages.frame.text import ATTENTIONS, _
from pages.views.attention import head_pair, head_words, lines_of
from pages.views.attention.head_columns import MARK, PAIR, Shown, column_config, columns, weight_of
from viz.charts.head_table import head_table

SORTS = ("entropy", "distance", "pair")
TABLE = "heads_table"
"""Key of the table."""
_ROW, _ROWS = 35, 12
_IMPORTS = (
    "from core.analysis.heads.summaries import head_summaries",
    "from core.heads import Kind",
)
_NUMBERS = {
    "in rows": "pattern.share",
    "by chance": "pattern.chance",
    "entropy": "entropy",
    "distance": "distance",
    "largest": "confidence",
    "evenness": "evenness",
}
"""What the table and the files call a number → which it is of a summary."""


def draw(looked: Looked) -> Taking:
    """Draw the table, and say what the chosen head does."""
    opened = looked.opened
    summaries = cached.of_run(
        _summaries, opened.path, opened.sentence, looked.whole_words, looked.kind
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_("sorted by"), width="content")
        sort = controls.choice(_("Sorted by"), session.SORT, controls.words(SORTS), SORTS[0])
        pair = head_pair.ask(looked) if sort == "pair" else None
    shown = Shown(looked, sorted(summaries, key=_order(looked, sort, pair)), pair)
    _draw_table(shown)
    _draw_chosen(shown)
    return _taking(shown, sort)


def _summaries(run: Run, sentence: str, whole_words: bool, kind: Kind) -> list[HeadSummary]:
    return head_summaries(cached.inspected(run.path, sentence, whole_words), kind)


def _order(looked: Looked, sort: str, pair: Pair | None) -> Callable[[HeadSummary], float]:
    """Return by what heads are sorted: the most pointed, the nearest or the heaviest first."""
    if pair is not None:
        return lambda each: -weight_of(looked, each, pair)
    return attrgetter(sort)


def _draw_table(shown: Shown) -> None:
    """Draw a row for each head."""
    places = [(each.head.layer, each.head.index) for each in shown.summaries]
    visit.prepare_rows(TABLE, [places.index((shown.looked.layer, shown.looked.head.index))])
    st.dataframe(
        head_table([head for _layer, head in places], columns(shown), mark=MARK),
        key=TABLE,
        on_select=partial(visit.report_rows, TABLE, partial(_take_row, places)),
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        row_height=_ROW,
        height=_ROW * (1 + min(len(places), _ROWS)) + 2,
        column_config=column_config(shown),
        alt=_("All heads, with what each does with this sentence"),
    )


def _take_row(places: Sequence[tuple[int, int]], rows: list[int]) -> None:
    """Take over the head whose row was ticked."""
    for row in rows[:1]:
        layer, head = places[row]
        address.choose_above({session.LAYER: layer, session.HEAD: head})


def _draw_chosen(shown: Shown) -> None:
    looked = shown.looked
    [chosen] = [s for s in shown.summaries if s.head == looked.head]
    with st.container(horizontal=True, vertical_alignment="center"):
        where = notes.site_and_head(looked.head)
        does = head_words.said(chosen, shown.keys, whole_words=looked.whole_words)
        st.text(f"{where}: {does}.", width="content")
        st.button(
            _("Show its map"),
            key="heads_to_maps",
            type="tertiary",
            icon=":material/grid_view:",
            on_click=address.choose_above,
            args=({session.VIEW: "maps"},),
        )
    st.caption(
        _(
            "Of this sentence only, {n} rows: those that see one key only do not count. A map is a "
            "hypothesis about what a head does; silencing the head is the test."
        ).format(n=chosen.rows)
    )


def _taking(shown: Shown, sort: str) -> Taking:
    looked = shown.looked
    title = _("What each head does: {kind}").format(kind=ATTENTIONS[looked.kind])
    if shown.pair:
        title += _(", weight of {pair}").format(pair=shown.named_pair)
    return Taking(
        name=f"heads.{looked.kind}",
        title=title,
        numbers=partial(_numbers, shown),
        lines=lines_of.inspecting(looked, *_IMPORTS) + _lines(shown, sort),
        about={"head": notes.site_and_head(looked.head)},
        code=[head_summaries, site_summaries, head_pattern],
        how_to_read=_HOW_TO_READ,
        formula=_FORMULA,
    )


def _numbers(shown: Shown) -> dict[str, Column]:
    """Return the table's columns, shares as they are, and what else there is of each head."""
    summaries = shown.summaries
    exact = {
        name: [attrgetter(attribute)(each) for each in summaries]
        for name, attribute in _NUMBERS.items()
    }
    return {**columns(shown), **exact, "of rows": [each.rows for each in summaries]}


def _lines(shown: Shown, sort: str) -> str:
    lines = [f'summaries = head_summaries(inspection, Kind("{shown.looked.kind}"))']
    weight = "weight(each)"
    if shown.pair:
        query, key = shown.pair
        at = f"each.site].weights_HQK[each.head, {query}, {key}]"
        lines += [
            "",
            "",
            "def weight(each):",
            f"    return float(inspection.attention[{at})",
            "",
            "",
        ]
    by = f"-{weight}" if shown.pair else f"each.{sort}"
    lines += [
        f"summaries.sort(key=lambda each: {by})",
        "numbers = {",
        *(f'    "{n}": [each.{name} for each in summaries],' for n, name in _NUMBERS.items()),
        "}",
    ]
    if shown.pair and shown.visible:
        lines.append(f'numbers["{PAIR}"] = [{weight} for each in summaries]')
    return "\n".join([*lines, ""])


_HOW_TO_READ = _(
    """
- One row for each **head**. Click the box of a row to choose that head; click a column's name to
  sort by it.
- **What its largest weights have in common** is the pattern that most rows of the head's map have:
  the same distance from the query, the same token, the same text; in cross-attention also the same
  position in the source ± 1, or going from left to right. It is the head's when it holds in half
  of the rows or more and twice as often as **by chance**: for a head that picks any key it may see.
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
