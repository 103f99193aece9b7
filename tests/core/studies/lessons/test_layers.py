from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.decoding.step import mask_special_tokens
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.layers import batch_norm, decoder_lens, encoder_lens, residual_stream
from core.vocabulary import BOS, EOS

SMALL = ModelConfig(30, 2, 1, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=20)
SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)
DEEP = replace(SMALL, n_decoder_layers=3)
CONFIGS = {
    "post": DEEP,
    "pre": replace(DEEP, norm="pre"),
    "untied": replace(DEEP, norm="pre", tied=False),
}


@pytest.fixture(params=["post", "pre"])
def model(request):
    model = build(replace(SMALL, norm=request.param), seed=3).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():  # Fresh gains are 1 and biases 0: nobody would see them missing.
        for name, parameter in model.named_parameters():
            if ".norm." in name:
                parameter += torch.randn(parameter.shape, generator=generator) / 4
    return model


@pytest.fixture(params=CONFIGS.values(), ids=CONFIGS)
def lens_model(request):
    lens_model = build(request.param, seed=3).eval()
    with torch.no_grad():  # Sharper than fresh weights, and norms that are not the identity's.
        for table in {lens_model.output.weight, lens_model.source_embedding.tokens.weight}:
            table *= 2
        if request.param.norm == "pre":
            lens_model.decoder_norm.weight *= torch.linspace(0.5, 1.5, 16)
            lens_model.encoder_norm.bias += 0.3
    return lens_model


def recorded(model):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    return lambda site, step: record.tensors[Site.parse(site), step][0].double().numpy()


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_numbers_are_those_of_the_recorded_vectors(model, stack):
    at, stream = recorded(model), residual_stream(model, SOURCE, FED)[stack]
    for depth, site in enumerate(map(str, stream.sites)):
        for position, vector in enumerate(at(site, Step.STREAM_OUT)):
            norm = np.sqrt((vector**2).sum())
            assert stream.norms_LK[depth, position] == pytest.approx(norm, rel=1e-6)
        if depth:
            added = np.sqrt((at(site, Step.ADDED) ** 2).sum(axis=-1))
            np.testing.assert_allclose(stream.added_LK[depth - 1], added, rtol=1e-6)


def layer_norm(x, norm):
    if isinstance(norm, torch.nn.Identity):
        return x
    weight, bias = norm.weight.detach().double().numpy(), norm.bias.detach().double().numpy()
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * weight + bias


def expected_distributions(lens_model, stack, n_layers, norm, table):
    """Stream → norm → table → softmax by the formulas, in float64, over ids from EOS on."""
    record = Record(frozenset({Step.STREAM_OUT}))
    with torch.no_grad():
        lens_model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
    sites = [Site(stack, 0, "embedding")]
    sites += [Site(stack, layer, "feed_forward") for layer in range(n_layers)]
    depths = []
    for site in sites:
        x_KD = record.tensors[site, Step.STREAM_OUT][0].double().numpy()
        logits_KV = layer_norm(x_KD, norm) @ table.detach().double().numpy().T
        powers = np.exp(logits_KV - logits_KV.max(axis=-1, keepdims=True))
        powers[:, :EOS] = 0
        depths.append(powers / powers.sum(axis=-1, keepdims=True))
    return np.stack(depths)


@pytest.fixture(params=["encoder", "decoder"])
def both(request, lens_model):
    """What the lens says of a stack beside what the formulas say."""
    if request.param == "decoder":
        expected = expected_distributions(
            lens_model, "decoder", 3, lens_model.decoder_norm, lens_model.output.weight
        )
        return decoder_lens(lens_model, SOURCE, FED), expected
    tokens = lens_model.source_embedding.tokens.weight
    expected = expected_distributions(lens_model, "encoder", 2, lens_model.encoder_norm, tokens)
    return encoder_lens(lens_model, SOURCE), expected


def test_best_and_followed_tokens_are_read_from_the_distributions(both):
    lens, expected = both
    for depth, distributions_KV in enumerate(expected):
        for position, distribution_V in enumerate(distributions_KV):
            assert lens.best_LK[depth, position] == distribution_V.argmax()
            share = distribution_V[lens.followed_K[position]]
            assert lens.followed_probability_LK[depth, position] == pytest.approx(share, rel=1e-4)
            rank = lens.followed_rank_LK[depth, position]
            assert rank == (distribution_V > share).sum()


def test_the_last_depth_of_the_decoder_is_the_models_own_distribution_exactly(lens_model):
    lens = decoder_lens(lens_model, SOURCE, FED)
    with torch.no_grad():
        logits_TV = lens_model(torch.tensor([SOURCE]), torch.tensor([FED]), Record())[0]
    own_TV = (
        mask_special_tokens(logits_TV, lens_model.config).double().log_softmax(dim=-1).exp().numpy()
    )
    assert (lens.best_probability_LK[-1] == own_TV.max(axis=-1)).all()
    assert (lens.followed_probability_LK[-1] == lens.best_probability_LK[-1]).all()
    assert (lens.best_LK[-1] == own_TV.argmax(axis=-1)).all()


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
