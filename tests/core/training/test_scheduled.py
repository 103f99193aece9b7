from dataclasses import replace

import pytest
import torch

from core.batch import collate
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.model import build
from core.training.loop import make_optimizer, train
from core.training.scheduled import sampled_share, with_own_words
from core.vocabulary import BOS, PAD


@pytest.fixture
def model(tokenizer):
    config = ModelConfig(tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.0)
    return build(config, seed=4)


@pytest.fixture
def batch(translation_pairs):
    return collate(translation_pairs[:16])


def test_the_share_rises_evenly_and_ends_where_it_was_set():
    config = TrainConfig(steps=201, scheduled_sampling=0.8)
    shares = [sampled_share(step, config) for step in range(1, 202)]
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(0.8)
    steps = [later - earlier for earlier, later in zip(shares, shares[1:], strict=False)]
    assert steps == pytest.approx([0.8 / 200] * 200)
    assert sampled_share(1, replace(config, steps=1)) == 0


def test_what_is_replaced_is_what_the_model_says_after_the_true_prefix(model, batch):
    torch.manual_seed(0)
    mixed = with_own_words(model, batch, 0.999999)
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
    everywhere = with_own_words(model, wide, 0.999999).fed_BT
    could_BT = everywhere != wide.fed_BT
    did_BT = with_own_words(model, wide, 0.3).fed_BT != wide.fed_BT
    assert not (did_BT & ~could_BT).any()
    assert did_BT.sum() / could_BT.sum() == pytest.approx(0.3, abs=0.05)


def test_without_a_share_the_batch_stays_itself(model, batch):
    assert with_own_words(model, batch, 0.0) is batch


def test_training_uses_it(model, batch):
    """The same batch twice: at the second step the model is fed its own words."""
    losses = []
    for share in (0.0, 0.9):
        config = TrainConfig(steps=2, scheduled_sampling=share)
        torch.manual_seed(0)
        trained = build(model.config, seed=4)
        steps = list(train(trained, make_optimizer(trained, config), [batch, batch], config))
        losses.append([step.loss for step in steps])
    assert losses[0][0] == losses[1][0]
    assert losses[0][1] != losses[1][1]
