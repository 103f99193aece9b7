"""The visitor's own sentence pairs: taking them in, and saying what a training will find."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.batch import Lengths as Counted
from core.config import ConfigError
from core.tasks import CorpusError
from core.tasks.corpus import Corpus
from core.tasks.pairs import LARGEST, Pairs, as_tsv, read_pairs
from core.training.corpus_report import CorpusReport, corpus_report
from core.training.estimate import Lengths
from core.training.settings import Setting
from pages.frame import cached, controls, session
from pages.frame.charts import chart
from pages.frame.language import N_, _, n_, number, plain
from pages.views.training import settings, text_rows
from pages.views.training.settings import Begun
from viz.charts.curves import Quantity, curves

FILE, PASTED = "pairs_file", "pairs_text"
LARGEST_VOCABULARY = 32_000
VOCABULARY = replace(settings.VOCABULARY, limits=(260, LARGEST_VOCABULARY))
MOST_REFUSED = 100
"""So many of the lines that cannot be used are shown."""
MOST_PIECES = 40
SEPARATORS = {"\t": N_("a tab"), ",": N_("a comma"), ";": N_("a semicolon")}
_BINS = 40
_CHART = 260
"""Height in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnPairs:
    """Pairs that can be learned from."""

    corpus: Corpus
    lengths: Lengths


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """What a file of pairs holds, and what a training will find in it."""

    pairs: Pairs
    corpus: Corpus
    report: CorpusReport


def ask(begun: Begun) -> tuple[OwnPairs | None, dict[str, Setting]]:
    """Ask for pairs and for the size of their vocabulary, and say what is in them.

    Returns:
        The pairs, or None while there are none that can be used; and the size of the vocabulary
        where it differs from the preset's.
    """
    origins = {"file": _("file"), "text": _("text")}
    origin = controls.choice(_("Where from"), "pairs_from", origins, "file")
    name, content = _file() if origin == "file" else _text()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed = settings.ask_one(VOCABULARY, begun)
        size = int(changed.get("vocab_size", begun.preset.vocab_size))
        # Drawn here, filled when it is known.
        beside = st.container()
    if not content.strip():
        how = _("One pair on each line, with a tab, a comma or a semicolon between the two.")
        empty = _("This file is empty.") if name and origin == "file" else ""
        beside.caption(f"{empty} {how}".strip())
        return None, changed
    if not _learnable(changed):
        return None, changed
    with st.spinner(_("Reading the pairs …")):
        taken = _taken(name, content, size, begun.preset.model.max_positions)
    if isinstance(taken, str):
        st.error(plain(taken))
        return None, changed
    with beside:
        st.markdown(f":small[{' · '.join(summary(taken.report, len(taken.pairs.duplicates)))}]")
    _details(taken, begun.preset.model.max_positions - 1)
    return OwnPairs(taken.corpus, taken.report.lengths), changed


def _learnable(changed: dict[str, Setting]) -> bool:
    """Say whether a vocabulary may have this size; where it may not, it is said beside Start."""
    try:
        settings.require_limits(changed, [VOCABULARY])
    except ConfigError:
        return False
    return True


def _file() -> tuple[str, bytes]:
    """Ask for a file; the one that was taken before stays until another comes."""
    shown = st.file_uploader(
        _("A file of pairs"),
        type=["tsv", "csv", "txt"],
        max_upload_size=LARGEST // 2**20,
        key=FILE,
        on_change=session.take_file,
        args=(FILE,),
        label_visibility="collapsed",
    )
    taken: tuple[str, bytes] | None = session.drawer(FILE).get("file")
    if taken is None:
        return "", b""
    name, content = taken
    if shown is None:
        # The widget forgets its file when another page is visited.
        said = _("The pairs of {name} ({size} kB) are still here.")
        st.caption(said.format(name=plain(name), size=number(len(content) / 1000, 0)))
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
    return _("pasted text"), str(typed or "").encode()


def _taken(name: str, content: bytes, vocab_size: int, max_positions: int) -> _Taken | str:
    """Return what is in the pairs, or why they cannot be used; computed once."""
    digest = hashlib.sha256(content).hexdigest()
    pairs = cached.of_key(_read, f"{digest} {name}", content, name)
    if isinstance(pairs, str):
        return pairs
    key = f"{digest} {name} {vocab_size} {max_positions}"
    found: _Taken | str = cached.of_key(_reported, key, pairs, name, vocab_size, max_positions)
    if isinstance(found, str) and pairs.refused:
        return f"{found}. {_refusals(pairs)}"
    return found


