from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.normalisation import around_norm, batch_norm, study_norms
from core.vocabulary import BOS, EOS

SMALL = ModelConfig(30, 2, 1, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=20)
SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)
OTHERS = ((13, 6, EOS), (20, 21, 22, 23, 24, 25, 26, EOS))
SITES = [
    Site.parse(name)
    for name in (
        "encoder.0.self",
        "encoder.1.feed_forward",
        "decoder.0.self",
        "decoder.0.cross",
        "decoder.0.feed_forward",
    )
]


@pytest.fixture(params=["post", "pre"])
def model(request):
    model = build(replace(SMALL, norm=request.param), seed=3).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():  # Fresh gains are 1 and biases 0: nobody would see them missing.
        for name, parameter in model.named_parameters():
            if ".norm." in name:
                parameter += torch.randn(parameter.shape, generator=generator) / 4
    return model


# ---- what a LayerNorm does


@pytest.mark.parametrize("site", SITES, ids=str)
def test_vectors_before_and_after_are_those_of_the_pass(model, site):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    found = around_norm(model, site, SOURCE, FED)
    for vectors, step in ((found.before, Step.BEFORE_NORM), (found.after, Step.AFTER_NORM)):
        expected = record.tensors[site, step][0].double().numpy()
        np.testing.assert_allclose(vectors.vectors_KD, expected, atol=1e-6)


@pytest.mark.parametrize("site", SITES, ids=str)
def test_gain_and_bias_make_the_output_of_the_bare_vectors(model, site):
    found = around_norm(model, site, SOURCE, FED)
    made = found.bare.vectors_KD * found.gain_D + found.bias_D
    np.testing.assert_allclose(made, found.after.vectors_KD, atol=1e-5)
    assert not np.allclose(found.gain_D, 1) and not np.allclose(found.bias_D, 0)


@pytest.mark.parametrize("site", SITES, ids=str)
def test_bare_vectors_have_mean_0_and_deviation_1_but_for_epsilon(model, site):
    found = around_norm(model, site, SOURCE, FED)
    np.testing.assert_allclose(found.bare.mean_K, 0, atol=1e-14)
    variance_K = found.before.vectors_KD.var(axis=1)
    np.testing.assert_allclose(found.bare.deviation_K**2, variance_K / (variance_K + 1e-5))


def test_statistics_are_over_the_features_of_a_position(model):
    found = around_norm(model, SITES[0], SOURCE, FED)
    for vectors in (found.before, found.bare, found.after):
        for position, vector in enumerate(vectors.vectors_KD):
            mean = sum(vector) / 16
            assert vectors.mean_K[position] == pytest.approx(mean)
            spread = (sum((vector - mean) ** 2) / 16) ** 0.5
            assert vectors.deviation_K[position] == pytest.approx(spread)


@pytest.mark.parametrize("name", ["encoder.2.self", "encoder.0.embedding", "decoder.4.cross"])
def test_a_site_without_a_sublayer_is_refused(model, name):
    with pytest.raises(ValueError, match=f"no sublayer at {name}"):
        around_norm(model, Site.parse(name), SOURCE, FED)
    with pytest.raises(ValueError, match="no sublayer at encoder.9.self"):
        study_norms(model, Site("encoder", 9, "self"), SOURCE, OTHERS)


# ---- what BatchNorm would do


@given(seed=st.integers(0, 10_000), shape=st.tuples(*[st.integers(1, 6)] * 3))
def test_batch_norm_over_counted_positions_is_torchs_in_training(seed, shape):
    generator = np.random.default_rng(seed)
    x_BKD = generator.normal(1.5, 3, shape)
    counted_BK = generator.random(shape[:2]) < 0.7
    counted_BK[0, 0] = True
    if counted_BK.sum() < 2:
        return  # torch refuses a single value in each feature
    expected = torch.nn.functional.batch_norm(
        torch.tensor(x_BKD[counted_BK]), None, None, training=True, eps=1e-5
    )
    np.testing.assert_allclose(
        batch_norm(x_BKD, counted_BK)[counted_BK], expected.numpy(), atol=1e-10
    )


def test_positions_that_do_not_count_are_normalised_with_what_the_others_have():
    x_BKD = np.array([[[1.0], [3.0], [100.0]]])
    counted = np.array([[True, True, False]])
    np.testing.assert_allclose(batch_norm(x_BKD, counted, eps=0)[0, :, 0], [-1, 1, 98])


def test_a_batch_without_a_counted_position_is_refused():
    with pytest.raises(ValueError, match="no position counts"):
        batch_norm(np.ones((1, 2, 3)), np.zeros((1, 2), bool))


# ---- the two beside each other


@pytest.mark.parametrize("site", SITES[:2], ids=str)
def test_layer_norm_does_not_notice_other_sentences_and_batch_norm_does(model, site):
    found = study_norms(model, site, SOURCE, OTHERS)
    assert found.layer_norm_K.shape == (5,)
    assert (found.layer_norm_K < 1e-5).all()
    assert (found.batch_norm_K > 0.05).all() and (found.batch_norm_padded_K > 0.05).all()
    assert not np.allclose(found.batch_norm_K, found.batch_norm_padded_K, atol=0.01)
    assert (found.n_alone, found.n_together, found.n_padded) == (5, 16, 24)


@pytest.mark.parametrize("site", SITES[:2], ids=str)
def test_changes_are_those_of_vectors_normalised_one_by_one(model, site):
    found = study_norms(model, site, SOURCE, OTHERS)
    rows = [(*row, *[0] * (8 - len(row))) for row in (SOURCE, *OTHERS)]
    record = Record(frozenset({Step.BEFORE_NORM}))
    with torch.no_grad():
        model.encode(torch.tensor(rows), record)
    before = record.tensors[site, Step.BEFORE_NORM].double().numpy()
    tokens = [before[b, s] for b, row in enumerate(rows) for s in range(8) if row[s]]

    def normalised(vectors):
        vectors = np.array(vectors)
        return (before[0, :5] - vectors.mean(0)) / (vectors.var(0) + 1e-5) ** 0.5

    alone = normalised(before[0, :5])
    for change, counted in (
        (found.batch_norm_K, tokens),
        (found.batch_norm_padded_K, before.reshape(-1, 16)),
    ):
        expected = np.abs(normalised(counted) - alone).mean(axis=1)
        np.testing.assert_allclose(change, expected, atol=1e-3)


def test_a_sentence_without_company_does_not_change(model):
    found = study_norms(model, SITES[0], SOURCE, ())
    for change in (found.layer_norm_K, found.batch_norm_K, found.batch_norm_padded_K):
        assert (change == 0).all()


def test_norms_of_the_decoder_are_not_compared(model):
    with pytest.raises(
        ValueError, match="decoder.0.self is not a sublayer of the stack that reads"
    ):
        study_norms(model, SITES[2], SOURCE, OTHERS)
