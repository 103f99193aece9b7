"""The visitor's own sentence pairs: taking them in, and saying what a training will find."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.messages import Message
from core.tasks import CorpusError, Sample
from core.tasks.columns import Reading
from core.tasks.corpus import FEWEST_SOURCES, Corpus
from core.tasks.pairs import FOUND, LARGEST, Pairs, TooLargeError, read_pairs
from core.tasks.task import Part
from core.training.corpus_report import corpus_report
from core.training.presets import Setting, vocabulary_for
from pages.frame import cached, controls, service, session
from pages.frame.cached import Keyed
from pages.frame.language import N_, _, ended, joined, labelled, number, plain
from pages.frame.messages import explained
from pages.views.training import knobs, pairs_columns, pairs_found, settings
from pages.views.training.pairs_found import Taken
from pages.views.training.settings import Begun

FILE, PASTED = "pairs_file", "pairs_text"
HELD_OUT: dict[Part, tuple[str, str]] = {
    "valid": ("valid_file", N_("Pairs to watch the training by")),
    "test": ("test_file", N_("Pairs to measure the trained model by")),
}
"""Part → key of the element that asks for its file, and label."""
LARGEST_VOCABULARY = 32_000
VOCABULARY = replace(knobs.VOCABULARY, limits=(260, LARGEST_VOCABULARY))


@dataclass(frozen=True, slots=True, eq=False)
class OwnPairs:
    """Pairs that can be learned from."""

    corpus: Corpus
    vocab_size: int
    """As learned from them."""


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
    held_out: dict[Part, tuple[str, bytes]] = {}
    if origin == "file":
        name, content = _file(FILE, _("A file of pairs"), labelled=False)
        with st.expander(
            _("Two more files: to watch the training by, and to measure by at its end")
        ):
            held_out = _held_out()
    else:
        name, content = _text()
    reading, digest, pairs = _pairs_in(name, content)
    # Drawn here, filled when it is known: what is wrong stands where the pairs are given.
    below = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        suitable = (
            vocabulary_for(len(pairs.samples), pairs.samples) if isinstance(pairs, Pairs) else None
        )
        changed = settings.ask_one(VOCABULARY, begun, suitable)
        size = int(changed.get("vocab_size", begun.preset.vocab_size))
        # Drawn here, filled when it is known.
        beside = st.container()
    if not content.strip():
        below.caption(_how_given(is_empty=bool(name) and origin == "file"))
        return None, changed
    if not _learnable(changed):
        return None, changed
    with st.spinner(_("Reading the pairs …")):
        taken = (
            pairs
            if isinstance(pairs, str)
            else _taken(name, digest, pairs, held_out, size, model, reading)
        )
    if isinstance(taken, str):
        with below:
            _refuse(taken, pairs)
        return None, changed
    with beside:
        st.markdown(
            f":small[{' · '.join(pairs_found.summary(taken.report, len(taken.pairs.duplicates)))}]"
        )
    for warning in pairs_found.in_both(taken.corpus):
        st.warning(warning)
    pairs_found.details(taken)
    return OwnPairs(taken.corpus, taken.report.vocab_size), changed


def _how_given(*, is_empty: bool) -> str:
    """Say what pairs look like, and how many there are to be."""
    how = _("One pair on each line, with a tab, a comma or a semicolon between the two.")
    least = _("At least {n} different sources are needed.").format(n=number(FEWEST_SOURCES))
    return joined([_("This file is empty.") if is_empty else "", how, least]).strip()


def _refuse(why: str, pairs: Pairs | str) -> None:
    """Say why nothing can be learned, and show the first pairs where there are any."""
    st.error(plain(ended(explained(why))))
    if isinstance(pairs, Pairs):
        pairs_found.first(pairs)


def _pairs_in(name: str, content: bytes) -> tuple[Reading, str, Pairs | str]:
    """Ask how a file is to be read, and return that, what stands for both, and its pairs.

    In their place is why there are none.
    """
    if not content.strip():
        return FOUND, "", ""
    reading = pairs_columns.ask(content, name, _digest(name, content, FOUND))
    digest = _digest(name, content, reading)
    with st.spinner(_("Reading the pairs …")):
        return reading, digest, cached.call(_read, Keyed(digest, content), name, reading)


def _learnable(changed: dict[str, Setting]) -> bool:
    """Say whether a vocabulary may have this size; if not, the reason is shown beside Start."""
    try:
        settings.require_limits(changed, [VOCABULARY])
    except ConfigError:
        return False
    return True


def _held_out() -> dict[Part, tuple[str, bytes]]:
    """Ask for the files of the held-out parts: part → name and content, where there is one."""
    st.caption(
        _("A part without a file is split off: a twentieth of the sources, by a hash of each.")
    )
    columns = st.columns(2)
    found = {}
    for column, (part, (key, label)) in zip(columns, HELD_OUT.items(), strict=True):
        with column:
            name, content = _file(key, _(label), labelled=True)
        if name:
            found[part] = (name, content)
    return found


def _file(key: str, label: str, *, labelled: bool) -> tuple[str, bytes]:
    """Ask for a file; the one that was taken before stays until another comes."""
    shown = st.file_uploader(
        label,
        type=["tsv", "csv", "txt", "jsonl", "gz"],
        max_upload_size=service.current().upload_megabytes(LARGEST // 2**20),
        key=key,
        on_change=session.take_file,
        args=(key,),
        label_visibility="visible" if labelled else "collapsed",
    )
    taken: tuple[str, bytes] | None = session.storage(key).get("file")
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


def _taken(  # noqa: PLR0913
    name: str,
    digest: str,
    pairs: Pairs,
    held_out: Mapping[Part, tuple[str, bytes]],
    vocab_size: int,
    model: ModelConfig,
    reading: Reading,
) -> Taken | str:
    """Return what is in the pairs, or why they cannot be used; computed once."""
    parts: dict[Part, tuple[Sample, ...]] = {}
    for part, (its_name, its_content) in held_out.items():
        its = _digest(its_name, its_content, reading)
        found = cached.call(_read, Keyed(its, its_content), its_name, reading)
        if isinstance(found, str):
            return found
        if found.refused:
            return labelled(its_name, pairs_found.refusals(found))
        digest = f"{digest} {part} {its}"
        parts[part] = found.samples
    taken: Taken | str = cached.call(
        _reported, Keyed(digest, pairs), Keyed(digest, parts), name, vocab_size, model
    )
    if isinstance(taken, str) and pairs.refused:
        return joined([ended(explained(taken)), pairs_found.refusals(pairs)])
    return taken


def _digest(name: str, content: bytes, reading: Reading) -> str:
    return f"{hashlib.sha256(content).hexdigest()} {name} {reading}"


def _read(content: bytes, name: str, reading: Reading) -> Pairs | str:
    try:
        return read_pairs(content, name, reading)
    except TooLargeError as error:
        more = N_("{why}. The command line takes more: python -m core train OUT --task FILE")
        return Message(more, why=error.args[0])
    except CorpusError as error:
        return _why(error)


def _why(error: CorpusError) -> str:
    # What is kept is for all visitors: each reads it in a language of their own.
    message: str = error.args[0]
    return message


def _reported(
    pairs: Pairs,
    parts: Mapping[Part, tuple[Sample, ...]],
    name: str,
    vocab_size: int,
    model: ModelConfig,
) -> Taken | str:
    try:
        corpus = Corpus(name, pairs.samples, parts.get("valid"), parts.get("test"))
        return Taken(pairs, corpus, corpus_report(corpus, vocab_size, model))
    except CorpusError as error:
        return _why(error)
