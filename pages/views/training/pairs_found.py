"""What is in the visitor's own pairs: counts, lengths, how they are split, and what is wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.tasks.columns import JSON_LINES
from core.tasks.corpus import FILES, Corpus
from core.tasks.pairs import Pairs, as_tsv
from core.training.corpus_report import CorpusReport
from pages.frame.language import N_, _, n_, number
from pages.frame.messages import explained
from pages.views.training import text_rows

FIRST = 3
MOST_REFUSED = 100
"""So many of the lines that cannot be used are shown."""
MOST_PIECES = 40
AS_LEARNED = N_("Pairs as they are learned (TSV)")
SEPARATORS = {"\t": N_("a tab"), ",": N_("a comma"), ";": N_("a semicolon"), JSON_LINES: N_("JSON")}


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """What a file of pairs holds, and what a training will find in it."""

    pairs: Pairs
    corpus: Corpus
    report: CorpusReport


def refusals(pairs: Pairs) -> str:
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
        _("{valid} to watch by, {test} to measure by").format(
            valid=number(report.n_valid), test=number(report.n_test)
        ),
        n_("{n} token learned", "{n} tokens learned", report.vocab_size).format(
            n=number(report.vocab_size)
        ),
        *(text.format(n=number(n)) for text, n in left_out.items() if n),
    ]


def details(taken: Taken) -> None:
    """Show the lines that cannot be used and the first pairs, and offer all as learned."""
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
                    _("why"): [explained(line.reason) for line in shown],
                    _("text"): [line.text for line in shown],
                },
                column_config={_("line"): st.column_config.NumberColumn(width="small")},
                hide_index=True,
            )
            if len(refused) > len(shown):
                st.caption(_("The first {n} of them.").format(n=len(shown)))
    _as_read(
        taken.pairs,
        (
            (text_rows.pieces(source, MOST_PIECES), text_rows.pieces(target, MOST_PIECES))
            for source, target in taken.report.examples
        ),
    )
    for part, label in {
        "train": _(AS_LEARNED),
        **{part: _("{file} (TSV)").format(file=FILES[part]) for part in taken.corpus.own_parts},
    }.items():
        samples = taken.corpus.own_parts.get(part, taken.pairs.samples)
        st.download_button(
            label,
            data=partial(as_tsv, samples),
            file_name=FILES[part],
            mime="text/tab-separated-values",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            key=f"pairs_as_{part}",
        )


def first(pairs: Pairs) -> None:
    """Show the first pairs, about which nothing but their text is known."""
    _as_read(
        pairs,
        (
            (text_rows.words(each.source), text_rows.words(each.target))
            for each in pairs.samples[:FIRST]
        ),
    )


def _as_read(pairs: Pairs, shown: Iterable[tuple[text_rows.Chips, text_rows.Chips]]) -> None:
    st.caption(
        _("Source and target as they were read, with {separator} between them.").format(
            separator=_(SEPARATORS[pairs.layout.separator])
        )
    )
    text_rows.show_pairs(shown)


def in_both(corpus: Corpus) -> list[str]:
    """Return what is to be said of sources that stand in two parts."""
    names = {"train": _("to learn from"), "valid": _("to watch by"), "test": _("to measure by")}
    return [
        n_(
            "{n} source is among the pairs {one} and among those {other}: the score says less.",
            "{n} sources are among the pairs {one} and among those {other}: the score says less.",
            n,
        ).format(n=number(n), one=names[one], other=names[other])
        for (one, other), n in corpus.in_both().items()
    ]
