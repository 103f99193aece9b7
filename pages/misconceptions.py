"""What course notes get wrong: each statement with the figures of the chosen model that refute it.

They are `pages/texts/<language>/misconceptions.toml`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.studies import misconceptions as studies
from core.studies.opening.examples import examples_of
from pages.frame import links, notes, selection, texts
from pages.frame.language import _, number, percent, plain
from pages.frame.needs import Need, missing
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened

_COLOURS = {"wrong": "red", "half": "orange"}
"""Verdict → the colour of its badge."""


@dataclass(frozen=True, slots=True)
class _Figures:
    """What was measured, in the order of the statement's labels."""

    values: Sequence[str]
    names: Mapping[str, str] = field(default_factory=dict)
    """What fills the {names} of the labels and of the text below."""


def render() -> None:
    """Ask for a model and a sentence, and list the statements, two in a row."""
    page = texts.toml("misconceptions")
    opened = selection.model_and_sentence(asked=True, telling=lambda run, task: "")
    if opened is None:
        return
    heading = _("What course notes get wrong")
    st.markdown(f"**{heading}**  \n:small[{page['about']}]")
    names = list(_MEASURES)
    for first in range(0, len(names), 2):
        row = st.columns(2, gap="small")
        for column, name in zip(row, names[first : first + 2], strict=True):
            with column, st.container(border=True, height="stretch", key=f"statement_{name}"):
                _draw(opened, page, name)


def _draw(opened: Opened, page: Mapping[str, Any], name: str) -> None:
    statement = page["statements"][name]
    verdict = statement["verdict"]
    badge = f":{_COLOURS[verdict]}-badge[{page['verdicts'][verdict]}]"
    st.markdown(f"**“{statement['says']}”** {badge}")
    st.markdown(f":small[{statement['why']}]")
    needs, measure = _MEASURES[name]
    need = missing(opened.run.settings, needs)
    figures = measure(opened) if need is None else None
    if figures is None:
        lack = page["lacks"][need.value if need else "words"]
        st.caption(lack.format(model=plain(opened.run.name)))
    else:
        with st.container(horizontal=True, gap="medium"):
            for label, value in zip(statement["figures"], figures.values, strict=False):
                st.metric(label.format(**figures.names), value, width="content")
        st.caption(statement["measured"].format(**figures.names))
    to, query = links.read(statement["link"])
    links.link(to, _("See it"), ":material/visibility:", query)


def _by_target(opened: Opened) -> _Figures:
    found = Recipe(studies.change_by_target, opened.writer, opened.sentence).result()
    return _by_stack(found)


def _by_order(opened: Opened) -> _Figures:
    found = Recipe(studies.change_by_order, opened.writer, opened.sentence).result()
    return _by_stack(found)


def _by_stack(found: studies.ByStack) -> _Figures:
    both = (found.encoder, found.decoder)
    return _Figures(["–" if each is None else percent(each) for each in both])


def _nonlinear(opened: Opened) -> _Figures:
    found = Recipe(studies.nonlinearity, opened.writer, opened.sentence).result()
    return _Figures([percent(found.attention), percent(found.feed_forward)])


def _without_scores(opened: Opened) -> _Figures:
    found = Recipe(studies.change_by_another_word, opened.writer, opened.sentence).result()
    return _Figures([percent(found.attention), percent(found.feed_forward)])


def _co_occurrence(opened: Opened) -> _Figures | None:
    """Compare with the first other example in which two words of the sentence stand."""
    examples = (opened.task.examples if opened.task else ()) or examples_of(opened.run)
    here = selection.inspecting(opened.writer, opened.sentence, whole_words=True)
    for each in examples:
        if each.source == opened.sentence:
            continue
        there = selection.inspecting(opened.writer, each.source, whole_words=True)
        if found := Recipe(studies.changed_pair, here, there).result():
            names = {
                "head": notes.within_sentence(found.head),
                "query": plain(found.query),
                "key": plain(found.key),
                "other": plain(each.source),
            }
            return _Figures([percent(found.weight), percent(found.other_weight)], names)
    return None


def _ranks(opened: Opened) -> _Figures | None:
    found = Recipe(studies.ranks, opened.writer, opened.sentence).result()
    if found is None:
        return None
    names = {
        "head": notes.site_and_head(found.head),
        "n": number(found.n),
        "d_k": number(found.d_k),
    }
    return _Figures([number(found.products), number(found.weights)], names)


def _mirrored(opened: Opened) -> _Figures | None:
    found = Recipe(studies.mirrored, opened.writer, opened.sentence).result()
    if found is None:
        return None
    names = {
        "head": notes.site_and_head(found.head),
        "query": plain(found.query),
        "key": plain(found.key),
    }
    scores, weights = (number(each, 2) for each in found.scores), map(percent, found.weights)
    return _Figures([" · ".join(scores), " · ".join(weights)], names)


def _beyond(opened: Opened) -> _Figures | None:
    found = Recipe(studies.beyond_training).result()
    if found is None:
        return None
    names = {"learned": number(found.longest_learned), "longest": number(found.longest)}
    return _Figures([percent(found.right_learned), percent(found.right_longest)], names)


_PARTS = (Need.ENCODER_SELF, Need.FEED_FORWARD, Need.OWN_MODULES)
_PRODUCTS = (Need.ENCODER_SELF, Need.DOT_PRODUCTS)
_MEASURES: Mapping[str, tuple[Sequence[Need], Callable[[Opened], _Figures | None]]] = {
    "teacher-forcing": ((Need.BOTH,), _by_target),
    "linear": (_PARTS, _nonlinear),
    "co-occurrence": ((Need.ENCODER_SELF,), _co_occurrence),
    "zero": (_PARTS, _without_scores),
    "rank": (_PRODUCTS, _ranks),
    "symmetric": (_PRODUCTS, _mirrored),
    "order": ((Need.ENCODER_SELF, Need.NEXT, Need.DECODER_SELF, Need.OWN_MODULES), _by_order),
    "length": ((), _beyond),
}
"""Statement → what its figures need of a model, and what measures them."""


if __name__ == "__main__":
    from app import main

    main()