def _read(content: bytes, name: str) -> Pairs | str:
    try:
        return read_pairs(content, name)
    except CorpusError as error:
        return str(error)


def _reported(pairs: Pairs, name: str, vocab_size: int, max_positions: int) -> _Taken | str:
    try:
        corpus = Corpus(name, pairs.samples)
        return _Taken(pairs, corpus, corpus_report(pairs.samples, vocab_size, max_positions))
    except CorpusError as error:
        return str(error)


def _refusals(pairs: Pairs) -> str:
    """Say which line is the first that cannot be used, and how many there are."""
    first, n = pairs.refused[0], len(pairs.refused)
    return n_(
        "{n} line cannot be used; it is line {line}: {reason}",
        "{n} lines cannot be used; the first is line {line}: {reason}",
        n,
    ).format(n=number(n), line=number(first.line), reason=first.reason)


def summary(report: CorpusReport, n_repeated: int) -> list[str]:
    """Return what is counted in pairs, in a few words each."""
    sources = n_("one source", "{n} different sources", report.n_sources)
    left_out = {_("{n} repeated"): n_repeated, _("{n} too long"): report.n_too_long}
    return [
        n_("**{n} pair** of {sources}", "**{n} pairs** of {sources}", report.n_pairs).format(
            n=number(report.n_pairs), sources=sources.format(n=number(report.n_sources))
        ),
        _("{n} to learn from").format(n=number(report.n_train)),
        _("{n} held out").format(n=number(report.n_held_out)),
        _("{n} tokens learned").format(n=number(report.vocab_size)),
        *(text.format(n=number(n)) for text, n in left_out.items() if n),
    ]


def _details(taken: _Taken, longest: int) -> None:
    """Show how the pairs are split, the lines that cannot be used, and how long pairs are."""
    refused = taken.pairs.refused
    if refused:
        title = n_("{n} line cannot be used", "{n} lines cannot be used", len(refused)).format(
            n=number(len(refused))
        )
        with st.expander(title, key="pairs_refused", icon=":material/warning:"):
            shown = refused[:MOST_REFUSED]
            st.dataframe(
                {
                    _("line"): [line.line for line in shown],
                    _("why"): [line.reason for line in shown],
                    _("text"): [line.text for line in shown],
                },
                column_config={_("line"): st.column_config.NumberColumn(width="small")},
                hide_index=True,
            )
            if len(refused) > len(shown):
                st.caption(_("The first {n} of them.").format(n=len(shown)))
    st.caption(
        _("Source and target as they were read, with {separator} between them.").format(
            separator=_(SEPARATORS[taken.pairs.separator])
        )
    )
    text_rows.show_pairs(
        (text_rows.pieces(source, MOST_PIECES), text_rows.pieces(target, MOST_PIECES))
        for source, target in taken.report.examples
    )
    with st.expander(_("How long the pairs are")):
        _lengths(taken.report, longest)
    st.download_button(
        _("Pairs as they are learned (TSV)"),
        data=lambda: as_tsv(taken.pairs.samples),
        file_name="pairs.tsv",
        mime="text/tab-separated-values",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )


def _lengths(report: CorpusReport, most: int) -> None:
    """Draw how many sentences have how many tokens."""
    longest = int(max(report.source_tokens.max(), report.target_tokens.max()))
    edges = np.linspace(0, longest + 1, min(_BINS, longest + 1) + 1)
    drawn = curves(
        {
            _("source"): _counted(report.source_tokens, edges),
            _("target"): _counted(report.target_tokens, edges),
        },
        x=Quantity(_("tokens of a sentence")),
        y=Quantity(_("sentences")),
        at=edges[:-1].tolist(),
        title=_("How many sentences have how many tokens"),
    )
    chart(drawn.properties(height=_CHART))
    st.caption(
        _(
            "Words on average: {source} in a source, {target} in a target. A sentence may have "
            "{most} tokens."
        ).format(
            source=number(float(report.source_words.mean()), padded=False),
            target=number(float(report.target_words.mean()), padded=False),
            most=number(most),
        )
    )


def _counted(lengths: Counted, edges: NDArray[np.float64]) -> list[float]:
    return np.histogram(lengths, edges)[0].tolist()
