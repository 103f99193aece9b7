from dataclasses import replace

import pytest
import torch

from core.batch import collate
from core.config import ModelConfig
from core.decoding.step import mask_special_tokens
from core.model import build
from core.training.loop import free_running, scheduled_sampling
from core.vocabulary import BOS, PAD


@pytest.fixture
def model(tokenizer):
    config = ModelConfig(tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.0)
    return build(config, seed=4)


@pytest.fixture
def batch(translation_pairs):
    return collate(translation_pairs[:16])


def test_what_is_replaced_is_what_the_model_says_after_the_true_prefix(model, batch):
    torch.manual_seed(0)
    mixed = scheduled_sampling(model, batch, 0.999999)
    logits_BTV = model(batch.source_BS, batch.fed_BT)
    logits_BTV[..., :2] = -torch.inf
    said_BT = logits_BTV.argmax(dim=-1)
    words_BT = batch.fed_BT != PAD
    assert torch.equal(mixed.fed_BT[:, 1:][words_BT[:, 1:]], said_BT[:, :-1][words_BT[:, 1:]])
    assert (mixed.fed_BT[:, 0] == BOS).all()
    assert torch.equal(mixed.fed_BT == PAD, ~words_BT)
    assert torch.equal(mixed.labels_BT, batch.labels_BT)


def test_about_the_share_of_the_words_is_replaced(model, batch):
    torch.manual_seed(0)
    wide = replace(
        batch,
        source_BS=batch.source_BS.repeat(8, 1),
        fed_BT=batch.fed_BT.repeat(8, 1),
        labels_BT=batch.labels_BT.repeat(8, 1),
    )
    everywhere = scheduled_sampling(model, wide, 0.999999).fed_BT
    could_BT = everywhere != wide.fed_BT
    did_BT = scheduled_sampling(model, wide, 0.3).fed_BT != wide.fed_BT
    assert not (did_BT & ~could_BT).any()
    assert did_BT.sum() / could_BT.sum() == pytest.approx(0.3, abs=0.05)


GRU = {"decoder_mixing": "gru", "positions": "none"}


@pytest.fixture(params=[{}, GRU], ids=["attention", "gru"])
def dropping(request, tokenizer):
    config = ModelConfig(
        tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.3, **request.param
    )
    return build(config, seed=4)


def test_the_decoder_is_fed_what_it_writes_itself_from_the_first_step_on(dropping, batch):
    """Found anew without a cache: the whole prefix is computed at every step."""
    dropping.train()
    found = free_running(dropping, batch)
    assert dropping.training
    dropping.eval()
    fed_BT = batch.fed_BT[:, :1]
    for _ in range(1, batch.fed_BT.shape[1]):
        with torch.no_grad():
            logits_BTV = mask_special_tokens(dropping(batch.source_BS, fed_BT), dropping.config)
        fed_BT = torch.cat([fed_BT, logits_BTV[:, -1:].argmax(dim=-1)], dim=1)
    said_BT = batch.fed_BT != PAD
    assert torch.equal(found.fed_BT[said_BT], fed_BT[said_BT])
    assert (found.fed_BT != batch.fed_BT).any()
    assert (found.fed_BT[:, 0] == BOS).all()
    assert torch.equal(found.fed_BT == PAD, batch.fed_BT == PAD)
    assert torch.equal(found.labels_BT, batch.labels_BT)
