from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.decoding.step import sayable
from core.heads import Site
from core.model import Record, Step, build
from core.studies.lessons.lens import decoder_lens, encoder_lens, formula
from core.vocabulary import BOS, EOS

SMALL = ModelConfig(30, 2, 3, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=20)
SOURCE, FED = (5, 9, 7, 12, EOS), (BOS, 8, 11, 4)
CONFIGS = {
    "post": SMALL,
    "pre": replace(SMALL, norm="pre"),
    "untied": replace(SMALL, norm="pre", tied=False),
}


@pytest.fixture(params=CONFIGS.values(), ids=CONFIGS)
def model(request):
    model = build(request.param, seed=3).eval()
    with torch.no_grad():  # Sharper than fresh weights, and norms that are not the identity's.
        for table in {model.output.weight, model.source_embedding.tokens.weight}:
            table *= 2
        if request.param.norm == "pre":
            model.decoder_norm.weight *= torch.linspace(0.5, 1.5, 16)
            model.encoder_norm.bias += 0.3
    return model


def layer_norm(x, norm):
    if isinstance(norm, torch.nn.Identity):
        return x
    weight, bias = norm.weight.detach().double().numpy(), norm.bias.detach().double().numpy()
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * weight + bias


def expected_distributions(model, stack, n_layers, norm, table):
    """Stream → norm → table → softmax by the formulas, in float64, over ids from EOS on."""
    record = Record(frozenset({Step.STREAM_OUT}))
    with torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([FED]), record)
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
def both(request, model):
    """What the lens says of a stack beside what the formulas say."""
    if request.param == "decoder":
        expected = expected_distributions(
            model, "decoder", 3, model.decoder_norm, model.output.weight
        )
        return decoder_lens(model, SOURCE, FED), expected
    tokens = model.source_embedding.tokens.weight
    expected = expected_distributions(model, "encoder", 2, model.encoder_norm, tokens)
    return encoder_lens(model, SOURCE), expected


def test_the_best_probability_is_that_of_norm_matrix_and_softmax(both):
    lens, expected = both
    np.testing.assert_allclose(lens.best_probability_LK, expected.max(axis=-1), atol=2e-5)


def test_entropy_and_divergence_are_those_of_the_formulas(both):
    lens, expected = both
    said = expected[..., EOS:]
    np.testing.assert_allclose(lens.entropy_LK, -(said * np.log(said)).sum(axis=-1), atol=1e-4)
    divergence = (said[-1] * np.log(said[-1] / said)).sum(axis=-1)
    np.testing.assert_allclose(lens.divergence_LK, divergence, atol=1e-4)
    assert (lens.divergence_LK[-1] == 0).all() and lens.divergence_LK[0].max() > 1e-3


def test_best_and_followed_tokens_are_read_from_the_distributions(both):
    lens, expected = both
    for depth, distributions_KV in enumerate(expected):
        for position, distribution_V in enumerate(distributions_KV):
            assert lens.best_LK[depth, position] == distribution_V.argmax()
            share = distribution_V[lens.followed_K[position]]
            assert lens.followed_probability_LK[depth, position] == pytest.approx(share, rel=1e-4)
            rank = lens.followed_rank_LK[depth, position]
            assert rank == (distribution_V > share).sum()


def test_no_depth_says_pad_or_bos(both):
    lens, _ = both
    assert (lens.best_LK >= EOS).all()


def test_the_last_depth_of_the_decoder_is_the_models_own_distribution_exactly(model):
    lens = decoder_lens(model, SOURCE, FED)
    with torch.no_grad():
        logits_TV = model(torch.tensor([SOURCE]), torch.tensor([FED]), Record())[0]
    own_TV = sayable(logits_TV, model.config).double().log_softmax(dim=-1).exp().numpy()
    assert (lens.best_probability_LK[-1] == own_TV.max(axis=-1)).all()
    assert (lens.followed_probability_LK[-1] == lens.best_probability_LK[-1]).all()
    assert (lens.best_LK[-1] == own_TV.argmax(axis=-1)).all()


def test_the_decoder_follows_what_the_model_predicts_in_the_end(model):
    lens = decoder_lens(model, SOURCE, FED)
    assert (lens.followed_K == lens.best_LK[-1]).all()
    assert (lens.followed_rank_LK[-1] == 0).all()
    assert lens.names == ("no layer", "layer 0", "layer 1", "layer 2")
    assert lens.best_LK.shape == (4, 4)


def test_the_encoder_follows_the_token_that_stands_there(model):
    lens = encoder_lens(model, SOURCE)
    assert lens.followed_K.tolist() == list(SOURCE)
    assert lens.names == ("no layer", "layer 0", "layer 1")


def test_without_positions_a_tokens_embedding_is_nearest_to_itself():
    model = build(ModelConfig(30, 1, 1, 16, 32, 4, positions="learned"), seed=3).eval()
    with torch.no_grad():
        tokens_VD = model.source_embedding.tokens.weight
        tokens_VD /= tokens_VD.norm(dim=-1, keepdim=True)
        model.source_embedding.positions_PD.zero_()
    lens = encoder_lens(model, SOURCE)
    assert lens.best_LK[0].tolist() == list(SOURCE)
    assert (lens.followed_rank_LK[0] == 0).all()


def test_the_formula_says_the_norm_that_ends_the_stack(model):
    last = r"W\, x_l" if model.config.norm == "post" else r"W\, \mathrm{LayerNorm}(x_l)"
    assert last in formula(model, "encoder") and last in formula(model, "decoder")
    model.decoder_norm = torch.nn.RMSNorm(16)
    assert r"W\, \mathrm{RMSNorm}(x_l)" in formula(model, "decoder")
    assert last in formula(model, "encoder")
