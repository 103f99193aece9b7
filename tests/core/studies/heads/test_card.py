"""The rows that a card shows, of heads that were made by hand and of heads that were trained."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch import Pair
from core.heads import Head
from core.inspection import inspect_sentence
from core.studies.attribution.logit_terms import direct_effect
from core.studies.effects.head_report import HeadRow, drawn_rows, head_card, strata
from core.studies.heads.roles import antecedent, roles_of_heads
from core.tokenizer.tokenizer import Token
from tests.core.studies.heads.heads_by_hand import SELF, VOCABULARY, ByHand, pointing, sentences

N = 12


def describe(ids):
    return tuple(replace(VOCABULARY[each], word=at) for at, each in enumerate(ids))


def rows_of(known, key_of, question=None):
    model = ByHand(known, {SELF: [pointing(SELF, key_of)]})
    sides = {"source": describe, "target": describe}
    return list(drawn_rows(model, known, Head(SELF, 0), question, sides, seed=0))


# ---- heads that were made by hand


def test_of_each_sentence_one_row_is_drawn_and_ranked_by_its_largest_weight():
    known = sentences(3)
    rows = rows_of(known, lambda pair, row: row + 1)
    assert {row.pair for row in rows} == set(known)
    assert len({row.query for row in rows}) > 1
    for row in rows:
        assert row.key == row.query + 1
        assert row.activation == pytest.approx(0.7 + 0.3 / len(row.keys)) == row.weights_K.max()


def test_a_head_with_a_role_is_ranked_by_the_weight_on_what_its_role_wants():
    # Every pronoun stands at 3; it means the noun at 1 or at 2, and the head always looks at 1.
    rows = rows_of(sentences(3), lambda pair, row: 1, antecedent)
    for row in rows:
        [meant] = row.pair.references[0].antecedent
        assert (row.query, row.key) == (3, 1)
        assert row.activation == row.weights_K[meant]
    assert len({row.activation > 0.5 for row in rows}) == 2


# ---- heads that were trained


@pytest.mark.parametrize("name", ["encoder.1.self:1", "decoder.0.self:0", "decoder.0.cross:1"])
def test_a_card_shows_what_the_model_does(copy_run, name):
    head = Head.parse(name)
    card = head_card(copy_run, head, roles_of_heads(copy_run, N), N)
    assert len(card.strata) == 5
    for row in card.strata:
        target = copy_run.target_tokenizer.decode(row.pair.target[1:-1])
        weights_QK = inspect_sentence(copy_run, row.pair.text, target).weights_of(head)
        assert row.weights_K == pytest.approx(weights_QK[row.query], abs=1e-5)
        assert (row.written is None) == head.site.in_encoder
        if row.written is not None:
            ids = row.pair.source, row.pair.target[:-1]
            effect_V = direct_effect(copy_run.model, head, *ids, row.query)
            assert row.written.on_target == effect_V[row.pair.target[row.query + 1]]
            largest = [effect for _token, effect in row.written.promoted]
            assert largest == [each for each in sorted(effect_V, reverse=True)[:5] if each > 0]
            smallest = [effect for _token, effect in row.written.suppressed]
            assert smallest == [each for each in sorted(effect_V)[:5] if each < 0]


# ---- rules


def row_of(activation):
    tokens = (Token("a", False, 0),)
    weights, visible = np.ones(1, np.float32), np.ones(1, bool)
    return HeadRow(Pair((), ()), tokens, tokens, None, 0, weights, visible, activation)


@given(st.lists(st.floats(0, 1, width=32)), st.integers(0, 9))
def test_one_row_is_drawn_of_each_fifth(activations, seed):
    drawn = [row.activation for row in strata([row_of(each) for each in activations], seed)]
    ranked = sorted(activations, reverse=True)
    assert len(drawn) == min(5, len(ranked))
    for fifth, activation in enumerate(drawn):
        groups = np.array_split(ranked, 5)
        assert activation in groups[fifth].tolist()
