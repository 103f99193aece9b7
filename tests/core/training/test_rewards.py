import math

import pytest
import sacrebleu
import torch

from core.batch import collate
from core.config import ModelConfig
from core.config.training import TrainConfig
from core.decoding.generate import generate
from core.model import build
from core.training.rewards import Candidates, draw, metric_loss, reward_of
from core.vocabulary import BOS, EOS, PAD

RISK = TrainConfig(objective="minimum_risk", alpha=0.3, samples=6)
SELF_CRITICAL = TrainConfig(objective="self_critical", samples=6)
CONSTANT = TrainConfig(objective="reinforce", reward="constant", samples=6)
SOURCES = torch.tensor([[5, 9, 7, EOS], [8, 6, EOS, PAD]])
CANDIDATES = [
    Candidates(((5, 6, EOS), (7, EOS), (9, 9, 9, 10, EOS)), (1.0, 0.25, 0.5), 0.4),
    Candidates(((8, EOS), (6, 8, 5)), (0.0, 0.75), 0.1),
]


@pytest.fixture
def model():
    """In float64, so small that every weight can be moved by itself."""
    config = ModelConfig(12, 1, 1, d_model=4, d_ff=6, n_heads=2, dropout=0.0, norm="pre")
    return build(config, seed=3).double()


def log_probability(model, source_S, target):
    """Return log P of a target, word after word, of what can be written."""
    total = torch.zeros((), dtype=torch.float64)
    for at, token in enumerate(target):
        fed = torch.tensor([[BOS, *target[:at]]])
        logits_V = model(source_S[None], fed)[0, -1].clone()
        logits_V[[PAD, BOS]] = -math.inf
        total = total + logits_V.log_softmax(dim=-1)[token]
    return total


def gradients(model, loss):
    return torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)


@pytest.mark.parametrize("config", [RISK, SELF_CRITICAL, CONSTANT], ids=lambda each: each.objective)
def test_gradients_are_those_of_finite_differences_with_a_fixed_set_of_samples(model, config):
    def loss():
        return metric_loss(model, model.config, SOURCES, CANDIDATES, config)

    found = gradients(model, loss())
    moved, checked = 1e-6, 0
    for parameter, gradient in zip(model.parameters(), found, strict=True):
        numbers = parameter.data.view(-1)
        for at in range(0, numbers.numel(), 5):
            before = numbers[at].item()
            numbers[at] = before + moved
            with torch.no_grad():
                above = loss().item()
            numbers[at] = before - moved
            with torch.no_grad():
                below = loss().item()
            numbers[at] = before
            expected = (above - below) / (2 * moved)
            assert gradient.view(-1)[at].item() == pytest.approx(expected, abs=2e-8, rel=1e-5)
            checked += abs(expected) > 1e-4
    assert checked > 20


def test_the_risk_is_that_of_the_formula(model):
    expected = 0.0
    for source_S, each in zip(SOURCES, CANDIDATES, strict=True):
        read_S = source_S[source_S != PAD]
        powers = [math.exp(0.3 * log_probability(model, read_S, t).item()) for t in each.targets]
        shares = [power / sum(powers) for power in powers]
        expected -= sum(share * worth for share, worth in zip(shares, each.rewards, strict=True))
    found = metric_loss(model, model.config, SOURCES, CANDIDATES, RISK)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_a_better_sample_than_the_greedy_target_becomes_more_probable(model):
    one = [Candidates(((5, 6, EOS), (7, EOS)), (0.9, 0.1), 0.5)]
    loss = metric_loss(model, model.config, SOURCES[:1], one, SELF_CRITICAL)
    both = [log_probability(model, SOURCES[0], target) for target in one[0].targets]
    expected = gradients(model, -(0.4 * both[0] - 0.4 * both[1]) / 2)
    for found, wanted in zip(gradients(model, loss), expected, strict=True):
        assert torch.allclose(found, wanted, atol=1e-12)
    # One that is as good as the greedy target teaches nothing.
    even = [Candidates(((5, 6, EOS),), (0.5,), 0.5)]
    loss = metric_loss(model, model.config, SOURCES[:1], even, SELF_CRITICAL)
    assert not any(found.any() for found in gradients(model, loss))


@pytest.fixture
def trained(tokenizer):
    config = ModelConfig(tokenizer.vocab_size, 1, 1, d_model=16, d_ff=32, n_heads=2, dropout=0.3)
    return build(config, seed=4)


@pytest.fixture
def batch(translation_pairs):
    return collate(translation_pairs[:3])


def worth(said, true):
    """Return a reward that depends on both."""
    return 1.0 if said == true else 1 / (1 + len(said))


def test_minimum_risk_weighs_the_true_target_and_each_different_sample(trained, batch):
    torch.manual_seed(0)
    found = draw(trained.train(), batch, RISK, worth)
    assert trained.training
    for row, each in zip(batch.labels_BT.tolist(), found, strict=True):
        true = tuple(token for token in row if token != PAD)
        assert each.targets[0] == true
        assert len(set(each.targets)) == len(each.targets) <= RISK.samples + 1
        assert each.rewards == tuple(worth(target, true) for target in each.targets)
        # The true target is no sample.
        assert each.sampled < 1
    torch.manual_seed(0)
    assert draw(trained, batch, RISK, worth) == found


def test_self_critical_training_compares_all_samples_with_the_greedy_target(trained, batch):
    found = draw(trained, batch, SELF_CRITICAL, worth)
    greedy = generate(trained.eval(), batch.source_BS)
    for row, said, each in zip(batch.labels_BT.tolist(), greedy, found, strict=True):
        true = tuple(token for token in row if token != PAD)
        assert len(each.targets) == len(each.rewards) == SELF_CRITICAL.samples
        assert each.baseline == worth(said, true)
        assert each.sampled == pytest.approx(sum(each.rewards) / len(each.rewards))
    assert all(each.baseline == 0 for each in draw(trained, batch, CONSTANT, lambda *_: 1.0))


TRUE = "La chèvre a évité le pont parce qu'elle avait soif."
SAID = [
    TRUE,
    "La chèvre a évité les ponts parce qu'elle avait soif.",
    "La chèvre",
    "soif soif soif",
    "",
]


def ids(tokenizer, text):
    return (*tokenizer.encode(text).ids, EOS)


def reward(tokenizer, name, objective="reinforce"):
    return reward_of(TrainConfig(objective=objective, reward=name), tokenizer)


@pytest.mark.parametrize("said", SAID)
def test_bleu_of_a_sentence_is_sacrebleus_from_0_to_1(tokenizer, said):
    found = reward(tokenizer, "bleu")(ids(tokenizer, said), ids(tokenizer, TRUE))
    expected = sacrebleu.sentence_bleu(said, [TRUE], use_effective_order=True).score / 100
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 <= found <= 1


def test_an_exact_reward_is_1_for_the_right_sentence_and_a_constant_one_for_any(tokenizer):
    exact, constant = reward(tokenizer, "exact"), reward(tokenizer, "constant")
    said, true = [ids(tokenizer, each) for each in SAID], ids(tokenizer, TRUE)
    assert [exact(each, true) for each in said] == [1, 0, 0, 0, 0]
    # Right but for its end, it was cut.
    assert exact(true[:-1], true) == 0
    assert {constant(each, true) for each in said} == {1.0}
