from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.stream import residual_stream
from core.vocabulary import BOS, EOS

SMALL = ModelConfig(30, 2, 1, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=20)
SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)


@pytest.fixture(params=["post", "pre"])
def model(request):
    return build(replace(SMALL, norm=request.param), seed=3).eval()


def recorded(model):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    return lambda site, step: record.tensors[Site.parse(site), step][0].double().numpy()


def test_depths_go_from_the_embedding_through_every_sublayer(model):
    found = residual_stream(model, SOURCE, FED)
    assert found["encoder"].names == (
        "embedding",
        "self-attention 0",
        "feed-forward 0",
        "self-attention 1",
        "feed-forward 1",
    )
    assert found["decoder"].names == (
        "embedding",
        "self-attention 0",
        "cross-attention 0",
        "feed-forward 0",
    )
    for stream, length in ((found["encoder"], len(SOURCE)), (found["decoder"], len(FED))):
        n_depths = len(stream.names)
        assert stream.norms_LK.shape == stream.cosines_LK.shape == (n_depths, length)
        assert stream.added_LK.shape == (n_depths - 1, length)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_numbers_are_those_of_the_recorded_vectors(model, stack):
    at, stream = recorded(model), residual_stream(model, SOURCE, FED)[stack]
    first = at(f"{stack}.0.embedding", Step.STREAM_OUT)
    for depth, site in enumerate(map(str, stream.sites)):
        for position, vector in enumerate(at(site, Step.STREAM_OUT)):
            norm = np.sqrt((vector**2).sum())
            assert stream.norms_LK[depth, position] == pytest.approx(norm, rel=1e-6)
            cosine = vector @ first[position] / norm / np.sqrt((first[position] ** 2).sum())
            assert stream.cosines_LK[depth, position] == pytest.approx(cosine, abs=1e-6)
        if depth:
            added = np.sqrt((at(site, Step.ADDED) ** 2).sum(axis=-1))
            np.testing.assert_allclose(stream.added_LK[depth - 1], added, rtol=1e-6)


def test_a_position_is_like_itself_at_the_start(model):
    for stream in residual_stream(model, SOURCE, FED).values():
        np.testing.assert_allclose(stream.cosines_LK[0], 1)
        assert (np.abs(stream.cosines_LK) <= 1 + 1e-12).all()


def test_a_fresh_post_norm_model_keeps_every_vector_as_long_as_its_width_says():
    post = residual_stream(build(SMALL, seed=3).eval(), SOURCE, FED)["encoder"]
    np.testing.assert_allclose(post.norms_LK[1:], 4, rtol=1e-4)  # √16


def test_in_pre_norm_a_sublayer_lengthens_a_vector_by_at_most_what_it_adds():
    stream = residual_stream(build(replace(SMALL, norm="pre"), seed=3).eval(), SOURCE, FED)
    for found in stream.values():
        assert (np.abs(np.diff(found.norms_LK, axis=0)) <= found.added_LK + 1e-6).all()


def test_a_vector_of_zeros_is_like_nothing():
    model = build(replace(SMALL, norm="pre", positions="learned"), seed=3).eval()
    with torch.no_grad():
        model.source_embedding.tokens.weight.zero_()
        model.source_embedding.positions_PD.zero_()
    found = residual_stream(model, SOURCE, FED)["encoder"]
    assert (found.norms_LK[0] == 0).all() and (found.cosines_LK == 0).all()


def test_later_tokens_of_the_target_leave_earlier_positions_as_they_are(model):
    one = residual_stream(model, SOURCE, FED)["decoder"]
    other = residual_stream(model, SOURCE, (*FED[:2], 20, 21))["decoder"]
    np.testing.assert_allclose(one.norms_LK[:, :2], other.norms_LK[:, :2], rtol=1e-5)
    assert not np.allclose(one.norms_LK[1:, 2:], other.norms_LK[1:, 2:], rtol=1e-7)


def test_each_measure_has_its_own_values_and_their_mean_over_positions(model):
    found = residual_stream(model, SOURCE, FED)["decoder"]
    values = {"norm": found.norms_LK, "cosine": found.cosines_LK, "added": found.added_LK}
    for measure, values_LK in values.items():
        assert found.values(measure) is values_LK
        assert found.mean(measure) == pytest.approx(values_LK.sum(axis=1) / len(FED))


def test_the_largest_addition_is_told_with_what_it_was_added_to(model):
    found = residual_stream(model, SOURCE, FED)["encoder"]
    added, before = found.largest_addition
    assert added == found.added_LK.mean(axis=1).max()
    assert before == found.norms_LK[found.most_added - 1].mean()
