"""Roles of heads that were made by hand, and of heads that were trained."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.findings import evaluated_heads
from core.studies.heads.question import Role
from core.studies.heads.roles import roles_of_heads
from tests.core.conftest import GALLERY
from tests.core.studies.heads.heads_by_hand import (
    CAUSAL,
    CROSS,
    DOT,
    SELF,
    antecedent,
    pointing,
    scores_of,
    sentences,
    sides,
)

# ---- heads that were made by hand


def test_every_head_of_the_encoder_is_found():
    known = sentences()
    counts = np.bincount([token for pair in known for token in pair.source])
    roles = {
        Role.PREVIOUS: lambda pair, row: row - 1,
        Role.NEXT: lambda pair, row: row + 1,
        Role.SAME: lambda pair, row: row,
        Role.POSITIONAL: lambda pair, row: row - 2,
        Role.DELIMITER: lambda pair, row: len(pair.source) - 1 - row % 2,
        Role.RARE: lambda pair, row: int(np.argmin(counts[list(pair.source)])),
        Role.ANTECEDENT: lambda pair, row: antecedent(pair) if row == 3 else None,
    }
    found = scores_of(known, {SELF: [pointing(SELF, key_of) for key_of in roles.values()]})
    n_rows = sum(len(pair.source) for pair in known)
    for role, head in zip(roles, found, strict=True):
        assert head.scores[role].value == 1
        assert head.scores[role].value > head.scores[role].baseline
        others = [other for other in found if other is not head]
        assert all(other.scores[role].value < 1 for other in others if role != Role.POSITIONAL)
        assert (head.n_rows, head.n_sentences) == (n_rows, 6)
    assert [head.offset for head in found[:4]] == [-1, 1, 0, -2]
    # An offset of −1 is both; the narrower name leads.
    assert [head.leading for head in found] == list(roles)


# ---- any heads, against a slow count in float64


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
    sides_of = [p.target[:-1] if site == CAUSAL else p.source for p in known]
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
            keys = list(dict(pair.alignment).get(token, ()))
    return [key for key in keys if key in seen]


def slowly(known, site, weights, role):
    """Hits, hits of any key, hits of each offset, and rows, one row after the other."""
    hits, chance, offsets, n = 0, 0.0, {}, 0
    for pair in known:
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
            first = sum(antecedent(pair) == 1 for pair in known) / n
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
    shares, largest, offsets, places = [], [], [], []
    for pair in known:
        _rows, _columns, visible = sides(site, pair)
        for row, exact in enumerate(weights(pair).astype(np.float64)):
            if visible[row].sum() < 2:
                continue
            some = exact[exact > 0]
            shares.append(-(some * np.log2(some)).sum() / np.log2(visible[row].sum()))
            largest.append(exact.max())
            offsets.append(int(exact.argmax()) - row)
            places += [key - row for key in np.flatnonzero(visible[row])]
    assert head.evenness == pytest.approx(np.mean(shares), rel=1e-5)
    assert head.confidence == pytest.approx(np.mean(largest), rel=1e-5)
    often = max(set(offsets), key=lambda offset: (offsets.count(offset), -abs(offset)))
    assert offsets.count(head.offset) == offsets.count(often)
    assert abs(head.offset) == abs(often)
    found = head.scores[Role.POSITIONAL]
    assert found.n == places.count(head.offset)
    assert found.value == pytest.approx(offsets.count(head.offset) / found.n)


# ---- heads that were trained


def test_antecedents_are_counted_once_wherever_a_head_is_spoken_of():
    run = load_run(GALLERY / "heads-one")
    entries = {str(Head.read(each)): each for each in run.evaluation["heads"]}
    found = {
        str(each.head): each.scores[Role.ANTECEDENT]
        for each in roles_of_heads(run, 30).heads
        if Role.ANTECEDENT in each.scores
    }
    assert set(found) == set(entries)
    for head, score in found.items():
        assert (score.value, score.n) == (entries[head]["score"], 777)
        assert (score.baseline, score.rule) == (entries[head]["baseline"], "nearest noun")
    # Of other sentences the evaluation knows nothing.
    for n, seed in ((30, 1), (2001, 0)):
        assert not evaluated_heads(run, n, seed)
    [other] = {
        each.scores[Role.ANTECEDENT].n
        for each in roles_of_heads(run, 30, seed=1).heads
        if Role.ANTECEDENT in each.scores
    }
    assert other < 30
