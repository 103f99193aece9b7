"""What a card says of heads that were made by hand, and of heads that were trained."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Head
from core.studies.heads.card import (
    HeadRow,
    head_card,
    strongest,
    study_head,
)
from core.studies.heads.roles import roles_of_heads
from core.tokenizer.tokenizer import Token
from tests.core.studies.heads.heads_by_hand import (
    SELF,
    VOCABULARY,
    ByHand,
    pointing,
    sentences,
)

N = 12


def describe(ids):
    return tuple(replace(VOCABULARY[each], word=at) for at, each in enumerate(ids))


def card_of(known, site, key_of):
    return study_head(
        ByHand(known, {site: [pointing(site, key_of)]}),
        known,
        Head(site, 0),
        {"source": describe, "target": describe},
    )


# ---- heads that were made by hand


def test_rows_point_at_words_where_there_are_such_and_else_at_what_there_is():
    known = sentences(3)
    card = card_of(known, SELF, lambda pair, row: row + 1)
    assert card.n_rows == sum(len(pair.source) for pair in known)
    for row in card.strongest:
        assert (row.key, row.on_word) == (row.query + 1, True)
        assert row.weight == pytest.approx(0.7 + 0.3 / len(row.keys))
        assert row.keys[row.key].text not in (".", "EOS")
    card = card_of(known, SELF, lambda pair, row: row)
    assert not any(row.on_word for row in card.strongest)


# ---- heads that were trained


@pytest.mark.parametrize("name", ["encoder.1.self:1", "decoder.0.self:0", "decoder.0.cross:1"])
def test_a_card_agrees_with_the_scores_of_its_roles(copy_run, name):
    head = Head.parse(name)
    role = next(each for each in roles_of_heads(copy_run, N).heads if each.head == head)
    card = head_card(copy_run, head, N)
    assert (card.n_rows, card.n_sentences) == (role.n_rows, role.n_sentences)


# ---- rules


def row_of(sentence, weight, pair):
    tokens = tuple(Token(text, False, at) for at, text in enumerate(pair))
    return HeadRow(
        sentence=sentence,
        text="",
        queries=tokens,
        keys=tokens,
        predicted=None,
        query=0,
        key=1,
        weights_K=np.array([1 - weight, weight], np.float32),
        visible_K=np.ones(2, bool),
        on_word=True,
        pair=pair,
    )


ROWS = st.lists(
    st.builds(
        row_of,
        st.integers(0, 6),
        st.floats(0.5, 1),
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")),
    )
)


@given(ROWS, st.integers(1, 5))
def test_the_strongest_rows_are_of_different_sentences_and_pairs(rows, n):
    found = strongest(rows, n)
    best = {}
    for row in rows:
        best[row.sentence] = max(best.get(row.sentence, 0), row.weight)
    assert len(found) == min(n, len(best))
    assert len({row.sentence for row in found}) == len(found)
    assert all(row.weight == best[row.sentence] for row in found)
    if rows:
        assert round(found[0].weight, 2) == round(max(best.values()), 2)
    # No pair comes twice before each has come once.
    candidates = {row.sentence: row for row in reversed(strongest(rows, len(rows) + 1))}
    kinds = {row.pair for row in candidates.values()}
    assert len({row.pair for row in found}) == min(n, len(kinds))
