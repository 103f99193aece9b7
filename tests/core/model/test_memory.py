"""Which encoder layer a decoder layer reads."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.heads import Site
from core.model import Record, Step, build
from core.runs.checkpoint import load_model, load_state, save_state, save_weights
from tests.core.model.test_every_kind import SOURCE_BS, TARGET_BT

CONFIG = ModelConfig(23, 3, 3, 16, 32, 4, max_positions=20)
KINDS = [(memory, norm) for memory in ("first", "same", "mixed") for norm in ("post", "pre")]


@pytest.fixture(params=KINDS, ids=" ".join)
def config(request):
    memory, norm = request.param
    return replace(CONFIG, memory=memory, norm=norm)


@pytest.fixture
def model(config):
    return drawn(config)


def drawn(config):
    """A model whose norms and mixtures are unlike those that a training begins with."""
    model = build(config, seed=3).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter))
    return model


def depths(model):
    """What each encoder layer makes, after the norm that ends the encoder, by hand."""
    record = Record(frozenset({Step.STREAM_OUT}))
    with torch.inference_mode():
        model.encode(SOURCE_BS, record)
    found = []
    for layer in range(3):
        x_BSD = record.tensors[Site("encoder", layer, "feed_forward"), Step.STREAM_OUT]
        if model.config.norm == "pre":
            norm = model.encoder_norm
            mean, variance = x_BSD.mean(-1, keepdim=True), x_BSD.var(-1, keepdim=True, correction=0)
            x_BSD = (x_BSD - mean) / (variance + 1e-5).sqrt() * norm.weight + norm.bias
        found.append(x_BSD)
    return found


def read(model):
    """What each decoder layer's cross-attention is given."""
    record = Record(frozenset({Step.MEMORY}))
    with torch.inference_mode():
        model(SOURCE_BS, TARGET_BT, record)
    return [record.tensors[Site("decoder", layer, "cross"), Step.MEMORY] for layer in range(3)]


def test_each_decoder_layer_reads_what_its_setting_says(model, config):
    layers = depths(model)
    for number, found_BSD in enumerate(read(model)):
        match config.memory:
            case "first":
                expected_BSD = layers[0]
            case "same":
                expected_BSD = layers[number]
            case _:
                scores_L = model.decoder[number].cross_attention.memory.scores_L.detach().exp()
                shares = scores_L / scores_L.sum()
                expected_BSD = sum(a * x for a, x in zip(shares, layers, strict=True))
        torch.testing.assert_close(found_BSD, expected_BSD)


def test_a_training_goes_on_though_some_layers_learn_nothing(tmp_path):
    config = replace(CONFIG, memory="first")

    def stepped(model, optimizer, n):
        model.train()
        for step in range(n):
            torch.manual_seed(step)
            optimizer.zero_grad()
            logits_BTV = model(SOURCE_BS, TARGET_BT[:, :-1])
            labels = TARGET_BT[:, 1:].flatten()
            nn.functional.cross_entropy(logits_BTV.flatten(0, 1), labels).backward()
            optimizer.step()

    model = build(config, seed=1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2, fused=True)
    stepped(model, optimizer, 3)
    assert all(each.grad is None for each in model.encoder[2].parameters())
    save_weights(model, tmp_path / "weights")
    save_state(optimizer, tmp_path / "state.safetensors")
    again = load_model(tmp_path / "weights", config)
    other = torch.optim.Adam(again.parameters(), 1e-2, fused=True)
    load_state(other, tmp_path / "state.safetensors")
    stepped(model, optimizer, 3)
    stepped(again, other, 3)
    for one, two in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, two)
