from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.config import ModelConfig
from core.describe import describe
from core.describe.formulas import formulas
from core.heads import Site
from core.model import Record, Step, build
from core.model.attention import MultiHeadAttention
from core.model.positional import COMPUTED_TABLES, Embedding

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


def passed(config, n_source, n_target):
    """Run a model step by step, and return what it computed and its floating-point operations."""
    model, record = build(config, seed=2).eval(), Record(frozenset(Step))
    source_BS = torch.arange(3, 3 + n_source)[None]
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        logits_BTV = model(source_BS, torch.arange(1, 1 + n_target)[None], record)
    return record.tensors, logits_BTV, counter.get_total_flops()


@pytest.mark.parametrize(
    ("positions", "table"),
    [("learned", ()), *((each, (table,)) for each, table in COMPUTED_TABLES.items())],
)
def test_the_code_of_positions_is_the_function_that_computes_them(positions, table):
    described = describe(replace(SMALL, positions=positions), 3, 4)
    part = described.part("encoder.positions")
    assert part.code == (Embedding, *table)
    assert bool(part.parameters) == (not table)


@each_config
def test_a_sublayer_and_its_norm_have_the_parameters_of_their_parts(config):
    model, parts = build(config), describe(config, 3, 4).parts
    for site in (part.site for part in parts if part.block == part.id):
        described = sum(part.parameters for part in parts if part.block == str(site))
        assert model.n_parameters(site) == described


@each_config
def test_parameters_of_a_part_are_those_of_its_module(config):
    model = build(config)
    found = {part.id: part.parameters for part in describe(config, 3, 4).parts}

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


@each_config
@pytest.mark.parametrize(("n_source", "n_target"), [(6, 5), (1, 1), (3, 8)])
def test_two_operations_for_each_multiply_add_are_what_a_counter_counts(config, n_source, n_target):
    _, _, operations = passed(config, n_source, n_target)
    assert 2 * describe(config, n_source, n_target).multiply_adds == operations


STEPS = {
    "query": Step.QUERY,
    "key": Step.KEY,
    "value": Step.VALUE,
    "scores": Step.SCORES,
    "weights": Step.WEIGHTS,
    "mixed": Step.MIXED,
    "hidden": Step.HIDDEN,
    "output": Step.ADDED,
}


def _of_every_head(shapes, config):
    """Return shapes as the steps have them: with keys and values for every head."""
    repeated = {
        name: (config.n_heads, *shapes[name][1:])
        for name in ("key", "value")
        if name in shapes and config.positions != "rotary"
    }
    return shapes | repeated


@each_config
def test_shapes_are_those_of_the_tensors_in_a_pass(config):
    tensors, logits_BTV, _ = passed(config, 6, 5)

    def shape(site, step):
        return tuple(tensors[site, step][0].shape)

    for part in describe(config, 6, 5).parts:
        shapes = dict(part.shapes)
        assert list(shapes)[0] == "input" and list(shapes)[-1] == "output"
        stack = part.id.split(".")[0]
        embedding = Site(stack, 0, "embedding") if stack in ("encoder", "decoder") else None
        if part.kind in ("self", "cross", "feed_forward"):
            site = Site.parse(part.id)
            given = Step.AFTER_NORM if config.norm == "pre" else Step.STREAM_IN
            assert shapes.pop("input") == shape(site, given)
            shapes.pop("memory", None)
            shapes = _of_every_head(shapes, config)
            assert shapes == {name: shape(site, STEPS[name]) for name in shapes}
            assert ("scores" in shapes) == (part.kind != "feed_forward")
        elif part.kind == "norm" and part.id.count(".") > 1:
            site = Site.parse(part.id.removesuffix(".norm"))
            assert shapes["input"] == shape(site, Step.BEFORE_NORM)
            assert shapes["output"] == shape(site, Step.AFTER_NORM)
        elif part.kind == "embedding":
            assert shapes["output"] == shape(embedding, Step.TOKENS)
            assert shapes["input"] == shapes["output"][:1]
        elif part.kind == "positions":
            assert shapes["positions"] == tuple(tensors[embedding, Step.POSITIONS].shape)
            assert shapes["output"] == shapes["input"] == shape(embedding, Step.STREAM_OUT)
        elif part.kind in ("output", "softmax"):
            assert shapes["output"] == tuple(logits_BTV[0].shape)


def test_parts_stand_in_the_order_of_the_figure():
    config = replace(SMALL, n_encoder_layers=1, n_decoder_layers=1)
    assert list(describe(config, 2, 2).ids) == [
        *("encoder.embedding", "encoder.positions", "encoder.0.self", "encoder.0.self.norm"),
        *("encoder.0.feed_forward", "encoder.0.feed_forward.norm"),
        *("decoder.embedding", "decoder.positions", "decoder.0.self", "decoder.0.self.norm"),
        *("decoder.0.cross", "decoder.0.cross.norm"),
        *("decoder.0.feed_forward", "decoder.0.feed_forward.norm", "output", "softmax"),
    ]


SITE = Site("decoder", 1, "self")


def test_without_biases_no_formula_has_one(small_config):
    attention = MultiHeadAttention(replace(small_config, attention_bias=False), SITE)
    assert not any("b^" in text for text in formulas(attention, 0).values())
    whole = formulas(MultiHeadAttention(small_config, SITE), 0)
    assert sum("b^" in text for text in whole.values()) == 4
