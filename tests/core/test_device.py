"""Computing where the model is, tried on torch's device without numbers: nothing else is at hand.

Whatever is made on the CPU and meets a tensor of that device fails, as it would on a GPU.
"""

from contextlib import nullcontext

import pytest
import torch

from core.batch import collate
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.device import autocast, best_device, rounded_products
from core.model import Cache, build
from core.model.masks import padding_mask
from core.training.loop import Auxiliary, losses, scheduled_sampling

META = torch.device("meta")


@pytest.fixture(params=["sinusoidal", "learned"])
def model(request, tokenizer):
    config = ModelConfig(
        tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, positions=request.param
    )
    return build(config).to(META).train()


@pytest.mark.parametrize("guide", ["", "encoder.0.self:1", "decoder.0.cross:0"])
def test_a_batch_is_learned_where_the_model_is(model, translation_pairs, guide):
    pairs = [pair for pair in translation_pairs if pair.references][:8]
    whole = collate(pairs)
    batch = whole.to(model.device)
    assert batch.fed_BT.device == batch.labels_BT.device == META
    config = TrainConfig(guide=guide, label_smoothing=0.1)
    auxiliary = Auxiliary.of(whole, config, predicts_length=False)
    loss, guide_loss = losses(model, batch, whole, config, auxiliary)
    (loss + guide_loss).backward()
    assert all(each.grad.device == META for each in model.parameters())


def test_own_words_are_mixed_in_where_the_model_is(model, translation_pairs):
    batch = collate(translation_pairs[:8]).to(model.device)
    assert scheduled_sampling(model, batch, 0.5).fed_BT.device == META


def test_several_new_tokens_are_decoded_where_the_model_is(model):
    ids_BK = torch.zeros(2, 5, dtype=torch.long, device=META)
    with torch.no_grad():
        memory_BSD, cache = model.encode(ids_BK), Cache()
        for _ in range(2):
            logits_BTV = model.decode(ids_BK, memory_BSD, padding_mask(ids_BK), cache=cache)
    assert logits_BTV.device == META


@pytest.mark.parametrize(
    ("precision", "during"), [("auto", "highest"), ("float32", "highest"), ("bfloat16", "medium")]
)
def test_products_are_rounded_only_where_it_was_asked_for(precision, during):
    with rounded_products(precision, torch.device("cpu")):
        assert torch.get_float32_matmul_precision() == during
    assert torch.get_float32_matmul_precision() == "highest"


@pytest.mark.parametrize(
    ("cuda", "mps", "found"), [(False, False, "cpu"), (False, True, "mps"), (True, True, "cuda")]
)
def test_the_best_device_is_chosen(monkeypatch, cuda, mps, found):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert best_device().type == found


@pytest.mark.parametrize(
    ("precision", "device", "lowered"),
    [
        ("auto", "cuda", True),
        ("auto", "mps", False),
        ("auto", "cpu", False),
        ("bfloat16", "mps", True),
        ("float32", "cuda", False),
        ("bfloat16", "cpu", False),
    ],
)
def test_gpus_compute_forward_in_bfloat16(monkeypatch, precision, device, lowered):
    asked = []
    monkeypatch.setattr(torch, "autocast", lambda *given: asked.append(given) or nullcontext())
    with autocast(precision, torch.device(device)):
        assert asked == ([(device, torch.bfloat16)] if lowered else [])
