"""The frame: `streamlit run app.py`."""

import streamlit as st

from pages import attention
from pages.shared import layout, session
from pages.shared.text import _


def main() -> None:
    """Set up the frame and show the page that the URL asks for."""
    # An icon of a page would be fetched from outside as the browser's icon; an emoji is not.
    st.set_page_config(page_title="Transformer Lab", page_icon="🔎", layout="wide")
    layout.compact()
    pages = [
        st.Page(
            attention.render,
            title=_("Attention"),
            icon=":material/grid_view:",
            default=True,
        ),
        st.Page(_decoding, title=_("Decoding"), icon=":material/step_over:", url_path="decoding"),
        # The default page has no address but /; whoever types its name finds it all the same.
        st.Page(attention.render, title=_("Attention"), url_path="attention", visibility="hidden"),
    ]
    page = st.navigation(pages, position="top")
    session.enter(page.title)
    page.run()


def _decoding() -> None:
    """Draw the decoding page; its chart libraries are loaded when it is first asked for."""
    from pages import decoding

    decoding.render()


if __name__ == "__main__":
    main()
