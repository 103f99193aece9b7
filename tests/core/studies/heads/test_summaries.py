from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Kind, Site
from core.inspection import Inspection, SiteAttention, even_weights, inspect_sentence, merged
from core.studies.heads.largest_weights import largest_weight
from core.studies.heads.summaries import (
    confidence_map,
    distances,
    head_summaries,
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


def test_rows_that_see_one_key_do_not_count():
    visible = np.tril(np.ones((5, 5), bool))
    [summary] = of(pointing([0, 0, 1, 2, 3], 5, rest=0), CAUSAL, visible)
    assert (summary.rows, summary.pattern.rows, summary.pattern.hits) == (4, 4, 4)
    assert (summary.entropy, summary.confidence, summary.distance) == (0, 1, 1)


@pytest.mark.parametrize("site", [SELF, CAUSAL, CROSS])
def test_one_token_alone_has_no_choice(site):
    [summary] = of(np.ones((1, 1, 1), np.float32), site)
    assert (summary.pattern.name, summary.rows, summary.pattern.prevails) == ("none", 0, False)
    assert (summary.entropy, summary.evenness, summary.distance, summary.confidence) == (0,) * 4


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


@pytest.mark.parametrize(
    ("weights", "words", "target", "chance"),
    [
        # The word of 9 of 18 tokens has most of every row, in two of three less than by chance.
        (
            [[0.9, 0.05, 0.05], [0.45, 0.44, 0.11], [0.45, 0.1, 0.45]],
            [0] * 9 + [1] * 5 + [2] * 4,
            "offset",
            np.mean([9 / 18, 5 / 18, 4 / 18]),
        ),
        # A word of 1 token that gets as much as one of 3: it is looked at.
        ([[0.5, 0.5], [0.5, 0.5]], [0, 1, 1, 1], "token", 1 / 4),
        ([[0.95, 0.05], [0.99, 0.01], [0.95, 0.05]], [0] * 3 + [1], "varies", 3 / 4),
    ],
)
def test_a_word_is_judged_by_the_chance_of_its_tokens(weights, words, target, chance):
    weights = np.array([weights], np.float32)
    sizes = np.bincount(words)
    even = np.broadcast_to(sizes / sizes.sum(), weights.shape[1:])
    [summary] = site_summaries(CROSS, SiteAttention(weights, even), np.zeros(even.shape, bool))
    assert summary.pattern.chance == pytest.approx(chance)
    assert (summary.pattern.name if summary.pattern.prevails else "varies") == target


def test_distances_run_along_the_diagonal_of_sides_of_unequal_length():
    assert distances(3, 5, scaled=True).tolist() == [
        [0, 1, 2, 3, 4],
        [2, 1, 0, 1, 2],
        [4, 3, 2, 1, 0],
    ]
    assert distances(2, 3, scaled=False).tolist() == [[0, 1, 2], [1, 0, 1]]
    assert distances(1, 3, scaled=True).tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_head_of_a_kind_is_summarised_in_order(copy_run, kind):
    inspection = inspect_sentence(copy_run, "a b a")
    found = head_summaries(inspection, kind)
    sites = [site for site in inspection.attention if site.attention == kind]
    assert [each.head for each in found] == [head for site in sites for head in site.heads(2)]


def test_a_token_is_not_another_token_of_its_own_text(copy_run):
    inspection = inspect_sentence(copy_run, "a b a")
    site, n = Site("encoder", 0, "self"), len(inspection.source_tokens)
    itself = SiteAttention(pointing(range(n), n), np.full((n, n), 1 / n))
    found = head_summaries(replace(inspection, attention={site: itself}), Kind.ENCODER_SELF)
    assert (found[0].pattern.name, found[0].pattern.at) == ("offset", 0)


@pytest.mark.parametrize("kind", list(Kind))
def test_each_head_stands_at_its_layer_with_its_mean_largest_weight(copy_run, kind):
    inspection = inspect_sentence(copy_run, "d a f q", target="d a f")
    expected = [
        [
            np.mean(
                [
                    row.max()
                    for row, visible in zip(weights_QK, found.visible_QK, strict=True)
                    if visible.sum() > 1
                ]
            )
            for weights_QK in found.weights_HQK.astype(np.float64)
        ]
        for site, found in inspection.attention.items()
        if site.attention == kind
    ]
    found_LH = confidence_map(inspection, kind)
    assert found_LH.dtype == np.float32
    assert found_LH == pytest.approx(np.array(expected), abs=1e-6)
