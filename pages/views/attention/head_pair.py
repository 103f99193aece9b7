"""The pair of tokens by whose weight heads are compared."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.heads.findings import pronouns_among
from core.analysis.heads.summaries import Pair, pair_to_compare
from core.heads import Head, Kind
from pages.frame import controls, opening, session
from pages.frame.selection import Looked, key_tokens, query_tokens
from pages.frame.text import _

_QUERY, _KEY = "heads_query", "heads_key"


def ask(looked: Looked) -> Pair:
    """Ask for a query and a key, which the URL names by their positions."""
    query, key = _default(looked)
    queries = query_tokens(looked.inspection, looked.kind)
    keys = key_tokens(looked.inspection, looked.kind)
    query = _token(_("query"), [t.text for t in queries], query, session.QUERY)
    st.caption("→", width="content")
    return query, _token(_("key"), [t.text for t in keys], key, session.KEY)


def _token(label: str, texts: Sequence[str], default: int, parameter: str) -> int:
    offered = {index: f"{index} {text}" for index, text in enumerate(texts)}
    return controls.selection(label, parameter, offered, default, labelled=False, width=150)


def _default(looked: Looked) -> Pair:
    """Return the first pronoun and what it stands for, or else the largest weight's tokens."""
    inspection, kind = looked.inspection, looked.kind
    layer, head = opening.default_head(looked.opened.run, kind)
    return pair_to_compare(inspection, kind, _pronoun(looked), Head(kind.site(layer), head))


def _pronoun(looked: Looked) -> int | None:
    """Return the row of the sentence's first pronoun; None where the rows are not its words."""
    if looked.kind is not Kind.ENCODER_SELF:
        return None
    pronouns = pronouns_among(looked.opened.task, looked.opened.inspection.source_words)
    texts = [token.text.lower() for token in looked.inspection.source_tokens]
    return next((row for row, text in enumerate(texts) if text in pronouns), None)
