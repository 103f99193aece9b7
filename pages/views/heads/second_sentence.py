"""A second sentence with as many tokens as the first: asked for by views that put one in another.

They share what was typed, so that it stays from one to the other.
"""

import streamlit as st

from core.decoding.sentence import SentenceError
from core.runs.run import Run
from core.studies.effects.second_sentence import alike_in_length, length
from core.studies.opening.examples import sources_beside
from pages.frame import address, cached, controls, session
from pages.frame.language import _, n_, number
from pages.frame.opening import Opened

OTHER = "patch_with"
"""In the URL."""
_DRAWER = "patch_offered"


def ask(opened: Opened) -> str:
    """Ask for a sentence; until one is typed, one of equal length that is most like the first.

    To be called inside of a row; how many tokens both have is said beside it where they differ.
    """
    first = opened.sentence
    known = tuple(example.source for example in (opened.task.examples if opened.task else ()))
    examples = known or sources_beside(opened.run)
    default = cached.of_run(alike_in_length, opened.path, first, examples)
    # What was offered beside other sentences makes room; what was typed does not.
    offered = session.drawer(_DRAWER)
    address.belongs_to(OTHER, first, giving_way={"", first, *examples, *offered})
    offered[default] = True
    st.caption(_("Second sentence"), width="content")
    second = controls.text(
        _("Second sentence"),
        OTHER,
        default,
        labelled=False,
        placeholder=_("Type a second sentence with as many tokens, and press Enter"),
    )
    n_first, n_second = (_length(opened.run, each) for each in (first, second))
    # Where they are equal, there is nothing to be mended.
    if n_first != n_second:
        counted = _("tokens: first {first}, second {second}")
        counted = counted.format(first=number(n_first), second=number(n_second))
        st.caption(counted, width="content")
    return second


def fits(opened: Opened, second: str) -> bool:
    """Return whether a second sentence has as many tokens as the first; say it where it has not."""
    if fitting(opened, second):
        return True
    st.info(_unequal(*(_length(opened.run, each) for each in (opened.sentence, second))))
    return False


def fitting(opened: Opened, second: str) -> bool:
    """Return whether a second sentence has as many tokens as the first."""
    return _length(opened.run, opened.sentence) == _length(opened.run, second)


def _length(run: Run, sentence: str) -> int:
    """Return how many tokens the encoder reads, special ones counted; 0 where there is no text."""
    try:
        return length(run, sentence)
    except SentenceError:
        return 0


def _unequal(n_first: int, n_second: int) -> str:
    """Say how long the second sentence must be."""
    if not n_second:
        text = n_(
            "Type a second sentence of {n} token, special ones counted, as the first one has.",
            "Type a second sentence of {n} tokens, special ones counted, as the first one has.",
            n_first,
        )
        return text.format(n=number(n_first))
    return _(
        "This sentence has {second} tokens, the first {first}, special ones counted. Patching puts "
        "what a head says at a token in the place of another token’s, so both must have equally "
        "many."
    ).format(first=number(n_first), second=number(n_second))
