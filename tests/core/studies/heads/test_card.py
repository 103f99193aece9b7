"""What a card says of heads that were made by hand, and of heads that were trained."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.batch import Pair
from core.heads import Head
from core.studies.heads.card import (
    HeadCard,
    HeadRow,
    Target,
    head_card,
    histogram,
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
    antecedent,
    pointing,
    questions,
    scores_of,
    sentences,
)

N = 12


def describe(ids):
    return tuple(VOCABULARY[each] for each in ids)


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


def test_a_head_that_points_from_pronouns_alone_shows_these_rows():
    known = sentences()
    card = card_of(known, SELF, lambda pair, row: antecedent(pair) if row == 3 else None)
    largest = [round(0.7 + 0.3 / len(pair.source), 2) for pair in known]
    expected = sorted(range(len(largest)), key=lambda at: (-largest[at], at))[:4]
    assert [(row.query, row.sentence) for row in card.strongest] == [(3, at) for at in expected]
    for row in card.strongest:
        pair = known[row.sentence]
        n = len(pair.source)
        assert row.key == antecedent(pair)
        assert row.weight == pytest.approx(0.7 + 0.3 / n)
        assert row.pair == tuple(texts([pair.source[3], pair.source[row.key]]))
        assert [token.text for token in row.keys] == texts(pair.source)
        assert row.roles[Role.ANTECEDENT]
        assert row.weights_K.sum() == pytest.approx(1)
    # All other rows are uniform: no key of theirs has the largest weight.
    n_rows = sum(len(pair.source) for pair in known)
    assert card.share(Target.SEVERAL) == pytest.approx(1 - 6 / n_rows)
    assert card.share(Target.WORD) == pytest.approx(6 / n_rows)
    assert sum(n for _pair, n in card.pairs) == 6


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


def test_a_head_that_looks_at_itself_shows_that_for_want_of_words():
    card = card_of(sentences(), CAUSAL, lambda pair, row: row)
    assert card.pairs == ()
    assert set(card.target_R) == {"same"}
    assert {row.target for row in card.strongest} == {Target.SAME}
    assert card.examples[Role.SAME].hits
    assert not card.examples[Role.SAME].misses


def test_examples_of_a_role_have_it_or_have_it_not():
    known = sentences(2)
    card = card_of(known, CAUSAL, lambda pair, row: row - 1 - row % 2)
    found = card.examples[Role.PREVIOUS]
    assert {row.key - row.query for row in found.hits} == {-1}
    assert -1 not in {row.key - row.query for row in found.misses}
    [role] = scores_of(known, {CAUSAL: [pointing(CAUSAL, lambda pair, row: row - 1 - row % 2)]})
    assert {row.key - row.query for row in card.examples[Role.POSITIONAL].hits} == {role.offset}


def test_sentences_without_a_choice_have_no_rows():
    known = [Pair((5, 2), (1, 2))]
    card = card_of(known, CAUSAL, lambda pair, row: row)
    assert (card.n_rows, card.strongest, card.pairs, card.examples) == (0, (), (), {})
    assert (card.uniform, card.share(Target.WORD), histogram(card)) == (0, 0, {})


# ---- heads that were trained


@pytest.mark.parametrize("name", ["encoder.1.self:1", "decoder.0.self:0", "decoder.0.cross:1"])
def test_a_card_agrees_with_the_scores_of_its_roles(copy_run, name):
    head = Head.parse(name)
    role = next(each for each in roles_of_heads(copy_run, N).heads if each.head == head)
    card = head_card(copy_run, head, N)
    assert (card.n_rows, card.n_sentences) == (role.n_rows, role.n_sentences)
    assert card.largest_R.mean() == pytest.approx(role.confidence.value, abs=1e-6)
    assert card.uniform == pytest.approx(role.confidence.uniform)
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


@given(
    st.lists(st.tuples(st.integers(0, 100_000), st.sampled_from(list(Target)))),
    st.integers(1, 30),
)
def test_a_histogram_counts_each_row_once_in_its_place(rows, n_bins):
    largest_R = np.array([share / 100_000 for share, _target in rows], np.float64)
    target_R = np.array([str(target) for _share, target in rows], np.str_)
    card = HeadCard(Head(SELF, 0), (), (), {}, largest_R, target_R, 0.5, 1)
    found = histogram(card, n_bins)
    expected = Counter(
        (target, min(share * n_bins // 100_000, n_bins - 1)) for share, target in rows
    )
    assert set(found) == {target for _share, target in rows}
    for target, counts in found.items():
        assert len(counts) == n_bins
        assert counts.sum() == sum(target == each for _share, each in rows)
        if n_bins in (1, 2, 4, 5, 10, 20):
            exact = [expected[target, place] for place in range(n_bins)]
            inner = [share for share, each in rows if each == target]
            if all(share * n_bins % 100_000 for share in inner):
                assert counts.tolist() == exact
