"""Rows of words, each in the colour of that of two right rows which it is taken from."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from viz import theme
from viz.direction import isolated

_TINT = 0.3
"""So that words are read on the colour in the light and in the dark theme."""
_BOTH = theme.colour(theme.QUIET, 0.15)

_STYLE = f"""<style>
.mixed-rows {{ display: grid; gap: 4px; font-size: 14px; line-height: 1.5; }}
.mixed-rows .row {{ display: flex; flex-wrap: wrap; align-items: center; gap: 3px; }}
.mixed-rows .name {{ flex: 0 0 9.5em; opacity: 0.85; }}
.mixed-rows .word {{ min-width: 1.7em; padding: 0 4px; text-align: center; border-radius: 3px;
  font-family: monospace; border-bottom: 3px solid transparent; background: {_BOTH}; }}
.mixed-rows .first {{ background: {theme.colour(theme.HEADS[0], _TINT)};
  border-bottom-color: {theme.colour(theme.HEADS[0])}; }}
.mixed-rows .second {{ background: {theme.colour(theme.HEADS[1], _TINT)};
  border-bottom: 3px dotted {theme.colour(theme.HEADS[1])}; }}
.mixed-rows .verdict {{ margin-left: 0.6em; font-weight: 600; }}
</style>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedRow:
    """A row of words.

    Attributes:
        name: Stands before it.
        words: One a place.
        verdict: Stands after it.
    """

    name: str
    words: Sequence[str]
    verdict: str = ""


def mixed_rows(rows: Sequence[MixedRow], first: Sequence[str], second: Sequence[str]) -> str:
    """Return HTML with the rows below each other.

    Args:
        rows: What is drawn.
        first: One right row, whose words have one colour.
        second: The other one. What both have at a place is grey, as is what neither has.
    """
    return f'{_STYLE}<div class="mixed-rows">{"".join(_row(r, first, second) for r in rows)}</div>'


def _row(row: MixedRow, first: Sequence[str], second: Sequence[str]) -> str:
    words = "".join(
        f'<span dir="auto" class="{" ".join(["word", *_of(word, place, first, second)])}">'
        f"{html.escape(word)}</span>"
        for place, word in enumerate(row.words)
    )
    label = html.escape(f"{row.name}: {isolated(' '.join(row.words))} {row.verdict}".strip())
    verdict = f'<span class="verdict">{html.escape(row.verdict)}</span>' if row.verdict else ""
    return (
        f'<div class="row" role="img" aria-label="{label}">'
        f'<span class="name">{html.escape(row.name)}</span>{words}{verdict}</div>'
    )


def _of(word: str, place: int, first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the class of the one row that has a word at a place.

    >>> _of("a", 0, "abc", "cba"), _of("b", 1, "abc", "cba"), _of("c", 0, "abc", "cba")
    (['first'], [], ['second'])
    """
    in_first, in_second = (place < len(each) and each[place] == word for each in (first, second))
    if in_first == in_second:
        return []
    return ["first"] if in_first else ["second"]
