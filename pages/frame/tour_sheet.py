"""The tasks of a tour on paper: what is predicted, what is done, and what came out."""

import html
import re
from collections.abc import Mapping

from pages.frame.language import _, tag
from pages.frame.tour_file import Tour

_STYLE = """<style>
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin-bottom: 0.2rem; }
section { break-inside: avoid; }
p { margin: 0.2rem 0; }
.room { border-bottom: 1px solid currentColor; height: 2rem; }
</style>"""
_MARKS = re.compile(r"[*`$]+")


def sheet(tour: Tour, answers: Mapping[int, str]) -> str:
    """Return a page to print: room for an answer to each question, the answers at the end.

    Args:
        tour: What asks.
        answers: Stop from 0 on → what its view said, in Markdown; of those that were shown.
    """
    title = html.escape(tour.title)
    predict, attempt, found = map(html.escape, (_("Predict"), _("Try"), _("Answers")))
    asked = "".join(
        f"<section><h2>{at}. {html.escape(each.title)}</h2>"
        f"<p><b>{predict}</b> {html.escape(each.question)}</p>"
        '<p class="room"></p>'
        f"<p><b>{attempt}</b> {html.escape(each.task)}</p>"
        '<p class="room"></p></section>'
        for at, each in enumerate(tour.stops, start=1)
    )
    known = "".join(
        f"<p>{at + 1}. {html.escape(_unmarked(answer))}</p>"
        for at, answer in sorted(answers.items())
    )
    ending = f"<section><h2>{found}</h2>{known}</section>" if known else ""
    return (
        f'<!doctype html><html lang="{tag()}"><meta charset="utf-8">'
        f"<title>{title}</title>{_STYLE}"
        f"<h1>{title}</h1>{asked}{ending}</html>"
    )


def _unmarked(markdown: str) -> str:
    """Return a line of Markdown as plain text.

    >>> _unmarked("**il** &#42; 0.5")
    'il * 0.5'
    """
    # What was typed is written with entities, so that no mark in it is lost.
    return html.unescape(_MARKS.sub("", markdown))
