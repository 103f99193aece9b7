"""What a card says of heads that were made by hand, and of heads that were trained."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Head
from core.studies.heads.card import (
    HeadRow,
    Target,
    head_card,
    strongest,
    study_head,
)
from core.studies.heads.question import Role
from core.studies.heads.roles import roles_of_heads
from core.tokenizer.tokenizer import Token
from tests.core.studies.heads.heads_by_hand import (
    CAUSAL,
    SELF,
    VOCABULARY,
    ByHand,
    pointing,
    questions,
    scores_of,
    sentences,
)

N = 12


def describe(ids):
    return tuple(replace(VOCABULARY[each], word=at) for at, each in enumerate(ids))


def card_of(known, site, key_of):
    return study_head(
        ByHand(known, {site: [pointing(site, key_of)]}),
        known,
        questions(known),
        Head(site, 0),
        {"source": describe, "target": describe},
    )


def texts(ids):
    return [VOCABULARY[each].text for each in ids]


# ---- heads that were made by hand


def test_pairs_targets_and_sizes_are_those_counted_by_hand():
    known = sentences(3)
    card = card_of(known, SELF, lambda pair, row: row + 1)
    expected, targets, sizes = Counter(), Counter(), []
    for pair in known:
        names, n = texts(pair.source), len(pair.source)
        for query in range(n):
            if query + 1 == n:
                targets["several"] += 1
                sizes.append(1 / n)
                continue
            sizes.append(0.7 + 0.3 / n)
            if names[query + 1] in (".", "EOS"):
                targets["delimiter"] += 1
            else:
                targets["word"] += 1
                expected[names[query], names[query + 1]] += 1
    assert Counter(dict(card.pairs)) == expected
    assert [n for _pair, n in card.pairs] == sorted(expected.values(), reverse=True)
    assert Counter(card.target_R.tolist()) == targets
    assert sorted(card.largest_R) == pytest.approx(sorted(sizes))
    lengths = [len(pair.source) for pair in known for _row in pair.source]
    assert card.uniform == pytest.approx(np.mean(1 / np.array(lengths, np.float64)))


def test_examples_of_a_role_have_it_or_have_it_not():
    known = sentences(2)
    card = card_of(known, CAUSAL, lambda pair, row: row - 1 - row % 2)
    found = card.examples[Role.PREVIOUS]
    assert {row.key - row.query for row in found.hits} == {-1}
    assert -1 not in {row.key - row.query for row in found.misses}
    [role] = scores_of(known, {CAUSAL: [pointing(CAUSAL, lambda pair, row: row - 1 - row % 2)]})
    assert {row.key - row.query for row in card.examples[Role.POSITIONAL].hits} == {role.offset}


# ---- heads that were trained


@pytest.mark.parametrize("name", ["encoder.1.self:1", "decoder.0.self:0", "decoder.0.cross:1"])
def test_a_card_agrees_with_the_scores_of_its_roles(copy_run, name):
    head = Head.parse(name)
    role = next(each for each in roles_of_heads(copy_run, N).heads if each.head == head)
    card = head_card(copy_run, head, N)
    assert (card.n_rows, card.n_sentences) == (role.n_rows, role.n_sentences)
    assert card.largest_R.mean() == pytest.approx(role.confidence, abs=1e-6)
    assert set(card.examples) == set(role.scores)
    for each, found in card.examples.items():
        assert bool(found.hits) == (role.scores[each].value > 0)
        assert bool(found.misses) == (role.scores[each].value < 1)


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
        target=Target.WORD,
        pair=pair,
        roles={},
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
