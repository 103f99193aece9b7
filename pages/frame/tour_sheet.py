"""The tasks of a tour on paper: what is predicted, what is done, and what came out."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pages.frame.language import _, tag

_STYLE = """<style>
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin-bottom: 0.2rem; }
section { break-inside: avoid; }
p { margin: 0.2rem 0; }
.room { border-bottom: 1px solid currentColor; height: 2rem; }
</style>"""
_MARKS = re.compile(r"[*`$]+")


@dataclass(frozen=True, slots=True)
class Task:
    """What one stop asks."""

    title: str
    question: str
    task: str
    answer: str
    """In Markdown, as the view said it; empty where nobody has asked for it yet."""


def sheet(title: str, tasks: Sequence[Task]) -> str:
    """Return a page to print: room for an answer to each question, the answers at the end."""
    predict, attempt, found = map(html.escape, (_("Predict"), _("Try"), _("Answers")))
    asked = "".join(
        f"<section><h2>{at}. {html.escape(each.title)}</h2>"
        f"<p><b>{predict}</b> {html.escape(each.question)}</p>"
        '<p class="room"></p>'
        f"<p><b>{attempt}</b> {html.escape(each.task)}</p>"
        '<p class="room"></p></section>'
        for at, each in enumerate(tasks, start=1)
    )
    known = "".join(
        f"<p>{at}. {html.escape(_unmarked(each.answer))}</p>"
        for at, each in enumerate(tasks, start=1)
        if each.answer
    )
    answers = f"<section><h2>{found}</h2>{known}</section>" if known else ""
    return (
        f'<!doctype html><html lang="{tag()}"><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>{_STYLE}"
        f"<h1>{html.escape(title)}</h1>{asked}{answers}</html>"
    )


def _unmarked(markdown: str) -> str:
    """Return a line of Markdown as plain text.

    >>> _unmarked("**il** &#42; 0.5")
    'il * 0.5'
    """
    # What was typed is written with entities, so that no mark in it is lost.
    return html.unescape(_MARKS.sub("", markdown))
