"""What a view shows, and all that can be taken away of it: files, a link, Python, explanations."""

import csv
import hashlib
import html
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from inspect import getsource

import numpy as np
import regex
import streamlit as st

from core.tokenizer.words import beginning
from pages.frame import service, session
from pages.frame.controls import fold
from pages.frame.language import N_, _, in_this_language, labelled, signs, tag, translated
from pages.frame.recipe import Recipe, Tabular
from pages.frame.texts import HOW_TO_READ, TRIES, ViewText
from viz.charts.curves import Chart
from viz.charts.export import chart_png, chart_svg
from viz.charts.number_tables import DEFAULT_TABLE_TEXTS, number_tables
from viz.charts.signs import Signs
from viz.charts.table_picture import table_picture
from viz.component.standalone import Drawn, standalone_page
from viz.direction import unmarked

Columns = Mapping[str, Sequence[object]]
"""Name of a column → its values, as many in each."""

TOLD = ("model", "sentence")
MOST_LETTERS = 24
"""Of each of them: some systems take no long names."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A text in a CSV file that begins so is a formula to some spreadsheets."""
_MARK = "'"
FACTS: Mapping[str, str] = {
    "model": N_("Model"),
    "step": N_("Training step"),
    "sentence": N_("Sentence"),
    "translation": N_("Translation"),
    "continuation": N_("Continuation"),
    "head": N_("Head"),
    "runs": N_("Runs"),
    "task": N_("Task"),
    "command": N_("Command"),
    "alignment": N_("Links (Pharaoh format)"),
    "second_model": N_("Second model"),
    "second_head": N_("Second head"),
    "second_sentence": N_("Second sentence"),
    "second_translation": N_("Second translation"),
    "second_continuation": N_("Second continuation"),
    "link": N_("Link"),
}
"""What JSON calls a fact → what people call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a view shows, to be taken away."""

    title: str
    """What is shown, in a sentence."""
    recipe: Recipe[Tabular]
    """Computes every number that is shown."""
    question: str = ""
    """What it answers, where a part of the view answers another question than the view."""
    text: ViewText | None = None
    """Its words, where a part of the view has words of its own."""
    name: str = ""
    """What tells its files from those of the same view with other settings."""
    code: Sequence[Callable[..., object] | type] = ()
    """Functions of `core` to be read beside those of the recipe."""
    seen: str
    """What there is to see, with the number that says it, in Markdown: computed, never written."""
    meanwhile: str = ""
    """What stands in its place while the picture plays; in Markdown."""
    other_model: str = ""
    """Which model is shown in the place of the chosen one, and why; in Markdown."""
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

    def columns(self) -> Columns:
        """Return every number that is shown: name of a column → its values."""
        return self.recipe.result().table()


