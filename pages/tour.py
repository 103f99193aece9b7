"""The tour of the app: one question a stop, from the whole picture to its parts.

It is `pages/texts/<language>/tour.toml`; a teacher's own tours are files in `tours/`.
"""

import html

import streamlit as st

from pages.frame import links, tour
from pages.frame.language import _, in_this_language, number, plain, tag
from pages.frame.messages import explained
from pages.frame.tour import EXAMPLE, TOURS, Tour, TourError, own_tour, read_tour, tour_names

BEGIN = "tour_begin"
_ON_PAPER = """<style>
body { font: 12pt/1.5 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin-bottom: 0.2rem; }
section { break-inside: avoid; }
p { margin: 0.2rem 0; }
.room { border-bottom: 1px solid currentColor; height: 2rem; }
.answers { break-before: page; }
</style>"""


def render() -> None:
    """List the stops, and whose tours there are besides."""
    own = own_tour()
    st.markdown(f"**{own.title}**")
    text = _(
        "{n} stops, about {time}. Each opens a live view with a question: predict, click, then "
        "show the answer. The arrow keys go on and back; P shows a stop to a whole room."
    )
    st.markdown(f":small[{text.format(n=number(len(own.stops)), time=tour.minutes(own))}]")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Begin"), key=BEGIN, type="primary", icon=":material/tour:"):
            tour.go(own, 0)
        links.link("quiz", _("Ten questions before and after"), ":material/quiz:", {})
        st.download_button(
            _("Tasks"),
            data=in_this_language(lambda: sheet(own)),
            file_name=f"{own.name}.html",
            mime="text/html",
            on_click="ignore",
            type="tertiary",
            icon=":material/print:",
            help=_("All questions to print, with the answers on a page of their own"),
            key="tour_tasks",
        )
    columns = st.columns(2, gap="large")
    half = (len(own.stops) + 1) // 2
    for at, stop in enumerate(own.stops):
        with columns[at // half]:
            tour.link(own, at)
            st.caption(stop.question)
    _others()


def _others() -> None:
    """Offer the tours that are files, and say how to make one."""
    for name in tour_names():
        try:
            tour.link(read_tour(name), 0, whole=True)
        except TourError as error:
            st.error(plain(explained(error)))
    with st.expander(_("A tour of your own")):
        text = _(
            "A tour is a small file of links and texts in the folder {folder}, next to app.py. "
            "Open a view as it is to be seen, and copy its link. This one, saved as "
            "{file}, is listed here and opens with {address}."
        )
        folder = f"`{TOURS}/`"
        st.markdown(
            text.format(folder=folder, file=f"`{TOURS}/monday.toml`", address="`?tour=monday`")
        )
        st.code(EXAMPLE, language="toml")


def sheet(printed: Tour) -> str:
    """Return a page to print: room for an answer to each question, and the answers."""
    title, found = html.escape(printed.title), html.escape(_("Answers"))
    asked = "".join(
        f"<section><h2>{at}. {html.escape(each.title)}</h2>"
        f"<p><b>{html.escape(each.question)}</b> {html.escape(each.task)}</p>"
        '<p class="room"></p><p class="room"></p></section>'
        for at, each in enumerate(printed.stops, start=1)
    )
    known = "".join(f"<li>{html.escape(each.answer)}</li>" for each in printed.stops)
    return (
        f'<!doctype html><html lang="{tag()}"><meta charset="utf-8">'
        f"<title>{title}</title>{_ON_PAPER}<h1>{title}</h1>{asked}"
        f'<section class="answers"><h2>{found}</h2><ol>{known}</ol></section></html>'
    )


if __name__ == "__main__":
    from app import main

    main()
