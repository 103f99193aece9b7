"""Mask-predict against a decoding that is written out place by place."""

import pytest
import torch

from core.batch import pad
from core.config import ConfigError, ModelConfig
from core.decoding.beam import Beam
from core.decoding.choosing import Greedy
from core.decoding.generate import forced_steps, generate
from core.decoding.mask_predict import MaskPredict, mask_predict_passes, predicted_lengths
from core.model import build
from core.vocabulary import BOS, EOS

SOURCES = [[5, 6, 7, EOS], [8, EOS], [9, 10, 11, 12, 13, 14, EOS]]
MASK = 29


def random_parallel(seed=4, favour_eos=0.0, length="end"):
    sizes = (30, 2, 2, 16, 32, 4)
    parallel = {"decoder": "parallel", "length": length, "logit_bias": True}
    model = build(ModelConfig(*sizes, max_positions=24, **parallel), seed).eval()
    with torch.no_grad():
        model.output.bias.zero_()
        model.output.bias[EOS] = favour_eos
        if model.length is not None:
            # Small differences: else targets are as long as there are positions.
            model.length.linear.bias[30 + seed] = 4.0
    return model


@pytest.fixture(params=[{}, {"favour_eos": 1.1}, {"length": "predicted"}], ids=str)
def parallel(request):
    """One writes EOS in the middle of the first source's places."""
    return random_parallel(**request.param)


def places_of(model, source):
    """The number of places of one source, and what stands at them: EOS at a predicted end."""
    if model.length is None:
        return [MASK] * min(23, len(source) + len(source) // 2 + 4)
    with torch.no_grad():
        mean_D = model.encode(torch.tensor([source]))[0].mean(dim=0)
        scores = (model.length.linear.weight @ mean_D + model.length.linear.bias).tolist()
    n = min(23, max(2, len(source) + scores.index(max(scores)) - 32))
    return [*[MASK] * (n - 1), EOS]


def by_hand(model, source, n_passes):
    """One sentence: Ghazvininejad et al. 2019, section 3.2, one place after the other.

    Without a predicted length the target is as long as what stands up to the first EOS.
    """
    stands = places_of(model, source)
    never = [0, BOS, MASK] if model.length is None else [0, BOS, MASK, EOS]
    sure, masked_of_each = [1.0 * (token == EOS) for token in stands], []
    for number in range(n_passes):
        length = len(stands) if EOS not in stands else stands.index(EOS) + (model.length is None)
        n_masked = length if number == 0 else max(1, length * (n_passes - number) // n_passes)
        masked = sorted(range(length), key=lambda at: sure[at])[:n_masked]
        read = [MASK if at in masked else token for at, token in enumerate(stands)]
        with torch.no_grad():
            logits_TV = model(torch.tensor([source]), torch.tensor([[BOS, *read]]))[0, 1:]
        logits_TV[:, never] = -torch.inf
        for at in masked:
            share_V = logits_TV[at].softmax(dim=-1)
            stands[at], sure[at] = int(share_V.argmax()), float(share_V.max())
        masked_of_each.append(set(masked))
    return stands, sure, masked_of_each


@pytest.mark.parametrize("n_passes", [3, 8])
@pytest.mark.parametrize("source", SOURCES)
def test_each_pass_predicts_the_least_sure_places_anew(parallel, source, n_passes):
    stands, sure, masked_of_each = by_hand(parallel, source, n_passes)
    passes = list(mask_predict_passes(parallel, pad([source]), MaskPredict(n_passes)))
    for found, masked in zip(passes, masked_of_each, strict=True):
        assert set(found.masked_BT[0].nonzero()[:, 0].tolist()) == masked
        assert {at for at, token in enumerate(found.fed_BT[0].tolist()) if token == MASK} == masked
    assert passes[-1].token_BT[0].tolist() == stands
    torch.testing.assert_close(passes[-1].probability_BT[0], torch.tensor(sure))


@pytest.mark.parametrize("n_passes", [1, 4])
def test_a_sentence_in_a_batch_is_filled_in_as_alone_and_ends_at_its_first_eos(parallel, n_passes):
    together = generate(parallel, pad(SOURCES), MaskPredict(n_passes))
    for source, written in zip(SOURCES, together, strict=True):
        stands = by_hand(parallel, source, n_passes)[0]
        end = stands.index(EOS) + 1 if EOS in stands else len(stands)
        assert list(written) == stands[:end]


@pytest.mark.parametrize("asked", [{}, {"length": "predicted"}], ids=str)
def test_a_given_length_is_written_whatever_the_model_would_choose(asked):
    model = random_parallel(favour_eos=1.1, **asked)
    for n, expected in ((1, 1), (5, 5), (99, 22)):
        for written in generate(model, pad(SOURCES), MaskPredict(2, n)):
            assert written.index(EOS) == len(written) - 1 == expected


def test_a_predicted_length_has_room_for_a_word_and_no_more_than_positions():
    model, source_BS = random_parallel(length="predicted"), pad(SOURCES)
    for difference, expected in ((-32, 2), (32, 23)):
        with torch.no_grad():
            model.length.linear.bias.zero_()
            model.length.linear.bias[difference + 32] = 99.0
        places_B = predicted_lengths(model, model.encode(source_BS), source_BS)
        assert places_B.tolist() == [expected] * 3


def test_other_ways_of_decoding_refuse_a_parallel_decoder_and_mask_predict_a_causal_one(
    model, source_S
):
    parallel = random_parallel()
    for refused in (
        lambda: generate(parallel, source_S[None], Greedy()),
        lambda: generate(parallel, source_S[None], Beam(2)),
        lambda: list(forced_steps(parallel, source_S, (5, 6))),
    ):
        with pytest.raises(ConfigError, match="fills in all words at once"):
            refused()
    with pytest.raises(ConfigError, match="needs a parallel decoder"):
        generate(model, source_S[None], MaskPredict())
    with pytest.raises(ConfigError, match="passes is 65, not 1 to 64"):
        MaskPredict(65)
