import pytest
import torch

from core.batch import collate
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.decoding.step import mask_special_tokens
from core.model import build
from core.training.free_running import free_running
from core.training.loop import make_optimizer, train
from core.vocabulary import BOS, PAD

GRU = {"decoder_mixing": "gru", "positions": "none"}


@pytest.fixture(params=[{}, GRU], ids=["attention", "gru"])
def model(request, tokenizer):
    config = ModelConfig(
        tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.3, **request.param
    )
    return build(config, seed=4)


@pytest.fixture
def batch(translation_pairs):
    return collate(translation_pairs[:12])


def test_the_decoder_is_fed_what_it_writes_itself_from_the_first_step_on(model, batch):
    """Found anew without a cache: the whole prefix is computed at every step."""
    model.train()
    found = free_running(model, batch)
    assert model.training
    model.eval()
    fed_BT = batch.fed_BT[:, :1]
    for _ in range(1, batch.fed_BT.shape[1]):
        with torch.no_grad():
            logits_BTV = mask_special_tokens(model(batch.source_BS, fed_BT), model.config)
        fed_BT = torch.cat([fed_BT, logits_BTV[:, -1:].argmax(dim=-1)], dim=1)
    said_BT = batch.fed_BT != PAD
    assert torch.equal(found.fed_BT[said_BT], fed_BT[said_BT])
    assert (found.fed_BT != batch.fed_BT).any()


def test_what_is_to_be_said_stays_and_so_do_bos_and_padding(model, batch):
    found = free_running(model, batch)
    assert torch.equal(found.labels_BT, batch.labels_BT)
    assert torch.equal(found.source_BS, batch.source_BS)
    assert (found.fed_BT[:, 0] == BOS).all()
    assert torch.equal(found.fed_BT == PAD, batch.fed_BT == PAD)


def test_training_without_teacher_forcing_uses_it_at_the_first_step(model, batch):
    quiet = build(model.config, seed=4)
    losses = []
    for forced in (True, False):
        config = TrainConfig(steps=1, teacher_forcing=forced, label_smoothing=0.0)
        trained = build(model.config, seed=4)
        [step] = train(trained, make_optimizer(trained, config), [batch], config)
        losses.append(step.loss)
        assert any(
            not torch.equal(one, other)
            for one, other in zip(trained.parameters(), quiet.parameters(), strict=True)
        )
    assert losses[0] != losses[1]


def test_free_running_learns_a_batch_by_heart(model, batch):
    config = TrainConfig(
        steps=30, warmup=10, learning_rate_factor=4.0, teacher_forcing=False, label_smoothing=0.0
    )
    taken = list(train(model, make_optimizer(model, config), [batch] * 30, config))
    assert taken[-1].loss < 0.8 * taken[0].loss
