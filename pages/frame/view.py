"""A view: one picture of a page, the controls that change it, and all that can be taken away of it.

A page is a list of views. `show` draws one of them, above it what there is to see, and below it
what every view has (`export`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.sentence import SentenceError
from core.messages import MessageError
from core.runs.run import Run
from core.tasks import Task
from pages.frame import controls, here, links, notes, old_links, selection, session, tour
from pages.frame.export import Shown as Shown
from pages.frame.export import offer
from pages.frame.export import page as page
from pages.frame.language import _, joined, plain
from pages.frame.messages import explained
from pages.frame.needs import Need, missing, why_not
from pages.frame.passes import silenced_heads
from pages.frame.selection import Opened
from pages.frame.texts import ViewText, view_text
from pages.frame.typography import written_in_files
from viz.whole.thumbnail import Part

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class View(Generic[Subject]):
    """One picture of a page."""

    page: str
    """The folder of its words, `pages/texts/<language>/<page>/<name>.md`."""
    name: str
    """In links, code and tests."""
    draw: Callable[[Subject], "Shown | None"]
    """Asks, computes and draws; None where there is nothing to show, with the reason on the page.
    An error of `core` with a message is shown in the place of the picture."""
    older: str = ""
    """What older links called it."""
    of_sentence: bool | Callable[[], bool] = True
    """Whether a sentence changes anything in it, as it is chosen; if not, none is asked for."""
    says_sentence: bool = False
    """Whether presentation mode, which hides the box, shows the sentence: the picture lacks it."""
    looks_into: Part | None = None
    """Which part of the whole pass it shows more closely; None for the pass itself."""
    needs: tuple[Need, ...] = ()
    """What not every model has and the view is about."""
    telling: Callable[[Run, Task], str] | None = None
    """Returns the example to begin with; None or empty for the task's first."""

    @property
    def text(self) -> ViewText:
        """Its words in the visitor's language."""
        return view_text(self.page, self.name)

    def asks_sentence(self) -> bool:
        """Return whether a sentence changes anything in what is chosen now."""
        return self.of_sentence() if callable(self.of_sentence) else self.of_sentence


def choose(
    views: Sequence[View[Subject]],
    name: str,
    default: str = "",
    *,
    named: bool = False,
    asked: bool = True,
) -> View[Subject]:
    """Ask which view to show.

    Args:
        views: The first is shown where there is no default.
        name: Of the choice, in the URL.
        default: The name of a view.
        named: Whether the URL names the default, too.
        asked: False where it is asked for later on the page.
    """
    offered = {view.name: view.text.label for view in views}
    older = {view.older: view.name for view in views if view.older}
    how = controls.How[str](named=named, older=older, asked=asked)
    chosen = controls.choice(_("View"), name, offered, default or views[0].name, **how)
    return next(view for view in views if view.name == chosen)


def _usual(views: Sequence[View[Subject]], needs: Collection[Need]) -> str:
    """Return the first view that applies to the chosen run; where none does, the first of all."""
    if (settings := selection.chosen_settings()) is None:
        return ""
    applying = (view.name for view in views if not missing(settings, (*needs, *view.needs)))
    return next(applying, "")


def of_sentence(
    views: Sequence[View[Opened]], name: str, *, named: bool = False, needs: Collection[Need] = ()
) -> None:
    """Ask for a model, a sentence and a view, and draw it: a whole page.

    Args:
        views: The first that applies to the model is the default.
        name: The page's, for its views in the URL; a page keeps its view while others are visited.
        named: Whether the URL names the default, too.
        needs: What all of its views are about.
    """
    old_links.follow(views[0].page, name)
    usual = _usual(views, needs)
    # Before it is asked for: the sentence above depends on it.
    view = choose(views, name, usual, named=named, asked=False)
    needs = (*needs, *view.needs)

    def telling(run: Run, task: Task) -> str:
        # What a view does not apply to need not be looked for in.
        return "" if view.telling is None or why_not(run, needs) else view.telling(run, task)

    opened = selection.model_and_sentence(asked=view.asks_sentence(), telling=telling)
    if opened is None:
        return
    run = opened.run
    question = _ask(views, name, usual, run, named=named)
    # Always there: Streamlit knows a part by its place, and a click in one that has moved is lost.
    with st.container():
        name_missing(views, name)
        if view.asks_sentence():
            _tell_sentence(view, opened)
    if Need.WRITING in needs and run.max_new_tokens == 0:
        st.info(_("This view is about what the model writes, and “New tokens” is 0."))
    elif why := why_not(run, needs):
        st.info(why)
        links.link_to_what_applies(run, opened.sentence, needs)
    else:
        facts = {
            "model": run.name,
            "step": run.step,
            "sentence": opened.sentence,
            written_in_files(run): opened.inspection.translation.text,
        }
        facts |= {"notice": run.notice} if run.notice else {}
        show(view, opened, facts, question)
        links.link_to_experiment(name, view.name)
    # A licence, for example.
    if run.notice:
        st.caption(plain(run.notice))


