"""A second sentence with as many tokens as the first, for patching."""

import streamlit as st

from core.decoding.sentence import SentenceError
from core.runs.run import Run
from core.studies.effects.second_sentence import alike_in_length, length, one_word_changed
from core.studies.opening.examples import sources_beside
from core.tasks.symbols import is_of_letters
from pages.frame import cached, controls, session
from pages.frame.language import _, n_, number
from pages.frame.selection import Opened

OTHER = "patch_with"
"""In the URL."""
_DRAWER = "patch_offered"


def ask(opened: Opened) -> str:
    """Ask for a sentence; until one is typed, the example of equal length most like the first.

    A word changed by the machine makes no sentence, but a letter changed makes another row of them.
    """
    first = opened.sentence
    known = tuple(example.source for example in (opened.task.examples if opened.task else ()))
    examples = known or sources_beside(opened.run)
    default = cached.call(alike_in_length, opened.path, first, examples)
    if not default and is_of_letters(opened.task):
        default = cached.call(one_word_changed, opened.path, first)
    # What was offered beside other sentences makes room; what was typed does not.
    offered = session.storage(_DRAWER)
    session.belongs_to(OTHER, first, giving_way={"", first, *examples, *offered})
    offered[default] = True
    st.caption(_("Second sentence"), width="content")
    return controls.text(
        _("Second sentence"),
        OTHER,
        default,
        labelled=False,
        placeholder=_("Type a second sentence with as many tokens, and press Enter"),
    )


def fits(opened: Opened, second: str) -> bool:
    """Return whether a second sentence has as many tokens as the first; say it where it has not."""
    n_first, n_second = (_length(opened.run, each) for each in (opened.sentence, second))
    if n_first == n_second:
        return True
    text = _(
        "This sentence has {second} tokens, the first {first}, special ones counted. Patching puts "
        "what a head says at a token in the place of another token’s, so both must have equally "
        "many."
    )
    if not n_second:
        text = n_(
            "Type a second sentence of {first} token, special ones counted, as the first one has.",
            "Type a second sentence of {first} tokens, special ones counted, as the first one has.",
            n_first,
        )
    st.info(text.format(second=number(n_second), first=number(n_first)))
    return False


def _length(run: Run, sentence: str) -> int:
    """Return how many tokens the encoder reads, special ones counted; 0 where there is no text."""
    try:
        return length(run, sentence)
    except SentenceError:
        return 0
