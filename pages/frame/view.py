"""A view: one picture of a page, the controls that change it, and all that can be taken away of it.

A page is a list of views. `show` draws one of them, and below it what every view has: its numbers,
its pictures, a link, Python that computes the numbers again, and how to read it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.sentence import SentenceError
from core.runs.run import Run
from pages.frame import address, controls, layout, notes, opening, session, tour
from pages.frame.files import Column as Column
from pages.frame.files import Columns as Columns
from pages.frame.files import as_csv, as_json
from pages.frame.folded import fold, fold_code, fold_formula, fold_how_to_read
from pages.frame.language import N_, _, in_this_language, plain, signs, tag, translated
from pages.frame.messages import explained
from pages.frame.opening import Opened
from viz.charts.curves import Chart
from viz.charts.export import chart_png, chart_svg
from viz.charts.number_tables import DEFAULT_TABLE_TEXTS, number_tables
from viz.charts.signs import Signs
from viz.component.standalone import Drawn, standalone_page

Subject = TypeVar("Subject")

FACTS: Mapping[str, str] = {
    "model": N_("Model"),
    "step": N_("Step"),
    "sentence": N_("Sentence"),
    "translation": N_("Translation"),
    "head": N_("Head"),
    "happens": N_("What happens"),
    "number": N_("Marked number"),
    "runs": N_("Runs"),
    "task": N_("Task"),
    "command": N_("Command"),
    "second_model": N_("Second model"),
    "second_head": N_("Second head"),
    "second_sentence": N_("Second sentence"),
    "second_translation": N_("Second translation"),
    "link": N_("Link"),
}
"""What JSON calls a fact → what people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a view shows, to be taken away."""

    name: str
    """Of the files, without an ending."""
    title: str
    """What is shown, in a sentence."""
    numbers: Callable[[], Columns]
    """Every number that is shown, exact: name of a column → its values, all of the same length."""
    python: str
    """Python that computes the numbers with `core`; they end up in the variable `numbers`."""
    code: Sequence[Callable[..., object] | type]
    """The functions of `core` that made it."""
    seen: str = ""
    """What there is to see, with the number that says it, in Markdown: computed, never written."""
    instead: str = ""
    """A sentence in which there is something to see, where there is nothing in this one."""
    pictures: Sequence[Drawn] = ()
    """What the HTML file holds; where there is none, it holds the numbers as tables."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What else is to be said of it in the files: one of `FACTS` → any text."""
    formula: str = ""
    """In LaTeX; empty where there is none."""
    how_to_read: str = ""
    """In Markdown; empty where the picture says it itself."""
    tries: Sequence[str] = ()
    """What to do with the controls, and what is then to be seen; Markdown."""


@dataclass(frozen=True, slots=True)
class View(Generic[Subject]):
    """One picture of a page."""

    name: str
    """In links, code and tests: English, and the same for ever."""
    label: str
    """On the button that opens it; marked for translation."""
    question: str
    """What is to be seen, in a sentence or two of Markdown; marked for translation."""
    draw: Callable[[Subject], "Shown | Callable[[], Shown] | None"]
    """Asks, computes and draws; None where there is nothing to show, which it has said. What it has
    asked for is left alone by a click in the picture where it returns a function that draws it."""
    older: str = ""
    """What older links called it."""


def saying_why(
    *errors: type[Exception],
) -> Callable[[Callable[[Subject], Shown | None]], Callable[[Subject], Shown | None]]:
    """Let a view say in the place of its picture why there is none.

    Args:
        errors: What they say is shown; that there is no sentence is said anyway.
    """

    def saying(draw: Callable[[Subject], Shown | None]) -> Callable[[Subject], Shown | None]:
        @wraps(draw)
        def drawn(subject: Subject) -> Shown | None:
            try:
                return draw(subject)
            except SentenceError:
                opening.say_no_text()
            except errors as error:
                st.error(plain(explained(error)))
            return None

        return drawn

    return saying


def choose(
    views: Sequence[View[Subject]], name: str, default: str = "", *, named: bool = False
) -> View[Subject]:
    """Ask which view to show.

    Args:
        views: Those of the page.
        name: Of the choice, in the URL.
        default: The view to begin with; empty for the first.
        named: Whether the URL names the view that the page begins with, too.
    """
    chosen = controls.choice(
        _("View"),
        name,
        {view.name: _(view.label) for view in views},
        default or views[0].name,
        named=named or bool(default),
        older={view.older: view.name for view in views if view.older},
    )
    return next(view for view in views if view.name == chosen)


def of_sentence(views: Sequence[View[Opened]], name: str, *, named: bool = False) -> None:
    """Ask for a model, a sentence and a view, and draw it: a whole page.

    Args:
        views: The first is the default.
        name: The page's, for its views in the URL; a page keeps its view while others are visited.
        named: Whether the URL names the first view, too.
    """
    opened = opening.model_and_sentence()
    if opened is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        view = choose(views, name, named=named)
        with st.container(width="stretch", key=layout.LESSON_TEXT):
            st.markdown(f":small[{_(view.question)}]")
    # Always there: Streamlit knows a part by its place, and a click in one that has moved is lost.
    with st.container():
        if found := notes.about_sentence(opened.run, opened.inspection):
            st.caption(" ".join(found))
    facts = {
        "model": opened.run.name,
        "step": opened.run.step,
        "sentence": opened.sentence,
        "translation": opened.inspection.translation.text,
    }
    show(view, opened, facts | ({"notice": opened.run.notice} if opened.run.notice else {}))
    say_notice(opened.run)


