"""The visitor's own sentence pairs: how they are read, and what a training will find in them."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.installed import COMMAND
from core.messages import Message
from core.tasks import CorpusError
from core.tasks.columns import Layout, Reading
from core.tasks.corpus import FEWEST_SOURCES, FILES, Corpus
from core.tasks.pairs import FOUND, LARGEST, Pairs, TooLargeError, as_tsv, layout_in, read_pairs
from core.tokenizer.tokenizer import Tokenizer
from core.training.forecast import CorpusReport, corpus_report
from core.training.prepare import train_tokenizer
from core.training.presets import Setting, vocabulary_for
from pages.frame import controls, service, session
from pages.frame.cached import Keyed
from pages.frame.language import N_, _, joined, n_, number, plain
from pages.frame.messages import explained
from pages.frame.recipe import Recipe
from pages.views.training import knobs, settings
from pages.views.training.settings import Begun

FILE, PASTED = "pairs_file", "pairs_text"
LARGEST_VOCABULARY = 32_000
VOCABULARY = replace(knobs.VOCABULARY, limits=(260, LARGEST_VOCABULARY))
FIRST = 3
"""Number of pairs that are shown."""
MOST_REFUSED = 100
"""Maximum number of unusable lines that are shown."""
AS_LEARNED = N_("Pairs as they are learned (TSV)")


@dataclass(frozen=True, slots=True, eq=False)
class OwnPairs:
    """Pairs that can be learned from."""

    corpus: Corpus
    tokenizer: Tokenizer
    report: CorpusReport


def ask(begun: Begun, model: ModelConfig) -> tuple[OwnPairs | None, dict[str, Setting]]:
    """Ask for pairs and for the size of their vocabulary, and say what is in them.

    Args:
        begun: The preset.
        model: What is to learn them.

    Returns:
        The pairs, or None while there are none that can be used; and the size of the vocabulary
        where it differs from the preset's.
    """
    origins = {"file": _("file"), "text": _("text")}
    origin = controls.choice(_("Where from"), "pairs_from", origins, "file")
    name, content = _file() if origin == "file" else _text()
    digest, pairs = _ask_reading(content, name) if content.strip() else ("", "")
    # Drawn here, filled when it is known: what is wrong stands where the pairs are given.
    below = st.container()
    suitable = None if isinstance(pairs, str) else vocabulary_for(len(pairs.rows), pairs.rows)
    changed = settings.ask_one(VOCABULARY, begun, suitable)
    if not content.strip():
        below.caption(_how_given(is_empty=bool(name) and origin == "file"))
        return None, changed
    try:
        settings.require_limits(changed, [VOCABULARY])
    except ConfigError:
        # The reason is shown beside Start.
        return None, changed
    size = int(changed.get("vocab_size", begun.preset.vocab_size))
    found: OwnPairs | str = pairs if isinstance(pairs, str) else ""
    if isinstance(pairs, Pairs):
        with st.spinner(_("Reading the pairs …")):
            found = Recipe(_reported, Keyed(digest, pairs), size, model).result()
    with below:
        if isinstance(found, str):
            st.error(plain(_("{text}.").format(text=explained(found))))
        else:
            st.markdown(f":small[{' · '.join(_summary(found))}]")
        if isinstance(pairs, Pairs):
            _show(pairs)
    return (None if isinstance(found, str) else found), changed


def show_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Show source and target of pairs beside each other."""
    sources, targets = zip(*pairs, strict=True)
    columns = {_("source"): sources, _("target"): targets}
    st.dataframe(columns, hide_index=True, height="content", alt=_("Pairs of source and target"))


def _how_given(*, is_empty: bool) -> str:
    """Say what pairs look like, and how many there are to be."""
    how = _("One pair on each line, with a tab, a comma or a semicolon between the two.")
    least = _("At least {n} different sources are needed.").format(n=number(FEWEST_SOURCES))
    return joined([_("This file is empty.") if is_empty else "", how, least]).strip()


