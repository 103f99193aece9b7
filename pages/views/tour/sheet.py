"""The questions of a tour on paper."""

from html import escape

from pages.frame.language import _, tag
from pages.frame.tour import Tour

_ON_PAPER = """<style>
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin-bottom: 0.2rem; }
section { break-inside: avoid; }
p { margin: 0.2rem 0; }
.room { border-bottom: 1px solid currentColor; height: 2rem; }
.answers { break-before: page; }
</style>"""


def sheet(tour: Tour) -> str:
    """Return a page to print: room for an answer to each question, and the answers."""
    title, found = escape(tour.title), escape(_("Answers"))
    asked = "".join(
        f"<section><h2>{at}. {escape(each.title)}</h2>"
        f"<p><b>{escape(each.question)}</b> {escape(each.task)}</p>"
        '<p class="room"></p><p class="room"></p></section>'
        for at, each in enumerate(tour.stops, start=1)
    )
    known = "".join(f"<li>{escape(each.answer)}</li>" for each in tour.stops)
    return (
        f'<!doctype html><html lang="{tag()}"><meta charset="utf-8">'
        f"<title>{title}</title>{_ON_PAPER}<h1>{title}</h1>{asked}"
        f'<section class="answers"><h2>{found}</h2><ol>{known}</ol></section></html>'
    )
