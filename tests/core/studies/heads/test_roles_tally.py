"""Scores and measures of any heads, against a slow count in float64."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.studies.heads.roles_questions import Role
from tests.core.studies.heads.heads_by_hand import (
    CAUSAL,
    CROSS,
    DOT,
    SELF,
    antecedent,
    scores_of,
    sentences,
    sides,
    values,
)


def drawn(seed, site, spread):
    def weights(pair):
        _, _, seen = sides(site, pair)
        # Of the pair, so that it is the same in every batch.
        rng = np.random.default_rng([seed, *pair.source])
        found = np.exp(rng.normal(scale=spread, size=seen.shape)) * seen
        return (found / found.sum(axis=1, keepdims=True)).astype(np.float32)

    return weights


def keys_with(role, known, site, pair, row, seen):
    """The visible keys that have a role, found one by one."""
    rows, columns, _ = sides(site, pair)
    sides_of = [p.target[:-1] if site == CAUSAL else p.source for p in known.pairs]
    [reference] = pair.references
    match role:
        case Role.PREVIOUS | Role.NEXT:
            keys = [row + (1 if role is Role.NEXT else -1)]
        case Role.SAME:
            keys = [key for key in seen if columns[key] == rows[row]]
        case Role.DELIMITER:
            keys = [key for key in seen if columns[key] in (1, 2, DOT)]
        case Role.RARE:
            counts = {key: sum(side.count(columns[key]) for side in sides_of) for key in seen}
            keys = [key for key in seen if counts[key] == min(counts.values())]
        case Role.ANTECEDENT:
            right = reference.pronoun if site == SELF else reference.steps
            keys = [antecedent(pair)] if row == right[0] else []
        case _:
            token = row - (role is Role.ALIGNED_FED)
            keys = [key for written, key in known.links[pair] if written == token]
    return [key for key in keys if key in seen]


def slowly(known, site, weights, role):
    """Hits, hits of any key, hits of each offset, and rows, one row after the other."""
    hits, chance, offsets, n = 0, 0.0, {}, 0
    for pair in known.pairs:
        _, _, visible = sides(site, pair)
        for row, weights_K in enumerate(weights(pair)):
            seen = np.flatnonzero(visible[row]).tolist()
            keys = keys_with(role, known, site, pair, row, seen)
            if len(seen) < 2 or not keys:
                continue
            n += 1
            hits += int(weights_K.argmax()) in keys
            chance += len(keys) / len(seen)
            for key in keys:
                offsets[key - row] = offsets.get(key - row, 0) + 1
    return hits, chance, offsets, n


@settings(max_examples=15)
@given(seed=st.integers(0, 999), site=st.sampled_from([SELF, CAUSAL, CROSS]))
def test_scores_and_baselines_are_those_of_a_slow_count(seed, site):
    known, weights = sentences(seed, 4), drawn(seed, site, 2.0)
    [head] = scores_of(known, {site: [weights]})
    for role, score in head.scores.items():
        if role is Role.POSITIONAL:
            continue
        hits, chance, offsets, n = slowly(known, site, weights, role)
        assert (score.value, score.n) == (pytest.approx(hits / n), n)
        if role is Role.ANTECEDENT:
            first = sum(antecedent(pair) == 1 for pair in known.pairs) / n
            assert score.baseline == max(first, 1 - first)
        elif score.rule == "any key":
            assert score.baseline == pytest.approx(chance / n)
        else:
            assert score.baseline == max(offsets.values()) / n == offsets[score.rule_offset] / n
            assert score.baseline > chance / n - 1e-9


@settings(max_examples=15)
@given(seed=st.integers(0, 999), site=st.sampled_from([SELF, CAUSAL, CROSS]))
def test_measures_and_offsets_are_those_of_a_slow_count(seed, site):
    known, weights = sentences(seed, 4), drawn(seed, site, 2.0)
    [head] = scores_of(known, {site: [weights]})
    bits, shares, aways, largest, offsets, places = [], [], [], [], [], []
    for pair in known.pairs:
        rows, columns, visible = sides(site, pair)
        stretch = (len(columns) - 1) / (len(rows) - 1) if site == CROSS else 1
        for row, exact in enumerate(weights(pair).astype(np.float64)):
            if visible[row].sum() < 2:
                continue
            some = exact[exact > 0]
            bits.append(-(some * np.log2(some)).sum())
            shares.append(bits[-1] / np.log2(visible[row].sum()))
            aways.append(sum(w * abs(row * stretch - key) for key, w in enumerate(exact)))
            largest.append(exact.max())
            offsets.append(int(exact.argmax()) - row)
            places += [key - row for key in np.flatnonzero(visible[row])]
    measures = (head.entropy, head.evenness, head.distance, head.confidence)
    for measure, expected in zip(measures, (bits, shares, aways, largest), strict=True):
        assert measure.value == pytest.approx(np.mean(expected), rel=1e-5)
    often = max(set(offsets), key=lambda offset: (offsets.count(offset), -abs(offset)))
    assert offsets.count(head.offset) == offsets.count(often)
    assert abs(head.offset) == abs(often)
    found = head.scores[Role.POSITIONAL]
    assert found.n == places.count(head.offset)
    assert found.value == pytest.approx(offsets.count(head.offset) / found.n)


@settings(max_examples=15)
@given(seed=st.integers(0, 999), spread=st.floats(0, 20), order=st.permutations(range(3)))
def test_scores_are_shares_and_heads_that_change_places_take_them_along(seed, spread, order):
    known = sentences(seed, 3)
    heads = [drawn(seed + number, SELF, spread) for number in range(3)]
    found = scores_of(known, {SELF: heads})
    for head in found:
        for score in head.scores.values():
            assert 0 <= score.value <= 1
            assert 0 <= score.baseline <= 1
    moved = scores_of(known, {SELF: [heads[number] for number in order]})
    for head, number in zip(moved, order, strict=True):
        assert head.offset == found[number].offset
        assert head.confidence.value == pytest.approx(found[number].confidence.value)
        assert values(head) == pytest.approx(values(found[number]))
