"""Links from one page to another that keep the visitor's session.

Among them those between an experiment and the view that shows what its claim is about.
"""

from collections.abc import Collection, Mapping
from typing import NoReturn
from urllib.parse import parse_qsl, urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.runs.run import Run
from core.studies.experiments import EXPERIMENTS
from pages.frame import cached, session
from pages.frame.language import N_, _
from pages.frame.needs import Need, missing

FIRST_PAGE = "whole"
"""It has no address of its own."""
PAGES = (
    *(FIRST_PAGE, "attention", "heads", "decoding", "lessons"),
    *("experiments", "training", "tour", "quiz", "glossary", "misconceptions"),
)
"""What can be linked to, as `app.py` lists it."""
OLDER_PAGES = ("masks", "positions", "scaling", "layers", "runs")
"""Addresses that lead on to one of them."""
EXPERIMENT = "experiment"
"""In the URL of the page of experiments."""


LESSONS: Mapping[str, str] = {
    "bottleneck": "/attention?view=lines",
    "reading": "/attention?view=maps&other=sentence",
    "distance": "/heads?trial=attribution",
    "order": "/lessons?lessons=shuffle",
    "embedding": "/lessons?lessons=embedding",
    "mixing": "/lessons?lessons=mixing",
    "heads": "/attention?view=maps",
    "projections": "/attention?view=steps",
    "scale": "/lessons?lessons=scaling",
    "linear": "/attention?view=steps",
    "residuals": "/lessons?lessons=layers",
    "depth": "/lessons?lessons=layers",
    "norms": "/lessons?lessons=norm",
    "memory": "/attention?view=steps&kind=decoder.cross",
    "forcing": "/lessons?lessons=exposure",
    "metric": "/decoding?decoding=steps&part=output",
    "guide": "/attention?view=maps&model=translate-guided&other=model",
    "vocabulary": "/attention?view=maps&how=largest",
    "parallel": "/decoding?decoding=steps&model=parallel",
    "copying": "/decoding?decoding=steps&part=copying&model=copying",
}
"""Experiment → a link to the view that shows what its claim is about.

It names a run where not every one shows it.
"""
_STEPS = N_("step by step"), "/decoding?decoding=steps"
_ROLES = N_("roles"), "/heads?trial=roles"
_INSTEAD: Mapping[Need, tuple[str, str]] = {
    Need.NEXT: _STEPS,
    Need.TASK: _ROLES,
    Need.TEXTS: _ROLES,
}
"""What a model lacks → the name of the view that shows something of it all the same, and a link."""


def link(
    page: str,
    label: str,
    icon: str | None,
    query_params: Mapping[str, str],
    tooltip: str | None = None,
) -> None:
    """Show a link to one of `PAGES` (empty for the first), with what it opens with."""
    st.page_link(
        _target(page, label),
        label=label,
        icon=icon,
        help=tooltip,
        query_params=dict(query_params),
    )


def go(page: str, query_params: Mapping[str, str | list[str]]) -> NoReturn:
    """Go to a page of the app, by one step; see `link`. What was to be drawn after it is not."""
    # The browser may never see what this run drew, nor get the scripts that it lent.
    scripts = session.storage("scripts")
    scripts["lent"] = scripts.get("lent", False) and not scripts["in_this_run"]
    to = {session.GOES_TO: "" if page == FIRST_PAGE else page}
    st.switch_page(_target(page, page), query_params={**query_params, **to})


def read(link: str) -> tuple[str, dict[str, str]]:
    """Return the page and the choices of a link.

    >>> read("http://127.0.0.1:8501/heads?trial=silence")
    ('heads', {'trial': 'silence'})
    >>> read("/?view=lines")
    ('attention', {'view': 'lines'})

    Raises:
        ValueError: What stands for the server in it is none.
    """
    parts = urlsplit(link.strip())
    page = parts.path.strip("/").rpartition("/")[2] or FIRST_PAGE
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if page != FIRST_PAGE:
        return page, query
    # The views of attention were on the first page, which now has one.
    if query.get(session.VIEW, "pass") != "pass":
        return "attention", query
    return page, {name: text for name, text in query.items() if name != session.VIEW}


def _target(page: str, title: str) -> StreamlitPage:
    """Return a page: Streamlit tells them apart by their addresses alone, and calls `app.py`'s."""
    is_first = page in ("", FIRST_PAGE)
    return st.Page(_elsewhere, title=title, url_path=None if is_first else page, default=is_first)


def _elsewhere() -> None:
    """Stand in for a page."""


def link_to_misconceptions() -> None:
    """Link to the statements of course notes that are wrong."""
    link("misconceptions", _("What course notes get wrong"), ":material/rule:", {})


def link_to_lesson(experiment: str) -> None:
    """Link from an experiment to the view that shows what its claim is about."""
    page, query = read(LESSONS[experiment])
    link(page, _("See it in a model"), ":material/visibility:", query)


def link_to_experiment(choice: str, view: str) -> None:
    """Link from a view, shown as its lesson opens it, to the experiment that tests it, if any."""
    for name, lesson in LESSONS.items():
        _page, query = read(lesson)
        shows = all(session.text_of(each) == query[each] for each in query if each != choice)
        if query.get(choice) == view and shows:
            label = _("Tested: {question}").format(question=_(EXPERIMENTS[name].question))
            link("experiments", label, ":material/labs:", {EXPERIMENT: name})


def link_to_what_applies(run: Run, sentence: str, needs: Collection[Need]) -> None:
    """Link from a view that does not apply to a run to one that shows something of it, if any.

    It opens with the run and the sentence.
    """
    need = missing(run.settings, needs)
    if need is None or need not in _INSTEAD:
        return
    name, instead = _INSTEAD[need]
    page, query = read(instead)
    query |= {session.SENTENCE: sentence, session.MODEL: cached.listed_name(run.path)}
    link(page, _(name), ":material/visibility:", query)
