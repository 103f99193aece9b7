"""What course notes get wrong: each statement with the figures of the chosen model that refute it.

They are `pages/texts/<language>/misconceptions.toml`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.heads import Head
from core.studies import misconceptions as studies
from core.studies.misconceptions import Figures
from core.studies.opening.examples import sources_beside
from pages.frame import links, notes, selection, texts
from pages.frame.language import _, number, percent, plain
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened

_COLOURS = {"wrong": "red", "half": "orange"}
"""Verdict → the colour of its badge."""


def render() -> None:
    """Ask for a model and a sentence, and list the statements, two in a row."""
    opened = selection.model_and_sentence(asked=True, telling=lambda run, task: "")
    if opened is None:
        return
    page = texts.toml("misconceptions")
    heading = _("What course notes get wrong")
    st.markdown(f"**{heading}**  \n:small[{page['about']}]")
    names = list(_MEASURES)
    for first in range(0, len(names), 2):
        row = st.columns(2, gap="small")
        for column, name in zip(row, names[first : first + 2], strict=True):
            with column, st.container(border=True, height="stretch", key=f"statement_{name}"):
                _draw(opened, page, name)


def _draw(opened: Opened, page: Mapping[str, Any], name: str) -> None:
    """Show a statement, its verdict, why, the figures, and a link to a view."""
    statement = page["statements"][name]
    verdict = statement["verdict"]
    badge = f":{_COLOURS[verdict]}-badge[{page['verdicts'][verdict]}]"
    st.markdown(f"**“{statement['says']}”** {badge}")
    st.markdown(f":small[{statement['why']}]")
    needs, measure, formats = _MEASURES[name]
    need = missing(opened.run.settings, needs)
    figures = measure(opened) if need is None else None
    if figures is None:
        lack = page["lacks"][need.value if need else "words"]
        st.caption(lack.format(model=plain(opened.run.name)))
    else:
        written = {each: _written(value) for each, value in figures.names.items()}
        with st.container(horizontal=True, gap="medium"):
            rows = zip(statement["figures"], figures.values, formats, strict=True)
            for label, value, how in rows:
                if value is not None:
                    st.metric(label.format(**written), how(value), width="content")
        st.caption(statement["measured"].format(**written))
    to, query = links.read(statement["link"])
    links.link(to, _("See it"), ":material/visibility:", query)


def _written(value: str | int | Head) -> str:
    match value:
        case Head():
            return notes.site_and_head(value)
        case int():
            return number(value)
    return plain(value)


def _measured(function: Callable[..., Figures | None], opened: Opened) -> Figures | None:
    return Recipe(function, opened.writer, opened.sentence).result()


def _co_occurrence(opened: Opened) -> Figures | None:
    """Compare with the first other example in which two words of the sentence stand."""
    examples = [each.source for each in opened.task.examples] if opened.task else []
    here = selection.inspecting(opened.writer, opened.sentence, whole_words=True)
    for each in (*examples, *sources_beside(opened.run)):
        there = selection.inspecting(opened.writer, each, whole_words=True)
        if found := Recipe(studies.changed_pair, here, there).result():
            return Figures(found.values, {**found.names, "other": each})
    return None


_PARTS = (Need.ENCODER_SELF, Need.FEED_FORWARD, Need.OWN_MODULES)
_PRODUCTS = (Need.ENCODER_SELF, Need.DOT_PRODUCTS)
_SHARES, _SCORE = (percent, percent), partial(number, digits=2)
_MEASURES: Mapping[
    str,
    tuple[Sequence[Need], Callable[[Opened], Figures | None], Sequence[Callable[[float], str]]],
] = {
    "teacher-forcing": ((Need.BOTH,), partial(_measured, studies.change_by_target), _SHARES),
    "linear": (_PARTS, partial(_measured, studies.nonlinearity), _SHARES),
    "co-occurrence": ((Need.ENCODER_SELF,), _co_occurrence, _SHARES),
    "zero": (_PARTS, partial(_measured, studies.change_by_another_word), _SHARES),
    "rank": (_PRODUCTS, partial(_measured, studies.ranks), (number, number)),
    "symmetric": (_PRODUCTS, partial(_measured, studies.mirrored), (_SCORE, *_SHARES)),
    "order": (
        (Need.ENCODER_SELF, Need.NEXT, Need.DECODER_SELF, Need.OWN_MODULES),
        partial(_measured, studies.change_by_order),
        _SHARES,
    ),
    "length": ((), lambda opened: Recipe(studies.beyond_training).result(), _SHARES),
}
"""Statement → what its figures need of a model, what measures them, and how each is written."""


if __name__ == "__main__":
    from app import main

    main()