def _file() -> tuple[str, bytes]:
    """Ask for a file; the one that was taken before stays until another comes."""
    shown = st.file_uploader(
        _("A file of pairs"),
        type=["tsv", "csv", "txt", "jsonl", "gz"],
        max_upload_size=service.current().upload_megabytes(LARGEST // 2**20),
        key=FILE,
        on_change=session.take_file,
        args=(FILE,),
        label_visibility="collapsed",
    )
    taken: tuple[str, bytes] | None = session.storage(FILE).get("file")
    if taken is None:
        return "", b""
    name, content = taken
    if shown is None:
        # The widget forgets its file when another page is visited.
        here = _("The pairs of {name} ({size} kB) are still here.")
        st.caption(here.format(name=plain(name), size=number(len(content) / 1000, 0)))
    return name, content


def _text() -> tuple[str, bytes]:
    typed = st.text_area(
        _("Pairs, one on each line"),
        key=PASTED,
        persist_state="session",
        height=140,
        placeholder=_("The house is red.; La maison est rouge."),
        label_visibility="collapsed",
    )
    return _("Pasted text"), str(typed or "").encode()


def _ask_reading(content: bytes, name: str) -> tuple[str, Pairs | str]:
    """Ask how a file is to be read; return a key for both, and its pairs or why there are none."""
    digest = f"{hashlib.sha256(content).hexdigest()} {name}"
    reading = _ask_columns(content, name, digest)
    digest = f"{digest} {reading}"
    with st.spinner(_("Reading the pairs …")):
        return digest, Recipe(_read, Keyed(digest, content), name, reading).result()


def _ask_columns(content: bytes, name: str, digest: str) -> Reading:
    """Ask whether the first line is a pair, and which of several columns hold the pairs."""
    layout = Recipe(_layout, Keyed(digest, content), name, FOUND).result()
    if layout is None:
        return FOUND
    is_pair = False
    if layout.has_header:
        names = ", ".join(layout.names)
        st.caption(_("The first line names the columns: {names}.").format(names=plain(names)))
        is_pair = controls.toggle(_("The first line is a pair"), "first_pair")
    if len(layout.names) == 2:
        return Reading(header=not is_pair)
    offered = {
        at: plain(each) if layout.has_header else _("column {n}").format(n=each)
        for at, each in enumerate(layout.names)
    }
    source, target = layout.chosen
    with st.container(horizontal=True):
        columns = (
            controls.selection(_("Column of the source"), "source_column", offered, source),
            controls.selection(_("Column of the target"), "target_column", offered, target),
        )
    return Reading(columns, header=not is_pair)


def _summary(found: OwnPairs) -> list[str]:
    """Return what is counted in pairs, in a few words each."""
    report, n_repeated = found.report, found.corpus.n_repeated
    pairs = n_("**{n} pair** of {sources}", "**{n} pairs** of {sources}", report.n_pairs)
    sources = n_("one source", "{n} different sources", report.n_sources)
    left_out = {_("{n} repeated"): n_repeated, _("{n} too long"): report.n_too_long}
    return [
        pairs.format(sources=sources),
        _("{n} to learn from").format(n=number(report.n_train)),
        _("{valid} to watch by, {test} to measure by").format(
            valid=number(report.n_valid), test=number(report.n_test)
        ),
        n_("{n} token learned", "{n} tokens learned", found.tokenizer.vocab_size),
        *(text.format(n=number(n)) for text, n in left_out.items() if n),
    ]


def _show(pairs: Pairs) -> None:
    """Show the lines that cannot be used and the first pairs, and offer all as learned."""
    if refused := pairs.refused[:MOST_REFUSED]:
        n = len(pairs.refused)
        title = n_("{n} line cannot be used", "{n} lines cannot be used", n)
        with st.expander(title, key="pairs_refused", icon=":material/warning:"):
            reasons = [explained(line.reason) for line in refused]
            columns = {_("line"): [line.line for line in refused], _("why"): reasons}
            st.dataframe(columns, hide_index=True)
    if not pairs.rows:
        return
    show_pairs((each.source, each.target) for each in pairs.rows[:FIRST])
    st.download_button(
        _(AS_LEARNED),
        data=partial(as_tsv, pairs.samples),
        file_name=FILES["train"],
        mime="text/tab-separated-values",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )


def _layout(content: bytes, name: str, reading: Reading) -> Layout | None:
    try:
        return layout_in(content, name, reading)
    except CorpusError:
        # The error is shown where the pairs are read.
        return None


def _read(content: bytes, name: str, reading: Reading) -> Pairs | str:
    try:
        return read_pairs(content, name, reading)
    except TooLargeError as error:
        more = N_("{why}. The command line takes more: {command} train OUT --task FILE")
        return Message(more, why=error.args[0], command=COMMAND)
    except CorpusError as error:
        return _why(error)


def _why(error: CorpusError) -> str:
    # What is kept is for all visitors: each reads it in a language of their own.
    message: str = error.args[0]
    return message


def _reported(pairs: Pairs, vocab_size: int, model: ModelConfig) -> OwnPairs | str:
    try:
        corpus = Corpus(pairs.name, pairs.rows)
        tokenizer = train_tokenizer(corpus, vocab_size, 0, model)
        return OwnPairs(corpus, tokenizer, corpus_report(corpus, tokenizer, model))
    except CorpusError as error:
        return _why(error)