def say_notice(run: Run) -> None:
    """Say what goes with a run, a licence for example, wherever it is shown."""
    if run.notice:
        st.caption(plain(run.notice))


def show(view: View[Subject], subject: Subject, facts: Mapping[str, object]) -> None:
    """Draw a view, and offer to take it away; a click in it leaves the rest of the page alone.

    Args:
        view: The chosen one.
        subject: What it shows, a run and a sentence for example.
        facts: What the files say of the subject: name → value.
    """
    # Its place is reserved: what comes above it, a caption for example, must not move it.
    with st.container(key=f"view_{view.name}"):
        address.part("view", _draw, view, subject, facts)


def _draw(view: View[Subject], subject: Subject, facts: Mapping[str, object]) -> None:
    # What is seen is known when the picture is drawn, and said above it.
    above = st.container()
    shown = view.draw(subject)
    if callable(shown):
        address.part("picture", _draw_picture, shown, view, facts)
    elif shown is not None:
        _say_and_offer(above, shown, view, facts)


def _draw_picture(
    draw: Callable[[], Shown], view: View[Subject], facts: Mapping[str, object]
) -> None:
    above = st.container()
    _say_and_offer(above, draw(), view, facts)


def _say_and_offer(
    above: DeltaGenerator, shown: Shown, view: View[Subject], facts: Mapping[str, object]
) -> None:
    with above, st.container(key=layout.SEEN, horizontal=True, vertical_alignment="center"):
        say_seen(shown)
    offer(shown, view, facts)


def say_seen(shown: Shown) -> None:
    """Say what there is to see, and in which sentence where there is nothing in this one."""
    if tour.keeps_back():
        st.caption(_("What you see here is the answer: predict it first."), width="stretch")
        return
    if shown.seen:
        tour.answered(shown.seen)
        st.markdown(f":primary[**{_('What you see')}**] {shown.seen}", width="stretch")
    if shown.instead:
        offered = _("Try “{sentence}”").format(sentence=plain(shown.instead))
        if st.button(offered, key="instead", type="tertiary"):
            address.choose_above({session.SENTENCE: shown.instead})


def offer(shown: Shown, view: View[Subject], facts: Mapping[str, object]) -> None:
    """Offer files, link, Python and explanations below a view."""
    link = address.link()
    about = {"title": shown.title, **facts, **shown.about, "view": view.name, "link": link}
    with st.container(key=layout.TAKEN):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _files(shown, about)
            _link_and_python(link, shown.python)
        fold(_("As a table"), "table", lambda: st.html(_tables(shown)), compact=True)
        if shown.how_to_read:
            fold_how_to_read(shown.how_to_read, compact=True)
        if shown.tries:
            tries = "\n".join(f"- {one}" for one in shown.tries)
            fold(_("What to try"), "tries", lambda: st.markdown(tries), compact=True)
        if shown.formula:
            fold_formula(shown.formula, compact=True)
        fold_code(shown.code, compact=True)


def _files(shown: Shown, about: Mapping[str, object]) -> None:
    charts = [each for each in shown.pictures if each.chart is not None]
    for number, chart in enumerate(charts):
        # Components save themselves what they show just then, zoomed or not.
        tail = f"-{number + 1}" if len(charts) > 1 else ""
        for label, mime, made in (
            ("PNG", "image/png", chart_png),
            ("SVG", "image/svg+xml", chart_svg),
        ):
            name = f"{shown.name}{tail}.{label.lower()}"
            _download(f"{label}{tail}", mime, name, partial(_made, made, chart))
    _download("CSV", "text/csv", f"{shown.name}.csv", lambda: as_csv(shown.numbers()))
    _download(
        "JSON", "application/json", f"{shown.name}.json", lambda: as_json(about, shown.numbers())
    )
    _download("HTML", "text/html", f"{shown.name}.html", lambda: page(shown, about))


def _made(made: Callable[[Chart, Signs], str | bytes], picture: Drawn) -> str | bytes:
    return made(picture.drawn_chart(), signs())


def page(shown: Shown, about: Mapping[str, object]) -> str:
    """Return a view as a page that works offline: its pictures, or else its numbers."""
    said = {_(FACTS[name]): str(fact) for name, fact in about.items() if name in FACTS}
    pictures = shown.pictures or (Drawn(html=_tables(shown)),)
    return standalone_page(pictures, shown.title, said, language=tag(), signs=signs())


def _download(label: str, mime: str, file: str, written: Callable[[], str | bytes]) -> None:
    st.download_button(
        label,
        # It is made outside of any run, when somebody asks for it.
        data=in_this_language(written),
        file_name=file,
        mime=mime,
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        key=f"take_{label.lower()}",
    )


def _link_and_python(link: str, python: str) -> None:
    with st.popover(_("Link"), type="tertiary", icon=":material/link:"):
        st.caption(_("Opens exactly this view."))
        st.code(link, language=None, wrap_lines=True)
    with st.popover(_("Python"), type="tertiary", icon=":material/code:"):
        st.caption(_("Run in the project's folder, it computes the same numbers again."))
        st.code(python)


def _tables(shown: Shown) -> str:
    return number_tables(shown.numbers(), shown.title, translated(DEFAULT_TABLE_TEXTS), signs())
