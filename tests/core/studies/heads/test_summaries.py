import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Kind, Site
from core.inspection import Inspection, SiteAttention, even_weights, merged
from core.studies.heads.largest_weights import largest_weight
from core.studies.heads.summaries import (
    head_summaries,
    same_texts,
    site_summaries,
)
from core.tokenizer.tokenizer import Token

SELF, CAUSAL, CROSS = (
    Site("encoder", 0, "self"),
    Site("decoder", 0, "self"),
    Site("decoder", 0, "cross"),
)


def pointing(keys, n_keys, rest=0.1):
    """Weights of one head whose rows look at these keys; the rest goes to all keys alike."""
    weights = np.full((1, len(keys), n_keys), rest / n_keys, np.float32)
    weights[0, np.arange(len(keys)), keys] += 1 - rest
    return weights


def of(weights, site=SELF, visible=None, alike=None):
    shape = weights.shape[1:]
    visible = np.ones(shape, bool) if visible is None else visible
    alike = np.zeros(shape, bool) if alike is None else alike
    return list(site_summaries(site, SiteAttention(weights, even_weights(visible)), alike))


def random_attention(seed, spread, n_heads, n_queries, n_keys, causal):
    draw = np.random.default_rng(seed)
    visible = np.ones((n_queries, n_keys), bool)
    if causal:
        visible = np.tril(visible)
        visible[:, 0] = True
    weights = draw.gamma(spread, size=(n_heads, n_queries, n_keys)) * visible + 1e-9 * visible
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32), visible


@given(
    seed=st.integers(0, 10_000),
    spread=st.floats(0.05, 5),
    n_queries=st.integers(1, 7),
    n_keys=st.integers(1, 7),
    causal=st.booleans(),
)
def test_numbers_are_the_means_over_rows_with_a_choice(seed, spread, n_queries, n_keys, causal):
    weights, visible = random_attention(seed, spread, 2, n_queries, n_keys, causal)
    counted = [row for row in range(n_queries) if visible[row].sum() > 1]
    for head, summary in enumerate(of(weights, CROSS, visible)):
        exact = weights[head].astype(np.float64)
        entropies, shares, aways, largest = [], [], [], []
        for row in counted:
            some = exact[row][exact[row] > 0]
            entropies.append(-(some * np.log2(some)).sum())
            shares.append(entropies[-1] / np.log2(visible[row].sum()))
            place = row * (n_keys - 1) / max(n_queries - 1, 1)
            aways.append(sum(w * abs(place - key) for key, w in enumerate(exact[row])))
            largest.append(exact[row].max())
        assert summary.rows == len(counted)
        for found, values in (
            (summary.entropy, entropies),
            (summary.distance, aways),
            (summary.confidence, largest),
        ):
            assert found == pytest.approx(np.mean(values) if values else 0, abs=2e-5)
        exact_evenness = np.mean(shares) if shares else 0
        assert summary.evenness == pytest.approx(exact_evenness, abs=1e-5)


@st.composite
def uniform_heads(draw):
    """Weights exactly uniform over the visible tokens, between tokens and between any words."""
    kind = draw(st.sampled_from(list(Kind)))
    sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)
    queries = [word for word, size in enumerate(draw(sizes)) for _ in range(size)]
    keys = [word for word, size in enumerate(draw(sizes)) for _ in range(size)]
    if kind.is_self:
        queries = keys
    visible = np.ones((len(queries), len(keys)), bool)
    visible = np.tril(visible) if kind.causal else visible
    n_padding = draw(st.integers(0, len(keys) - 1))
    visible[:, len(keys) - n_padding :] = False
    weights = np.array([row / max(row.sum(), 1) for row in visible], np.float32)
    sides = {kind.query_side: queries, kind.key_side: keys}
    return between(sides, {kind.site(0): SiteAttention(weights[None], even_weights(visible))})


def between(sides, attention):
    """An inspection of tokens that belong to these words."""
    source, fed = (
        tuple(Token("x", False, word) for word in sides.get(side, ()) or [0])
        for side in ("source", "target")
    )
    source_words, fed_words = (
        tuple(f"w{word}" for word in range(tokens[-1].word + 1)) for tokens in (source, fed)
    )
    texts = (source, fed, None, (), source_words, fed_words)
    return Inspection(None, *texts, frozenset(), attention, 0.0)


