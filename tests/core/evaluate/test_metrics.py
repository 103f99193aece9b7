import math

import pytest
import torch

from core.batch import Pair
from core.config import ModelConfig
from core.decoding import step
from core.decoding.plan import plan_of
from core.decoding.targets import generate_targets
from core.evaluate.metrics import EVALUATION_BATCH, measure, sorted_batches
from core.model import build

V = 12


class Copier(torch.nn.Module):
    """Says the source, whatever its prefix, with `sharpness` as the right token's logit."""

    config = ModelConfig(vocab_size=V, max_positions=64)
    device = torch.device("cpu")

    def __init__(self, sharpness=50.0):
        super().__init__()
        self.sharpness = sharpness

    def encode(self, source_BS, probe=None):
        return source_BS

    def decode(self, target_BT, memory_BS):
        says_BT = torch.zeros_like(target_BT)
        n = min(target_BT.shape[1], memory_BS.shape[1])
        says_BT[:, :n] = memory_BS[:, :n]
        return self.sharpness * torch.nn.functional.one_hot(says_BT, V).float()

    def forward(self, source_BS, target_BT, probe=None):
        return self.decode(target_BT, source_BS)


class Endless(Copier):
    """Repeats 9 for ever where a source begins with it."""

    def decode(self, target_BT, memory_BS):
        nines_BT = torch.full_like(target_BT, 9)
        repeated_BTV = self.sharpness * torch.nn.functional.one_hot(nines_BT, V).float()
        starts_B = memory_BS[:, 0] == 9
        return torch.where(
            starts_B[:, None, None], repeated_BTV, super().decode(target_BT, memory_BS)
        )


class CopierPlan:
    """The same for one token after the other."""

    def __init__(self, model, memory_BS):
        self.model, self.memory_BS = model, memory_BS
        self.fed_BT = memory_BS[:, :0]

    def feed(self, token_B):
        self.fed_BT = torch.cat([self.fed_BT, token_B[:, None]], dim=1)
        return self.model.decode(self.fed_BT, self.memory_BS)[:, -1]


@pytest.fixture(autouse=True)
def _plan_of_the_copier(monkeypatch):
    def planned(model, memory, *given):
        if isinstance(model, Copier):
            return CopierPlan(model, memory)
        return plan_of(model, memory, *given)

    monkeypatch.setattr(step, "plan_of", planned)


class Numbers:
    """Writes ids as words."""

    def decode(self, ids):
        return " ".join(str(i) for i in ids if i > 2)


def measured(model, pairs):
    return measure(model, pairs, Numbers())


def pair(source, target):
    return Pair((*source, 2), (1, *target, 2))


RIGHT = [pair((5, 6, 7), (5, 6, 7)), pair((8,), (8,))]
WRONG = [pair((5, 6, 7), (5, 9, 7)), pair((8, 9), (3, 4))]


def test_a_model_that_copies_is_all_right_on_copies():
    quality = measured(Copier(), RIGHT)
    assert (quality.exact_match, quality.token_accuracy, quality.n) == (1, 1, 2)
    assert quality.loss == pytest.approx(0, abs=1e-6)


def test_figures_are_those_counted_by_hand():
    quality = measured(Copier(), [*RIGHT, *WRONG])
    assert (quality.exact_match, quality.n) == (2 / 4, 4)
    # With EOS 4 + 2 + 4 + 3 tokens, of which 1 and 2 are wrong.
    assert quality.token_accuracy == 10 / 13


def test_loss_is_per_token_and_not_per_batch(monkeypatch):
    pairs = [*RIGHT, *WRONG]
    # The right token's logit is 2 and eleven are 0; or the right one is among the zeros.
    total = math.log(math.exp(2) + V - 1)
    expected = (10 * (total - 2) + 3 * total) / 13
    assert measured(Copier(2.0), pairs).loss == pytest.approx(expected, rel=1e-6)
    monkeypatch.setattr("core.evaluate.metrics.EVALUATION_BATCH", 1)
    assert measured(Copier(2.0), pairs).loss == pytest.approx(expected, rel=1e-6)


def test_a_translation_that_goes_on_or_stops_early_is_no_exact_match():
    longer, shorter = pair((5, 6), (5,)), pair((5, 6), (5, 6, 7))
    assert measured(Copier(), [longer]).exact_match == 0
    assert measured(Copier(), [shorter]).exact_match == 0


@pytest.mark.parametrize("n_endless", [0, 1, 3])
def test_outputs_that_are_cut_at_the_length_limit_are_counted(n_endless):
    endless = [pair((9, at), (9, at)) for at in range(5, 5 + n_endless)]
    assert measured(Endless(), [*RIGHT, *endless]).n_unfinished == n_endless


def test_targets_come_in_the_order_of_the_pairs():
    assert generate_targets(Copier(), [*RIGHT, *WRONG], None) == [
        (5, 6, 7, 2),
        (8, 2),
        (5, 6, 7, 2),
        (8, 9, 2),
    ]


@pytest.mark.parametrize("training", [True, False])
def test_model_is_measured_without_dropout_and_left_in_its_mode(training):
    config = ModelConfig(V, 1, 1, d_model=8, d_ff=8, n_heads=2, dropout=0.5)
    model = build(config).train(training)
    first = measured(model, [*RIGHT, *WRONG])
    assert model.training is training
    assert measured(model, [*RIGHT, *WRONG]) == first


def test_sorted_batches_hold_every_pair_once_and_similar_lengths_together():
    pairs = [pair((5,) * (1 + n % 7), (6,) * (n % 3)) for n in range(EVALUATION_BATCH + 50)]
    batches = list(sorted_batches(pairs))
    assert [len(batch) for batch in batches] == [EVALUATION_BATCH, 50]
    lengths = [len(each.source) for batch in batches for each in batch]
    assert lengths == sorted(lengths)
    assert sorted(map(id, sum(batches, []))) == sorted(map(id, pairs))
