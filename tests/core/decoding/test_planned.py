from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.decoding import maps
from core.decoding import planned as sublayers
from core.decoding.maps import PlanError
from core.decoding.plan import DecoderPlan
from core.model import Cache, build

PAPER = ModelConfig(29, 2, 2, 16, 24, 4, max_positions=40)
GPT2 = replace(PAPER, n_encoder_layers=0, norm="pre", activation="gelu_tanh", positions="learned")
LLAMA = replace(
    replace(GPT2, norm_kind="rms", activation="silu", gated=True, positions="rotary"),
    attention_bias=False,
    ff_bias=False,
)
T5 = replace(
    replace(PAPER, norm="pre", norm_kind="rms", positions="buckets", score_scale="none"),
    attention_bias=False,
    ff_bias=False,
    embedding_scale=False,
    logit_scale=True,
)
KINDS = {
    "the paper's": PAPER,
    "Marian's": replace(PAPER, positions="halves", activation="silu", logit_bias=True),
    "T5's": T5,
    "T5 1.1's": replace(T5, activation="gelu_tanh", gated=True, tied="embeddings"),
    "GPT-2's": GPT2,
    "GPT-2's, scaled by layers": replace(GPT2, score_scale="width_and_layer"),
    "LLaMA's": LLAMA,
    "LLaMA's, in Meta's layout": replace(LLAMA, rotary_pairs="neighbours"),
    "LLaMA 3's": replace(LLAMA, n_kv_heads=2, rotary_scaling=(8.0, 1.0, 4.0, 16.0)),
    "LLaMA's with one set of keys": replace(LLAMA, n_kv_heads=1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("large", [0, 10**9], ids=["matrices apart", "matrices together"])
def test_a_plan_gives_the_logits_of_the_modules(kind, large, monkeypatch):
    monkeypatch.setattr(maps, "LARGE", large)
    # So that the buffers must grow.
    monkeypatch.setattr(sublayers, "FIRST_POSITIONS", 2)
    config = KINDS[kind]
    model = build(config, seed=4).eval()
    generator = torch.Generator().manual_seed(5)
    target_BT = torch.randint(3, 29, (3, 11), generator=generator)
    with torch.inference_mode():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        memory_BSD = None
        if config.n_encoder_layers:
            memory_BSD = model.encode(torch.randint(3, 29, (3, 7), generator=generator))
        plan = DecoderPlan(model, memory_BSD, None, n_sentences=3)
        found_BTV = torch.stack([plan.feed(token_B) for token_B in target_BT.T], dim=1)
        wanted_BTV = model.decode(target_BT, memory_BSD, None)
        assert (found_BTV - wanted_BTV).abs().max() < 1e-5
        # Some of the sentences go on by themselves.
        index_B = torch.tensor([2, 0])
        gone_on_BV = plan.rows(index_B).feed(target_BT[index_B, 0])
        longer_BT = torch.cat([target_BT, target_BT[:, :1]], dim=1)[index_B]
        memory_BSD = None if memory_BSD is None else memory_BSD[index_B]
        wanted_BV = model.decode(longer_BT, memory_BSD, None)[:, -1]
    assert (gone_on_BV - wanted_BV).abs().max() < 1e-5


@pytest.mark.parametrize("kind", ["GPT-2's", "LLaMA 3's", "the paper's"])
@pytest.mark.parametrize("n_before", [1, 5])
def test_a_plan_goes_on_after_a_prompt_that_the_modules_read(kind, n_before, monkeypatch):
    monkeypatch.setattr(sublayers, "FIRST_POSITIONS", 2)
    config, cache = KINDS[kind], Cache()
    model = build(config, seed=4).eval()
    target_BT = torch.randint(3, 29, (2, 9), generator=torch.Generator().manual_seed(6))
    with torch.inference_mode():
        memory_BSD = model.encode(target_BT) if config.n_encoder_layers else None
        model.decode(target_BT[:, :n_before], memory_BSD, None, None, cache)
        plan = DecoderPlan(model, memory_BSD, None, n_sentences=2)
        plan.take(cache)
        for token_B in target_BT[:, n_before:].T:
            found_BV = plan.feed(token_B)
        wanted_BV = model.decode(target_BT, memory_BSD, None)[:, -1]
        assert (found_BV - wanted_BV).abs().max() < 1e-5
        with pytest.raises(PlanError, match="a plan that has begun"):
            plan.take(cache)
