"""Mask-predict at as many places as are predicted, against one written out place by place."""

import pytest
import torch

from core.batch import pad
from core.config import ModelConfig
from core.decoding.generate import generate
from core.decoding.mask_predict import (
    MaskPredict,
    mask_predict_passes,
    predicted_places,
    sentence_passes,
)
from core.model import build
from core.vocabulary import BOS, EOS
from tests.core.decoding.test_mask_predict import MASK, SOURCES


@pytest.fixture(params=[0, 1, 2])
def model(request):
    config = ModelConfig(
        30, 2, 2, 16, 32, 4, max_positions=24, decoder="parallel", length="predicted"
    )
    found = build(config, request.param).eval()
    with torch.no_grad():
        # Small differences: else targets are as long as there are positions.
        found.length.linear.bias[30 + 2 * request.param] = 4.0
    return found


def length_by_hand(model, source):
    """Places of one source: its own, EOS among them, and the likeliest difference."""
    with torch.no_grad():
        mean_D = model.encode(torch.tensor([source]))[0].mean(dim=0)
        scores = (model.length.linear.weight @ mean_D + model.length.linear.bias).tolist()
    return min(23, max(2, len(source) + scores.index(max(scores)) - 32))


def by_hand(model, source, n_passes):
    n = length_by_hand(model, source) - 1
    stands, sure, masked_of_each = [MASK] * n, [0.0] * n, []
    for number in range(n_passes):
        n_masked = n if number == 0 else max(1, n * (n_passes - number) // n_passes)
        masked = sorted(range(n), key=lambda at: sure[at])[:n_masked]
        read = [MASK if at in masked else stands[at] for at in range(n)]
        with torch.no_grad():
            logits_TV = model(torch.tensor([source]), torch.tensor([[BOS, *read, EOS]]))[0, 1:]
        logits_TV[:, [0, BOS, EOS, MASK]] = -torch.inf
        for at in masked:
            share_V = logits_TV[at].softmax(dim=-1)
            stands[at], sure[at] = int(share_V.argmax()), float(share_V.max())
        masked_of_each.append(set(masked))
    return [*stands, EOS], [*sure, 1.0], masked_of_each


@pytest.mark.parametrize("n_passes", [1, 2, 4, 8])
@pytest.mark.parametrize("source", SOURCES)
def test_each_pass_predicts_the_least_sure_words_and_never_the_end(model, source, n_passes):
    stands, sure, masked_of_each = by_hand(model, source, n_passes)
    passes = list(mask_predict_passes(model, pad([source]), MaskPredict(n_passes)))
    for found, masked in zip(passes, masked_of_each, strict=True):
        assert set(found.masked_BT[0].nonzero()[:, 0].tolist()) == masked
        assert found.fed_BT[0, -1] == EOS
    assert passes[-1].said_BT[0].tolist() == stands
    torch.testing.assert_close(passes[-1].probability_BT[0], torch.tensor(sure))
    *_, last = sentence_passes(model, source, MaskPredict(n_passes))
    assert last.written == tuple(stands)


@pytest.mark.parametrize("n_passes", [1, 4])
def test_a_sentence_in_a_batch_is_as_long_as_alone(model, n_passes):
    together = generate(model, pad(SOURCES), MaskPredict(n_passes))
    for source, written in zip(SOURCES, together, strict=True):
        assert list(written) == by_hand(model, source, n_passes)[0]
        assert len(written) == length_by_hand(model, source)


def test_there_is_a_word_at_least_and_no_more_than_positions(model):
    source_BS = pad(SOURCES)
    for difference, expected in ((-32, 2), (32, 23)):
        with torch.no_grad():
            model.length.linear.bias.zero_()
            model.length.linear.bias[difference + 32] = 99.0
        places_B = predicted_places(model, model.encode(source_BS), source_BS)
        assert places_B.tolist() == [expected] * 3
        assert all(len(each) == expected for each in generate(model, source_BS))
