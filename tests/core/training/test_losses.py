import math
import random
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.batch import TokenReference, collate, encode_samples
from core.decoding.mask_predict import predicted_lengths
from core.heads import Head, Site
from core.labels import as_learned
from core.model import build
from core.tasks import TASKS, Sample
from core.training.batches import training_batches
from core.training.loop import guided_loss, guided_rows, length_loss, make_optimizer, train
from core.training.prepare import train_tokenizer
from core.training.presets import with_settings
from tests.core.conftest import MINIATURE

ENCODER, CROSS = Site("encoder", 0, "self"), Site("decoder", 0, "cross")


def reference(pronoun, antecedent, steps):
    return TokenReference(pronoun, antecedent, (antecedent,), steps, True)


def rows(references, head):
    """Return the rows of a batch of which only the pronouns matter."""
    return guided_rows(SimpleNamespace(references=references), head)


@pytest.fixture(name="weights_BHQK")
def weights():
    """Two sentences, two heads, 3 × 4; every row sums to 1."""
    return torch.randn(2, 2, 3, 4, generator=torch.Generator().manual_seed(2)).softmax(dim=-1)


def test_guided_loss_is_the_mean_of_the_logarithms_written_out(weights_BHQK):
    references = (
        (reference((2,), (0, 1), (1,)), reference((1,), (3,), (0, 2))),
        (reference((0,), (2,), (2,)),),
    )
    w = weights_BHQK[:, 1].double().numpy()
    encoder = np.log([w[0, 2, 0] + w[0, 2, 1], w[0, 1, 3], w[1, 0, 2]])
    cross = np.log([w[0, 1, 0] + w[0, 1, 1], w[0, 0, 3], w[0, 2, 3], w[1, 2, 2]])
    for site, logarithms in ((ENCODER, encoder), (CROSS, cross)):
        loss = guided_loss(weights_BHQK, rows(references, Head(site, 1)), Head(site, 1))
        assert loss.item() == pytest.approx(-logarithms.mean(), rel=1e-5)


def test_the_loss_of_a_guided_head_is_bounded():
    weights = torch.eye(3)[None, None]
    references = ((reference((1,), (2,), (1,)),),)
    head = Head(ENCODER, 0)
    loss = guided_loss(weights, rows(references, head), head)
    assert loss.item() == pytest.approx(-math.log(1e-9), rel=1e-5)


@pytest.mark.parametrize("task", ["copy", "reverse", "translate"])
def test_by_the_alignment_every_step_looks_at_the_words_that_it_comes_from(tokenizer, task):
    """Found anew from the texts: each token of the target, and those of the words linked to it."""
    samples = TASKS[task].held_out_samples(20, seed=1)
    batch = collate(encode_samples(tokenizer, samples, aligned=True))
    found = guided_rows(batch, Head(CROSS, 0), "alignment")
    expected = []
    for sentence, sample in enumerate(samples):
        source, target = tokenizer.encode(sample.source), tokenizer.encode(sample.target)
        for step in range(len(target.ids)):
            keys = {
                key
                for link in sample.links
                if step in target.tokens_in(link.target)
                for key in source.tokens_in(link.source)
            }
            if keys:
                expected.append((sentence, step, tuple(sorted(keys))))
    assert found == expected
    # What a row looks at is what it writes.
    if task != "translate":
        for sentence, step, keys in found:
            written = tokenizer.decode([int(batch.labels_BT[sentence, step])])
            read = tokenizer.decode(batch.source_BS[sentence, list(keys)].tolist())
            assert written.strip() in read.strip()
            assert len(read.strip()) == 1
    parts = [batch.part(index, 3) for index in range(3)]
    of_parts = [guided_rows(part, Head(CROSS, 0), "alignment") for part in parts]
    assert sum(map(len, of_parts)) == len(found)


PRESET = with_settings(MINIATURE, {"decoder": "parallel", "length": "predicted"})
SAMPLES = [Sample("a b c", "c b a"), Sample("a", "a b c d e f"), Sample("a b c d e f g h", "h")]


@pytest.fixture(scope="module")
def coin_tokenizer():
    return train_tokenizer(TASKS["either"], PRESET.vocab_size, 0, PRESET.model)


@pytest.fixture
def model(coin_tokenizer):
    return build(PRESET.sized(coin_tokenizer.vocab_size), 1)


def learned(model, coin_tokenizer):
    pairs = encode_samples(coin_tokenizer, SAMPLES)
    return pairs, as_learned(pairs, model.config, coin_tokenizer, random.Random(0))


@pytest.mark.slow
def test_the_loss_is_the_cross_entropy_of_the_difference(model, coin_tokenizer):
    pairs, rows = learned(model, coin_tokenizer)
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


@pytest.mark.slow
def test_a_training_learns_how_long_targets_are(model, coin_tokenizer):
    config = with_settings(PRESET, {"steps": 60, "warmup": 15, "batch_size": 16}).training
    batches = training_batches(TASKS["either"], coin_tokenizer, config, 0, model.config)
    steps = list(train(model, make_optimizer(model, config), batches, config))
    assert steps[-1].loss < steps[0].loss
    model.eval()
    pairs = encode_samples(coin_tokenizer, TASKS["either"].held_out_samples(40))
    batch = collate(pairs)
    with torch.no_grad():
        places_B = predicted_lengths(model, model.encode(batch.source_BS), batch.source_BS)
    right = sum(n == len(pair.target) - 1 for n, pair in zip(places_B.tolist(), pairs, strict=True))
    assert right >= 36
