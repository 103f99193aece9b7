"""The tour of the app: one question a stop, from the whole picture to its parts.

It is `pages/texts/<language>/tour.toml`; a teacher's own tours are files in `tours/`.
"""

import streamlit as st

from pages.frame import links, tour
from pages.frame.language import _, in_this_language, number, plain
from pages.frame.messages import explained
from pages.frame.tour import EXAMPLE, TOURS, TourError, own_tour, read_tour, tour_names
from pages.views.tour.sheet import sheet

BEGIN = "tour_begin"


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
        links.link_to_misconceptions()
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


if __name__ == "__main__":
    from app import main

    main()
