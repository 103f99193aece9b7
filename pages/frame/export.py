"""Taking a view away: what every view of the attention page hands over, and how it is offered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from pages.frame import address, layout
from pages.frame.files import as_csv, as_json
from pages.frame.folded import fold, fold_code, fold_formula, fold_how_to_read
from pages.frame.selection import Looked
from pages.frame.text import FORMULA, HOW_TO_READ, _
from viz.charts.number_tables import number_tables
from viz.component.assets import Assets
from viz.component.standalone import Drawn, standalone_page

Column = Sequence[object]

FACTS: Mapping[str, str] = {
    "head": _("Head"),
    "happens": _("What happens"),
    "number": _("Marked number"),
    "second_model": _("Second model"),
    "second_head": _("Second head"),
    "second_sentence": _("Second sentence"),
    "second_translation": _("Second translation"),
}
"""What JSON calls a fact of some views → what people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """What can be taken away of a view, and what stands below it."""

    name: str
    """Of the files, without an ending."""
    title: str
    """What is shown, in a sentence."""
    numbers: Callable[[], Mapping[str, Column]]
    """Every number that is shown, exact: name of a column → its values, all of the same length."""
    lines: str
    """Python that computes the numbers with `core`; they end up in the variable `numbers`."""
    code: Sequence[Callable[..., object] | type]
    """The functions of `core` that made it."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What else is to be said of it in the files: one of FACTS → any text."""
    component: tuple[Assets, Callable[[], bytes]] | None = None
    """The component that draws it and what it draws; None where there is none."""
    how_to_read: str = HOW_TO_READ
    formula: str = FORMULA


def offer(taken: Taking, looked: Looked) -> None:
    """Offer files, link, Python and explanations below a view."""
    link = address.link()
    about = _about(taken, looked, link)
    with st.container(key=layout.TAKEN):
        _files(taken, about, link)
        fold(_("As a table"), "table", lambda: st.html(_numbers_as_tables(taken)), compact=True)
        fold_how_to_read(taken.how_to_read, compact=True)
        fold_formula(taken.formula, compact=True)
        fold_code(taken.code, compact=True)


def _files(taken: Taking, about: Mapping[str, object], link: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _download("CSV", "csv", "text/csv", taken, lambda: as_csv(taken.numbers()))
        _download(
            "JSON", "json", "application/json", taken, lambda: as_json(about, taken.numbers())
        )
        _download("HTML", "html", "text/html", taken, partial(page, taken, about))
        with st.popover(_("Link"), type="tertiary", icon=":material/link:"):
            st.caption(_("Opens exactly this view."))
            st.code(link, language=None, wrap_lines=True)
        with st.popover(_("Python"), type="tertiary", icon=":material/code:"):
            st.caption(_("Run in the project's folder, it computes the same numbers again."))
            st.code(taken.lines)


def page(taken: Taking, about: Mapping[str, object]) -> str:
    """Return a view as a page of its own: its component, or else its numbers."""
    named = {
        _("Model"): _("{model}, step {step}").format(**about),
        _("Sentence"): str(about["sentence"]),
        _("Translation"): str(about["translation"]),
        **{FACTS[name]: fact for name, fact in taken.about.items()},
    }
    if taken.component is None:
        return standalone_page([Drawn(html=_numbers_as_tables(taken))], taken.title, named)
    assets, packed = taken.component
    return standalone_page([Drawn(assets, packed)], taken.title, named)


def _about(taken: Taking, looked: Looked, link: str) -> dict[str, object]:
    """Return what a file says of the view beside its numbers."""
    opened = looked.opened
    return {
        "title": taken.title,
        "model": opened.run.name,
        "step": opened.run.step,
        "sentence": opened.sentence,
        "translation": looked.inspection.translation.text,
        **taken.about,
        "view": taken.name,
        "link": link,
    }


def _download(
    label: str, ending: str, mime: str, taken: Taking, written: Callable[[], str]
) -> None:
    st.download_button(
        label,
        data=written,
        file_name=f"{taken.name}.{ending}",
        mime=mime,
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        key=f"take_{ending}",
    )


def _numbers_as_tables(taken: Taking) -> str:
    texts = {
        "query": _("query"),
        "key": _("key"),
        "row": _("row"),
        "column": _("column"),
        "hidden": _("hidden"),
        "largest": _("The {n} largest of {keys} in each row."),
        "rank": _("{n}. largest"),
        "first": _("The first {n} of {rows} rows."),
        "empty": _("Nothing is shown."),
    }
    return number_tables(taken.numbers(), taken.title, texts)
