import math
from dataclasses import replace

import pytest
import torch

from core.batch import collate
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.evaluate.loss import token_loss
from core.model import build
from core.tasks import TASKS
from core.training.batches import training_batches
from core.training.loop import (
    Auxiliary,
    TrainingError,
    learning_rate,
    losses,
    make_optimizer,
    train,
)

CONFIG = TrainConfig(steps=6, batch_size=4, warmup=3, learning_rate_factor=2.0)


@pytest.fixture
def model(tokenizer):
    config = ModelConfig(
        tokenizer.vocab_size, 2, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.2, norm="pre"
    )
    return build(config, seed=1)


def steps(model, tokenizer, config=CONFIG, first_step=0, task="copy"):
    torch.manual_seed(config.seed)
    batches = training_batches(TASKS[task], tokenizer, config, first_step)
    yield from train(model, make_optimizer(model, config), batches, config, first_step)


def test_each_step_tells_the_schedules_rate_and_uses_it(model, tokenizer):
    optimizer = make_optimizer(model, CONFIG)
    batches = training_batches(TASKS["copy"], tokenizer, TrainConfig(batch_size=4))
    for taken in train(model, optimizer, batches, CONFIG):
        assert model.training
        # As a caller that evaluates in between.
        model.eval()
        rate = learning_rate(taken.step, 16, CONFIG)
        assert taken.learning_rate == rate
        assert [group["lr"] for group in optimizer.param_groups] == [rate]


def test_optimizer_is_the_papers_adam(model):
    optimizer = make_optimizer(model, TrainConfig())
    [group] = optimizer.param_groups
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0)
    # The tied matrix is learned once.
    assert len(group["params"]) == len({id(each) for each in model.parameters()})


def test_loss_is_that_of_the_batch_before_the_step(model, tokenizer):
    model.eval()
    quiet = build(replace(model.config, dropout=0.0), seed=1)
    batch = next(training_batches(TASKS["copy"], tokenizer, TrainConfig(batch_size=4)))
    with torch.no_grad():
        logits_BTV = model(batch.source_BS, batch.fed_BT)
    expected = token_loss(logits_BTV, batch.labels_BT, CONFIG.label_smoothing).item()
    first = next(train(quiet, make_optimizer(quiet, CONFIG), [batch], CONFIG))
    assert first.loss == pytest.approx(expected, rel=1e-5)
    assert first.n_tokens == batch.n_tokens
    assert first.guide_loss is None


@pytest.mark.parametrize("first_step", [0, 3])
def test_a_loss_that_is_no_number_stops_training_and_names_the_step(model, tokenizer, first_step):
    with torch.no_grad():
        model.output.weight[5] = math.nan
    before = {name: each.clone() for name, each in model.named_parameters()}
    with pytest.raises(TrainingError, match=f"nan at step {first_step + 1}"):
        next(steps(model, tokenizer, first_step=first_step))
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name]) or name == "source_embedding.tokens.weight"


@pytest.mark.parametrize("clip_norm", [0.0, 0.05])
def test_gradients_are_scaled_down_to_the_norm_or_left(model, tokenizer, clip_norm):
    next(steps(model, tokenizer, replace(CONFIG, clip_norm=clip_norm)))
    norm = math.sqrt(sum(each.grad.double().square().sum().item() for each in model.parameters()))
    assert norm == pytest.approx(0.05, rel=1e-3) if clip_norm else norm > 0.1


def test_guidance_adds_its_loss_with_its_weight(model, translation_pairs):
    model.eval()
    pairs = [pair for pair in translation_pairs if pair.references][:4]
    batch = collate(pairs)
    guided = replace(CONFIG, guide="encoder.1.self:1")
    found = [
        losses(model, batch, batch, config, Auxiliary.of(batch, config, predicts_length=False))
        for config in (CONFIG, guided)
    ]
    (plain, none), (with_guide, guide_loss) = found
    assert none == 0
    assert with_guide.item() == pytest.approx(plain.item(), rel=1e-5)
    assert guide_loss.item() > 0
    query = model.encoder[1].self_attention.query.weight
    [gradient] = torch.autograd.grad(guide_loss, query)
    # Head 1 has the second half of the 16 columns.
    assert not gradient[:8].any()
    assert gradient[8:].any()


PAPER = TrainConfig(steps=100_000)


@pytest.mark.parametrize("step", [1, 4000, 100_000])
@pytest.mark.parametrize("d_model", [64, 512])
def test_rate_is_the_papers_formula(step, d_model):
    expected = d_model**-0.5 * min(step**-0.5, step * 4000**-1.5)
    assert learning_rate(step, d_model, PAPER) == pytest.approx(expected, rel=1e-12)


def test_without_a_rise_the_rate_is_at_its_peak_to_the_end_of_the_warm_up():
    rising, flat = (TrainConfig(steps=200, warmup=20, warmup_rises=each) for each in (True, False))
    peak = learning_rate(20, 64, rising)
    assert [learning_rate(s, 64, flat) for s in range(1, 201)] == [
        max(peak, learning_rate(s, 64, rising)) if s < 20 else learning_rate(s, 64, rising)
        for s in range(1, 201)
    ]


def test_cooldown_falls_evenly_to_nearly_nothing_in_the_last_steps():
    flat, cooled = TrainConfig(steps=200, warmup=20), TrainConfig(steps=200, warmup=20, cooldown=50)
    shares = [learning_rate(s, 64, cooled) / learning_rate(s, 64, flat) for s in range(1, 201)]
    assert shares[:151] == [1] * 151
    # Of 50 steps, so many are left: 49 at step 152, 1 at the last.
    assert shares[151:] == pytest.approx([left / 50 for left in range(49, 0, -1)])
    assert learning_rate(200, 64, cooled) < 0.01 * learning_rate(20, 64, cooled)
