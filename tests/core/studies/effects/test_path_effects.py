"""All paths at once, against each of them alone."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import ModelConfig
from core.heads import Site
from core.studies.effects.paired import Fed
from core.studies.effects.path_effects import (
    PathEffects,
    direct_paths,
    log_probability_changes,
    path_effects,
)
from core.studies.effects.path_patching import PathPatching, Read, is_direct
from tests.core.studies.effects import by_hand

SIZES = {"vocab_size": 23, "d_model": 12, "d_ff": 20, "n_heads": 2, "d_k": 4, "d_v": 3}
CONFIG = ModelConfig(**SIZES, n_encoder_layers=2, n_decoder_layers=2)
CLEAN = Fed((5, 9, 7, 12, 2), (1, 6, 4, 8))
OTHER = Fed((5, 3, 7, 14, 2), (1, 6, 4, 8))
TOKEN = 15


@pytest.fixture(scope="module")
def model():
    return by_hand.drawn(CONFIG)


@pytest.fixture(scope="module")
def paths(model):
    return PathPatching(model, CLEAN, OTHER)


@pytest.mark.parametrize("read", Read)
def test_every_path_is_what_it_is_alone(paths, read):
    found, changes_NN = path_effects(paths, read), log_probability_changes(paths, read, TOKEN)
    clean_log_p = float(paths.clean_logits_V.log_softmax(dim=-1)[TOKEN])
    for row, sender in enumerate(found.heads):
        for column, receiver in enumerate(found.heads):
            at = row, column
            assert found.direct_NN[at] == is_direct(sender, receiver, read)
            if not found.direct_NN[at]:
                assert found.moved_NN[at] == changes_NN[at] == 0
                continue
            weights_QK = paths.weights(sender, receiver, read)
            change_QK = (weights_QK - paths.clean_weights(receiver)).abs().numpy()
            moved_Q = change_QK.sum(axis=-1) / 2
            # Nothing after a decoder's last layer looks from place to place.
            if not receiver.site.in_encoder and receiver.layer == CONFIG.n_decoder_layers - 1:
                moved_Q[:-1] = 0
            assert found.moved_NN[at] == pytest.approx(moved_Q.max(), abs=1e-12)
            query = found.query_NN[at]
            assert moved_Q[query] == pytest.approx(moved_Q.max(), abs=1e-12)
            largest = change_QK[query].max()
            assert change_QK[query, found.key_NN[at]] == pytest.approx(largest, abs=1e-12)
            clean_QK, key = paths.clean_weights(receiver), found.key_NN[at]
            # Where nothing changes, no query and no key is the one.
            if found.moved_NN[at]:
                assert found.before_NN[at] == pytest.approx(float(clean_QK[query, key]), abs=1e-12)
                assert found.after_NN[at] == pytest.approx(float(weights_QK[query, key]), abs=1e-12)
            change = paths.log_probability(sender, receiver, read, TOKEN) - clean_log_p
            assert changes_NN[at] == pytest.approx(change, abs=1e-12)


def test_what_moves_is_a_share_of_the_weight(paths):
    found = path_effects(paths, Read.QUERY)
    assert 0 < found.moved_NN.max() <= 1


def test_long_sentences_go_through_in_parts_and_nothing_else_changes(monkeypatch, paths):
    whole = path_effects(paths, Read.ALL), log_probability_changes(paths, Read.ALL, TOKEN)
    monkeypatch.setattr("core.studies.effects.path_effects._TOKENS_AT_ONCE", 1)
    parts = path_effects(paths, Read.ALL), log_probability_changes(paths, Read.ALL, TOKEN)
    np.testing.assert_allclose(parts[0].moved_NN, whole[0].moved_NN, atol=1e-12)
    np.testing.assert_array_equal(parts[0].query_NN, whole[0].query_NN)
    np.testing.assert_allclose(parts[1], whole[1], atol=1e-12)


def test_who_writes_the_same_in_both_sentences_has_exactly_no_effect(paths):
    found = path_effects(paths, Read.ALL)
    changes_NN = log_probability_changes(paths, Read.ALL, TOKEN)
    same = [row for row, head in enumerate(found.heads) if not paths.writes_otherwise(head)]
    assert same == np.flatnonzero(~found.differs_N).tolist()
    assert same
    assert not found.moved_NN[same].any()
    assert not changes_NN[same].any()


def test_the_same_sentence_twice_has_no_strongest_path(model):
    found = path_effects(PathPatching(model, CLEAN, CLEAN), Read.ALL)
    assert found.strongest(found.moved_NN) is None
    assert found.median(found.moved_NN) == 0


@pytest.mark.parametrize("read", Read)
def test_direct_paths_are_counted_without_any_sentence(model, paths, read):
    assert direct_paths(model, read) == path_effects(paths, read).direct_NN.sum()


def test_of_two_layers_of_two_heads_each_there_are_so_many_paths(model):
    # Of the queries: encoder 2 × 2; decoder self 0 → cross 0 and both of layer 1, cross 0 → both
    # of layer 1, self 1 → cross 1: 2 × 2 each.
    assert direct_paths(model, Read.QUERY) == 4 + 6 * 4
    # Of the keys: encoder 2 × 2, to cross 2 × 2 layers × 4; both of decoder 0 → self 1.
    assert direct_paths(model, Read.KEY) == 4 + 4 * 4 + 2 * 4


@pytest.fixture
def three():
    """Three heads in a row, and who is said to change what."""
    site = Site("encoder", 0, "self")
    shape = (3, 3)
    return PathEffects(
        heads=site.heads(3),
        direct_NN=np.triu(np.ones(shape, bool), k=1),
        differs_N=np.ones(3, bool),
        moved_NN=np.zeros(shape),
        query_NN=np.zeros(shape, int),
        key_NN=np.zeros(shape, int),
        before_NN=np.zeros(shape),
        after_NN=np.zeros(shape),
    )


def test_the_strongest_is_the_largest_change_up_or_down_along_a_path(three):
    change_NN = np.array([[9.0, 0.1, -0.4], [9.0, 9.0, 0.3], [9.0, 9.0, 9.0]])
    assert three.strongest(change_NN) == (0, 2)
    assert three.median(change_NN) == pytest.approx(0.3)
    assert three.n_differing == 3


def test_the_median_leaves_out_who_writes_the_same_in_both_sentences(three):
    change_NN = np.array([[9.0, 0.1, -0.4], [9.0, 9.0, 0.0], [9.0, 9.0, 9.0]])
    two = replace(three, differs_N=np.array([True, False, True]))
    assert two.median(change_NN) == pytest.approx(0.25)
    assert two.n_differing == 2


def test_without_paths_there_is_no_strongest_and_the_median_is_nothing(three):
    none = replace(three, direct_NN=np.zeros((3, 3), bool))
    assert none.strongest(np.ones((3, 3))) is None
    assert none.median(np.ones((3, 3))) == 0