def offer(shown: Shown, view: str, text: ViewText, facts: Mapping[str, object]) -> None:
    """Offer files, link, Python and explanations below a view; its files hold the facts."""
    # The picture stands: others may go first before what is below it.
    service.current().give_way()
    link = session.link()
    about = {"title": shown.title, **facts, **shown.about, "view": view, "link": link}
    with st.container(key="taken"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _files(shown, about)
            _link_and_python(link, shown.recipe)
            # Components save their pictures themselves, under names that begin like the files'.
            begins = html.escape(f"{stem(about)}{view}-")
            st.html(f'<i hidden data-files-begin="{begins}"></i>', width="content")
        fold(_("As a table"), "table", lambda: st.html(_tables(shown)), compact=True)
        if how_to_read := shown.how_to_read or text.sections.get(HOW_TO_READ):
            read = partial(st.markdown, how_to_read)
            fold(_("How to read this"), "how_to_read", read, compact=True)
        tries = "\n".join(f"- {one}" for one in shown.tries) or text.sections.get(TRIES, "")
        if tries:
            fold(_("What to try"), "tries", lambda: st.markdown(tries), compact=True)
        if formula := shown.formula or text.formula:
            fold(_("Formula"), "formula", partial(st.latex, formula), compact=True)
        functions = (*shown.recipe.functions, *shown.code)
        fold(_("Code that computes it"), "code", partial(_show_code, functions), compact=True)


def _show_code(functions: Sequence[Callable[..., object] | type]) -> None:
    for function in functions:
        st.code(getsource(function))


def _files(shown: Shown, about: Mapping[str, object]) -> None:
    view = str(about["view"])
    of = f"{stem(about)}{view}-{shown.name.removeprefix(view).lstrip('._-')}".rstrip("-")
    bare = {name: unmarked(text) for name, text in {"title": shown.title, **shown.about}.items()}
    charts = [each for each in shown.pictures if each.chart is not None]
    if not shown.pictures:
        # A table is a picture, too, when it is to stand in a paper.
        parts = [str(about[name]) for name in TOLD if about.get(name)]
        of_what = reduce(labelled, parts) if parts else ""
        charts = [
            Drawn(chart=lambda: table_picture(shown.columns(), shown.title, of_what, signs()))
        ]
    for number, chart in enumerate(charts):
        # Components save themselves what they show just then, zoomed or not.
        tail = f"-{number + 1}" if len(charts) > 1 else ""
        for label, mime, made in (
            ("PNG", "image/png", chart_png),
            ("SVG", "image/svg+xml", chart_svg),
        ):
            name = f"{of}{tail}.{label.lower()}"
            _download(f"{label}{tail}", mime, name, partial(_picture, made, chart))
    _download("CSV", "text/csv", f"{of}.csv", lambda: as_csv(shown.columns()))
    _download(
        "JSON",
        "application/json",
        f"{of}.json",
        lambda: as_json({**about, **bare}, shown.columns()),
    )
    _download("HTML", "text/html", f"{of}.html", lambda: page(shown, about))


def _picture(made: Callable[[Chart, Signs], str | bytes], drawn: Drawn) -> str | bytes:
    return made(drawn.drawn_chart(), signs())


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


def _link_and_python(link: str, recipe: Recipe[Tabular]) -> None:
    with st.popover(_("Link"), type="tertiary", icon=":material/link:"):
        st.caption(_("Opens exactly this view."))
        st.code(link, language=None, wrap_lines=True)
        st.caption(_("The same without controls, for a slide or a page."))
        st.code(f"{link}&embed=true&only=picture", language=None, wrap_lines=True)
    with st.popover(_("Python"), type="tertiary", icon=":material/code:"):
        st.caption(_("Computes the same numbers again, wherever `seq2see` is installed."))
        if recipe.has_picture:
            text = _("A notebook shows the picture; `{code}` after the last line writes a file.")
            st.caption(text.format(code='.save("attention.html")'))
        st.code(recipe.python())


def _tables(shown: Shown) -> str:
    return number_tables(shown.columns(), shown.title, translated(DEFAULT_TABLE_TEXTS), signs())


def as_csv(columns: Columns) -> str:
    """Return a CSV file of columns of the same length.

    Texts stand in quotes. Numbers do not, and have as many digits as it takes to read exactly the
    same ones again. A text that a spreadsheet might take for a formula, and one that begins with
    an apostrophe, has an apostrophe put before it: a program that takes one apostrophe away where
    a text begins with one has every text as it was.
    """
    text = io.StringIO()
    lines = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    lines.writerow(map(_guarded, columns))
    lines.writerows(map(_guarded, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue()


def as_json(about: Mapping[str, object], columns: Columns) -> str:
    """Return a JSON file: facts, and the numbers as lists under `columns`.

    Numbers have as many digits as it takes to read exactly the same ones again; where one is not
    finite, which JSON cannot say, stands null.
    """
    written = {name: list(map(_finite, values)) for name, values in columns.items()}
    return json.dumps({**about, "columns": written}, ensure_ascii=False, allow_nan=False)


def stem(facts: Mapping[str, object]) -> str:
    """Return how the names of all files of a view begin: model and first words of the sentence.

    Shortened names differ by four digits.

    >>> stem({"model": "runs/copy", "sentence": "The animal didn't cross the street."})
    'runs-copy-The-animal-didn-t-cross-d65d-'
    >>> stem({"runs": "copy"})
    ''
    """
    return "".join(f"{_slug(str(facts[name]))}-" for name in TOLD if facts.get(name))


def _slug(text: str) -> str:
    """Return the letters of any script, with their marks, and digits: any system takes them."""
    found = regex.findall(r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*", text)
    whole = "-".join(found)
    words = beginning(whole, MOST_LETTERS)
    if len(words) < len(whole) and "-" in words:
        words = f"{words}{whole[len(words)]}".rpartition("-")[0]
    if words == text.replace("/", "-"):
        return words
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=2).hexdigest()
    return f"{words}-{digest}".strip("-")


def _guarded(value: object) -> object:
    value = _plain(value)
    if isinstance(value, str) and value.startswith((*_FORMULA, _MARK)):
        return _MARK + value
    return value


def _finite(value: object) -> object:
    value = _plain(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> object:
    """Return a number of numpy's as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value
