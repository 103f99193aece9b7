from dataclasses import replace

import pytest

from core.config import ModelConfig
from core.describe import describe
from core.describe.formulas import formulas
from core.heads import Site
from core.model import build
from core.model.attention import MultiHeadAttention

SMALL = ModelConfig(23, 3, 2, 16, 32, 4, d_k=5, d_v=3, max_positions=20)
CONFIGS = {
    "post": SMALL,
    "pre": replace(SMALL, norm="pre"),
    "untied": replace(SMALL, tied=False),
    "learned positions": replace(SMALL, positions="learned", norm="pre", tied=False),
    "heads that split the width": ModelConfig(30, 1, 2, 12, 20, 3, max_positions=9),
    "one encoder layer": replace(SMALL, n_encoder_layers=1, norm="pre"),
    "pointer": replace(SMALL, pointer=True),
}
each_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@each_config
def test_a_sublayer_and_its_norm_have_the_parameters_of_their_parts(config):
    model, parts = build(config), describe(config).parts
    for site in (part.site for part in parts if part.block == part.id):
        described = sum(part.parameters for part in parts if part.block == str(site))
        assert model.n_parameters(site) == described


@each_config
def test_parameters_of_a_part_are_those_of_its_module(config):
    model = build(config)
    found = {part.id: part.parameters for part in describe(config).parts}

    def size(module):
        return sum(parameter.numel() for parameter in module.parameters())

    for stack, layers in (("encoder", model.encoder), ("decoder", model.decoder)):
        for number, layer in enumerate(layers):
            names = ("self", "feed_forward") if stack == "encoder" else None
            for name, residual in zip(
                names or ("self", "cross", "feed_forward"), layer.residuals, strict=True
            ):
                module = layer.feed_forward if name == "feed_forward" else None
                module = module or getattr(layer, f"{name}_attention")
                assert found[f"{stack}.{number}.{name}"] == size(module)
                assert found[f"{stack}.{number}.{name}.norm"] == size(residual)
    for stack, embedding in (("encoder", model.source_embedding), ("decoder", None)):
        embedding = embedding or model.target_embedding
        learned = embedding.positions_PD.numel() if config.positions == "learned" else 0
        assert found[f"{stack}.positions"] == learned
    table = config.vocab_size * config.d_model
    copy = 0 if config.tied == "all" else table
    tables = [found[name] for name in ("encoder.embedding", "decoder.embedding", "output")]
    assert tables == [table, copy, copy]


def test_parts_stand_in_the_order_of_the_figure():
    config = replace(SMALL, n_encoder_layers=1, n_decoder_layers=1)
    assert [part.id for part in describe(config).parts] == [
        *("encoder.embedding", "encoder.positions", "encoder.0.self", "encoder.0.self.norm"),
        *("encoder.0.feed_forward", "encoder.0.feed_forward.norm"),
        *("decoder.embedding", "decoder.positions", "decoder.0.self", "decoder.0.self.norm"),
        *("decoder.0.cross", "decoder.0.cross.norm"),
        *("decoder.0.feed_forward", "decoder.0.feed_forward.norm", "output"),
    ]


SITE = Site("decoder", 1, "self")


def test_without_biases_no_formula_has_one(small_config):
    attention = MultiHeadAttention(replace(small_config, attention_bias=False), SITE)
    assert not any("b^" in text for text in formulas(attention, 0).values())
    whole = formulas(MultiHeadAttention(small_config, SITE), 0)
    assert sum("b^" in text for text in whole.values()) == 4