def _ask(
    views: Sequence[View[Opened]], name: str, usual: str, run: Run, *, named: bool
) -> DeltaGenerator | None:
    """Ask for a view beside its place in the whole pass; return where its question is.

    A page of one view asks for none, and says itself what it is about.
    """
    if len(views) == 1:
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        view = choose(views, name, usual, named=named)
        with st.container(width="stretch", key="lesson_text"):
            question = st.empty()
            question.markdown(f"**{view.text.question}**")
        if view.looks_into:
            here.link_to_pass(run, view.looks_into)
    return question


def _tell_sentence(view: View[Opened], opened: Opened) -> None:
    """Say why not to believe what a run does with the sentence, and name it where it is hidden."""
    of_heads = view.page != "decoding"
    found = notes.about_sentence(opened.run, opened.inspection, of_heads=of_heads)
    if view.page in ("attention", "decoding"):
        silenced = silenced_heads(opened.run, session.text_of(session.PASS_SILENCED))
        found += notes.about_silenced(silenced)
    if found:
        st.caption(joined(found))
    if view.says_sentence:
        with st.container(key="sentence_said"):
            st.markdown(f":small[{plain(opened.sentence)}]")


def name_missing(views: Sequence[View[Subject]], name: str) -> None:
    """Say so where a link asks for a view that is not there."""
    text = session.text_of(name)
    if text and text not in {known for view in views for known in (view.name, view.older)}:
        st.caption(plain(_("There is no view named {name}.").format(name=text)))


def show(
    view: View[Subject],
    subject: Subject,
    facts: Mapping[str, object],
    question: DeltaGenerator | None = None,
) -> None:
    """Draw a view and offer to take it away; a click in it leaves the rest of the page alone.

    Args:
        view: The view.
        subject: What it shows.
        facts: For its files.
        question: The place of the view's question on the page, for that of a part of it.
    """
    asks_sentence = view.asks_sentence()

    @session.fragment("view")
    def draw() -> None:
        if view.asks_sentence() != asks_sentence:
            # The box for it stands above, outside of what a click draws again.
            st.rerun()
        # What is seen is known when the picture is drawn, and said above it.
        above = st.container()
        try:
            shown = view.draw(subject)
        except SentenceError:
            selection.ask_for_text()
            return
        except (MessageError, OSError) as error:
            st.error(plain(explained(error)))
            return
        if shown is None:
            return
        if question is not None:
            question.markdown(f"**{shown.question or view.text.question}**")
        if shown.other_model:
            # Before all else: the model's box says another one.
            above.caption(f":material/swap_horiz: {shown.other_model}")
        with above, st.container(key="seen", horizontal=True, vertical_alignment="center"):
            say_seen(shown)
        offer(shown, view.name, shown.text or view.text, facts)

    # Its place is reserved: what comes above it, a caption for example, must not move it.
    with st.container(key=f"view_{view.name}"):
        draw()


def say_seen(shown: Shown) -> None:
    """Show what there is to see, and a sentence that has it where this one does not."""
    if tour.keeps_back():
        st.caption(
            _("Predict first. The answer, computed from the model, appears here."), width="stretch"
        )
        return
    if shown.seen:
        heading = _("What you see:")
        st.markdown(f":primary[**{heading}**] {shown.seen}", width="stretch")
        if shown.meanwhile:
            with st.container(key="meanwhile"):
                st.markdown(shown.meanwhile)
    if shown.instead:
        offered = _("Try “{sentence}”").format(sentence=plain(shown.instead))
        if st.button(offered, key="instead", type="tertiary"):
            session.choose_above({session.SENTENCE: shown.instead})
