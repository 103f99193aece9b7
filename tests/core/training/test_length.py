"""Learning how long a target will be, beside its words."""

import math
import random

import pytest
import torch

from core.batch import collate, encode_samples
from core.decoding.mask_predict import predicted_lengths
from core.labels import as_learned
from core.model import build
from core.tasks import TASKS, Sample
from core.training.batches import training_batches
from core.training.loop import make_optimizer, train
from core.training.losses import length_loss
from core.training.prepare import train_tokenizer
from core.training.presets import with_settings
from core.vocabulary import BOS, EOS, PAD
from tests.core.conftest import MINIATURE

PRESET = with_settings(MINIATURE, {"decoder": "parallel", "length": "predicted"})
SAMPLES = [Sample("a b c", "c b a"), Sample("a", "a b c d e f"), Sample("a b c d e f g h", "h")]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(TASKS["either"], PRESET.vocab_size, 0, PRESET.model)


@pytest.fixture
def model(tokenizer):
    return build(PRESET.sized(tokenizer.vocab_size), 1)


def learned(model, tokenizer):
    pairs = encode_samples(tokenizer, SAMPLES)
    return pairs, as_learned(pairs, model.config, tokenizer, random.Random(0))


def test_places_are_the_targets_tokens_and_its_end_is_told(model, tokenizer):
    for pair, one in zip(*learned(model, tokenizer), strict=True):
        fed, labels = one.target[:-1], one.labels
        assert (fed[0], fed[-1], labels[-1]) == (BOS, EOS, PAD)
        assert tuple(label or token for token, label in zip(fed, labels, strict=True)) == (
            pair.target
        )
        assert EOS not in [token for token in labels if token != PAD]


def test_the_loss_is_the_cross_entropy_of_the_difference(model, tokenizer):
    pairs, rows = learned(model, tokenizer)
    batch = collate(rows)
    torch.manual_seed(0)
    logits_BN = torch.randn(3, 65, dtype=torch.float64)
    expected = 0.0
    for logits_N, pair in zip(logits_BN.tolist(), pairs, strict=True):
        # BOS is no token of the target.
        difference = len(pair.target) - 1 - len(pair.source)
        total = sum(math.exp(each) for each in logits_N)
        expected -= math.log(math.exp(logits_N[difference + 32]) / total) / 3
    assert float(length_loss(logits_BN, batch)) == pytest.approx(expected, abs=1e-12)
    parts = [
        length_loss(logits_BN[index::2], batch.part(index, 2), len(batch.source_BS))
        for index in range(2)
    ]
    assert float(sum(parts)) == pytest.approx(expected, abs=1e-12)


def test_a_training_learns_how_long_targets_are(model, tokenizer):
    config = with_settings(PRESET, {"steps": 60, "warmup": 15, "batch_size": 16}).training
    batches = training_batches(TASKS["either"], tokenizer, config, 0, model.config)
    steps = list(train(model, make_optimizer(model, config), batches, config))
    assert steps[-1].loss < steps[0].loss
    model.eval()
    pairs = encode_samples(tokenizer, TASKS["either"].held_out_samples(40))
    batch = collate(pairs)
    with torch.no_grad():
        places_B = predicted_lengths(model, model.encode(batch.source_BS), batch.source_BS)
    right = sum(n == len(pair.target) - 1 for n, pair in zip(places_B.tolist(), pairs, strict=True))
    assert right >= 36
