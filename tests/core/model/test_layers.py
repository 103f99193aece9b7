"""A layer against its formulas in float64, and what its residual blocks say of themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.heads import Site
from core.model import Record, Step
from core.model.layers import DecoderLayer, EncoderLayer, Residual
from core.model.sublayers import Seen

NORMS = pytest.mark.parametrize("norm", ["post", "pre"])


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def randomised(module):
    """The module in float64, with all that is learned drawn anew: gains and biases too."""
    module.double().eval()
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(drawn(*parameter.shape, seed=number) / 2)
    return module


def affine(weights, name, x):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def layer_norm(weights, name, x):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def attention(weights, name, x, memory, visible, config):
    """One sentence: every head by itself, then side by side into W^O."""
    q, k, v = (
        affine(weights, f"{name}.{part}", given)
        for part, given in (("query", x), ("key", memory), ("value", memory))
    )
    mixed = []
    for head in range(config.n_heads):
        ks = slice(head * config.d_k, (head + 1) * config.d_k)
        vs = slice(head * config.d_v, (head + 1) * config.d_v)
        scores = np.where(visible, q[:, ks] @ k[:, ks].T / math.sqrt(config.d_k), -np.inf)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        mixed.append(powers / powers.sum(-1, keepdims=True) @ v[:, vs])
    return affine(weights, f"{name}.output", np.concatenate(mixed, -1))


def feed_forward(weights, x):
    hidden = np.maximum(affine(weights, "feed_forward.expand", x), 0)
    return affine(weights, "feed_forward.contract", hidden)


def expected(layer, config, x, visible, memory=None, seen=None):
    """What a layer makes of one sentence, from its weights alone."""
    weights = {name: value.numpy() for name, value in layer.state_dict().items()}

    def self_attention(x):
        return attention(weights, "self_attention", x, x, visible, config)

    def cross_attention(x):
        return attention(weights, "cross_attention", x, memory, seen, config)

    sublayers = [self_attention, *([] if memory is None else [cross_attention])]
    for number, sublayer in enumerate([*sublayers, lambda x: feed_forward(weights, x)]):
        norm = f"residuals.{number}.norm"
        if config.norm == "pre":
            x = x + sublayer(layer_norm(weights, norm, x))
        else:
            x = layer_norm(weights, norm, x + sublayer(x))
    return x


@NORMS
def test_an_encoder_layer_is_its_formulas(small_config, norm):
    config = replace(small_config, norm=norm)
    layer = randomised(EncoderLayer(config, 1))
    x_BSD = drawn(2, 6, config.d_model)
    visible_B1S = torch.tensor([[[True] * 6], [[True] * 4 + [False] * 2]])
    with torch.no_grad():
        found_BSD = layer(x_BSD, Seen(visible_B1S), None).numpy()
    for x_SD, visible, found_SD in zip(x_BSD, visible_B1S, found_BSD, strict=True):
        np.testing.assert_allclose(
            found_SD, expected(layer, config, x_SD.numpy(), visible.numpy()), rtol=1e-9, atol=1e-9
        )


@NORMS
def test_a_decoder_layer_is_its_formulas(small_config, norm):
    config = replace(small_config, norm=norm)
    layer = randomised(DecoderLayer(config, 0))
    x_BTD, memory_BSD = drawn(2, 4, config.d_model), drawn(2, 5, config.d_model, seed=9)
    causal_1TT = torch.ones(1, 4, 4, dtype=torch.bool).tril()
    visible_B1S = torch.tensor([[[True] * 5], [[True] * 2 + [False] * 3]])
    with torch.no_grad():
        found_BTD = layer(x_BTD, Seen(causal_1TT, memory_BSD, visible_B1S), None).numpy()
    for row in range(2):
        x_TD, memory_SD = x_BTD[row].numpy(), memory_BSD[row].numpy()
        by_hand_TD = expected(
            layer, config, x_TD, causal_1TT[0].numpy(), memory_SD, visible_B1S[row].numpy()
        )
        np.testing.assert_allclose(found_BTD[row], by_hand_TD, rtol=1e-9, atol=1e-9)


def test_the_sublayers_stand_in_the_order_of_the_figure(small_config):
    orders = {
        EncoderLayer(small_config, 2): ["encoder.2.self", "encoder.2.feed_forward"],
        DecoderLayer(small_config, 1): [
            *("decoder.1.self", "decoder.1.cross", "decoder.1.feed_forward")
        ],
    }
    for layer, order in orders.items():
        assert [str(sublayer.site) for sublayer, _residual in layer.blocks()] == order
        assert [str(residual.site) for _sublayer, residual in layer.blocks()] == order


@NORMS
def test_a_sublayer_works_on_the_step_that_its_residual_names(small_config, norm):
    residual = randomised(Residual(replace(small_config, norm=norm), Site("encoder", 0, "self")))
    worked_on = []

    def sublayer(x_BKD):
        worked_on.append(x_BKD.detach())
        return 2 * x_BKD

    record = Record(frozenset(Step))
    residual(drawn(2, 3, small_config.d_model), sublayer, record)
    [given_BKD] = worked_on
    assert torch.equal(record.tensors[residual.site, residual.given], given_BKD)
    other = {Step.AFTER_NORM, Step.STREAM_IN} - {residual.given}
    assert not torch.equal(record.tensors[residual.site, other.pop()], given_BKD)


@NORMS
def test_dropout_falls_on_what_is_added_and_never_on_the_stream(small_config, norm):
    config = replace(small_config, norm=norm, dropout=0.5)
    residual = randomised(Residual(config, Site("encoder", 0, "self"))).train()
    record = Record(frozenset(Step))
    x_BKD = drawn(1, 40, config.d_model)
    residual(x_BKD, torch.ones_like, record)
    added_BKD = record.tensors[residual.site, Step.ADDED]
    assert set(added_BKD.unique().tolist()) == {0.0, 2.0}
    summed = Step.STREAM_OUT if norm == "pre" else Step.BEFORE_NORM
    assert torch.equal(record.tensors[residual.site, summed], x_BKD + added_BKD)
