"""The frame: `streamlit run app.py`."""

from collections.abc import Callable
from importlib import import_module

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.frame import APP_NAME, first_paint, streamlit_internals

PAINTED = first_paint.draw() if __name__ == "__main__" else None

# What follows imports torch, which takes seconds: the start is on the screen by then.
from pages import whole  # noqa: E402
from pages.frame import interrupts, language, layout, service, session, tour  # noqa: E402
from pages.frame.language import _  # noqa: E402
from pages.views.whole import forward_pass  # noqa: E402


def main() -> None:
    """Set up the frame and show the page that the URL asks for."""
    # An icon of a page would be fetched from outside as the browser's icon; an emoji is not.
    st.set_page_config(page_title=APP_NAME, page_icon="🔎", layout="wide")
    streamlit_internals.keep_choices()
    layout.compact()
    pages = [
        st.Page(whole.render, title=_("The pass"), icon=":material/account_tree:", default=True),
        _page("attention", _("Attention"), ":material/grid_view:"),
        _page("heads", _("Heads"), ":material/science:"),
        _page("decoding", _("Decoding"), ":material/step_over:"),
        _page("lessons", _("Lessons"), ":material/school:"),
        _page("experiments", _("Experiments"), ":material/labs:"),
        _page("training", _("Training"), ":material/model_training:"),
        _page("tour", _("Tour"), ":material/tour:"),
        _page("glossary", _("Glossary"), ":material/menu_book:"),
        _page("languages", language.title(), ":material/translate:"),
        # The tour leads there.
        st.Page(_opener("quiz"), title=_("Quiz"), url_path="quiz", visibility="hidden"),
        # Glossary, lessons and tour lead there.
        st.Page(
            _opener("misconceptions"),
            title=_("What course notes get wrong"),
            url_path="misconceptions",
            visibility="hidden",
        ),
        # Older links lead there.
        st.Page(_opener("runs"), title=_("Runs"), url_path="runs", visibility="hidden"),
        *(_moved(name) for name in ("masks", "positions", "scaling", "layers")),
    ]
    # Before what a narrow window has no room for.
    pages[7:7] = service.current().pages()
    page = st.navigation(pages, position="top")
    # By its path: what it is called differs from language to language.
    session.enter(page.url_path)
    language.enter()
    layout.leave_out()
    tour.draw()
    with interrupts.interruptible():
        page.run()
    session.write()


def _page(name: str, title: str, icon: str) -> StreamlitPage:
    return st.Page(_opener(name), title=title, icon=icon, url_path=name)


def _moved(name: str) -> StreamlitPage:
    """Return the page of an address that older links have; it leads on."""
    return st.Page(_opener(name), title=_("Lessons"), url_path=name, visibility="hidden")


def _opener(name: str) -> Callable[[], None]:
    """Return a page's `render`; what it imports is loaded when it is first asked for."""

    def render() -> None:
        import_module(f"pages.{name}").render()

    return render


if __name__ == "__main__":
    with service.current().computing():
        if PAINTED:
            forward_pass.prepare(PAINTED.run, PAINTED.sentence)
            st.rerun()
        main()