@given(inspection=uniform_heads(), whole_words=st.booleans())
def test_weights_that_are_uniform_over_tokens_are_even_between_words_too(inspection, whole_words):
    inspection = merged(inspection) if whole_words else inspection
    [(site, attention)] = inspection.attention.items()
    [summary] = head_summaries(inspection, site.attention)
    if not summary.rows:
        assert summary.pattern.name == "none"
        return
    assert summary.evenness == pytest.approx(1, abs=1e-5)
    assert (summary.pattern.name, summary.pattern.prevails) == ("even", False)
    [weights_QK] = attention.weights_HQK
    assert attention.even_QK == pytest.approx(weights_QK, abs=1e-6)
    for row in np.flatnonzero(attention.visible_QK.sum(axis=-1) > 1):
        found = largest_weight(weights_QK, attention.even_QK, row)
        assert found.weight == pytest.approx(found.even_weight, abs=1e-6)
        assert found.evenness == pytest.approx(1, abs=1e-5)


# ---- patterns


def pattern_of(weights, site=SELF, **options):
    [summary] = of(weights, site, **options)
    found = summary.pattern
    return found.name, found.at, found.hits, found.rows


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([0, 0, 1, 2, 3, 4], ("offset", -1, 5, 6)),
        ([1, 2, 3, 4, 5, 5], ("offset", 1, 5, 6)),
        ([0, 1, 2, 3, 4, 5], ("offset", 0, 6, 6)),
        ([3, 5, 0, 1, 2, 3], ("offset", -2, 4, 6)),
        ([5, 5, 5, 0, 5, 5], ("token", 5, 5, 6)),
        ([2, 2, 2, 2, 2, 2], ("token", 2, 6, 6)),
    ],
)
def test_a_head_that_was_made_by_hand_is_recognised(keys, expected):
    assert pattern_of(pointing(keys, 6)) == expected


def test_a_head_that_looks_at_tokens_of_the_same_text_is_recognised():
    words = ["the", "cat", "the", "dog", "cat", "dog"]
    alike = same_texts(words, words)
    np.fill_diagonal(alike, False)
    assert pattern_of(pointing([2, 4, 0, 5, 1, 3], 6), alike=alike) == ("text", 0, 6, 6)


def test_in_the_source_near_the_own_place_is_a_pattern():
    found = pattern_of(pointing([1, 0, 3, 2, 5, 4], 6), CROSS)
    assert found == ("near", 0, 6, 6)
    assert pattern_of(pointing([1, 0, 3, 2, 5, 4], 6), SELF)[0] != "near"


def test_in_the_source_moving_on_in_every_row_is_a_pattern():
    assert pattern_of(pointing([2, 5, 6, 9, 10], 11), CROSS) == ("forward", 0, 4, 4)


def test_chance_is_the_share_of_a_head_that_picks_any_visible_key():
    visible = np.tril(np.ones((4, 4), bool))
    weights = pointing([0, 0, 1, 2], 4, rest=0)
    [summary] = of(weights, CAUSAL, visible)
    assert (summary.pattern.name, summary.pattern.at) == ("offset", -1)
    assert summary.pattern.chance == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)


@given(
    seed=st.integers(0, 10_000),
    spread=st.floats(0.05, 1),
    n=st.integers(1, 8),
    causal=st.booleans(),
    site=st.sampled_from([SELF, CROSS]),
)
def test_a_pattern_never_claims_what_its_rows_do_not_do(seed, spread, n, causal, site):
    weights, visible = random_attention(seed, spread, 1, n, n, causal)
    [summary] = of(weights, site, visible)
    found = summary.pattern
    assert 0 <= found.hits <= found.rows <= n
    assert 0 <= found.chance <= 1
    counted = [row for row in range(n) if visible[row].sum() > 1]
    keys = {row: int(np.where(visible, weights[0], -1)[row].argmax()) for row in counted}
    holds = {
        "offset": lambda row: keys[row] - row == found.at,
        "token": lambda row: keys[row] == found.at,
        "near": lambda row: abs(keys[row] - row) <= 1,
        "forward": lambda row: row > counted[0] and keys[row] > keys[row - 1],
    }
    if found.name in holds:
        assert found.hits == sum(map(holds[found.name], counted))
