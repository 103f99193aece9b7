"""Text of the visitor's own for an opened model."""

from zlib import crc32

import streamlit as st

from core.runs.own_text import MOST_LINES, give_text, n_given, take_text_back, text_of
from core.runs.run import RunError
from core.studies.heads.texts import Source
from core.tasks.pairs import LARGEST
from pages.frame import cached, controls, service, session
from pages.frame.language import _, joined, n_, plain
from pages.frame.messages import explained
from pages.frame.selection import Opened

TEXT = "roles_text"
"""In the link: on which text the roles are measured."""
RANDOM: Source = "random"
OWN: Source = "own"
_FILE, _TYPED = "own_text_file", "own_text_typed"


def ask_text(opened: Opened) -> bool:
    """Ask which text the heads read, and offer to bring some; True for the visitor's own lines."""
    own = opened.run.settings.has_lines
    if own:
        texts = {RANDOM: _("random tokens, twice"), OWN: _("your lines")}
        own = controls.choice(_("Text"), TEXT, texts, OWN) == OWN
    # A model that was trained here is measured on what it learned.
    if opened.run.settings.is_opened:
        offer_text(opened)
    return own


def offer_text(opened: Opened) -> None:
    """Let text be given to an opened model, changed and taken back."""
    if not cached.may_write(opened.path):
        return
    with st.popover(_("Your own text"), icon=":material/edit_note:"):
        _bring(opened)


def _bring(opened: Opened) -> None:
    """Ask for text, and keep it beside the model."""
    pairs = opened.run.settings.model.is_encoder_decoder
    st.markdown(_what_for(opened))
    try:
        kept, n = text_of(opened.path), n_given(opened.path)
    except RunError as error:
        st.error(plain(explained(error)))
        kept, n = "", 0
    if n:
        st.caption(
            n_("Kept with the model: {n} pair.", "Kept with the model: {n} pairs.", n)
            if pairs
            else n_("Kept with the model: {n} line.", "Kept with the model: {n} lines.", n)
        )
    # Another text, or another model, brings boxes of its own.
    of = f"{opened.path.name}_{crc32(kept.encode())}"
    typed = st.text_area(
        _("Text, line by line"),
        kept,
        key=f"{_TYPED}--{of}",
        persist_state="session",
        placeholder=_example(opened),
    )
    file = st.file_uploader(
        _("A file"),
        type=["tsv", "csv", "txt"],
        max_upload_size=service.current().upload_megabytes(LARGEST // 2**20),
        key=f"{_FILE}--{of}",
    )
    content, name = str(typed or "").encode(), _("pasted text")
    if file is not None:
        content, name = file.getvalue(), file.name
    with st.container(horizontal=True):
        if st.button(_("Measure on it"), type="primary"):
            _take(opened, content, name)
        if n and st.button(_("Take it back"), type="tertiary", icon=":material/delete:"):
            _take_back(opened)


def _what_for(opened: Opened) -> str:
    """Return what text is asked for, and what is measured on it."""
    if opened.run.settings.model.is_encoder_decoder:
        return _(
            "Give the model pairs of your own, a source and its translation on each line, a tab "
            "between them (or a file: TSV, CSV). Then roles, cards and what silencing costs are "
            "measured on them."
        )
    if "decoder" in opened.run.settings.model.stacks:
        told = _(
            "Give the model lines of your own. Then roles, cards and what silencing heads costs "
            "are measured on them."
        )
    else:
        told = _("Give the model lines of your own. Then roles and cards are measured on them.")
    taken = n_(
        "The first {n} different line is taken.",
        "The first {n} different lines are taken.",
        MOST_LINES,
    )
    return joined([told, taken])


def _example(opened: Opened) -> str:
    """Return a line to begin with in the model's own languages."""
    written = opened.inspection.translation
    if opened.run.settings.model.is_encoder_decoder:
        return f"{opened.sentence}\t{written.text}"
    return opened.sentence


def _take(opened: Opened, content: bytes, name: str) -> None:
    try:
        n = give_text(opened.path, content, name)
    except (RunError, OSError) as error:
        st.error(plain(explained(error)))
        return
    st.toast(n_("{n} line is kept with the model.", "{n} lines are kept with the model.", n))
    session.choose({TEXT: None})
    st.rerun()


def _take_back(opened: Opened) -> None:
    try:
        take_text_back(opened.path)
    except (RunError, OSError) as error:
        st.error(plain(explained(error)))
        return
    session.choose({TEXT: None})
    st.rerun()
