"""Mask-predict against a decoding that is written out place by place."""

import pytest
import torch

from core.batch import pad
from core.config import ConfigError, ModelConfig
from core.decoding.beam import Beam
from core.decoding.choosing import Greedy
from core.decoding.forced import forced_steps
from core.decoding.generate import generate
from core.decoding.mask_predict import MaskPredict, fill_in, least_sure, mask_predict_passes
from core.model import build
from core.vocabulary import BOS, EOS

SOURCES = [[5, 6, 7, EOS], [8, EOS], [9, 10, 11, 12, 13, 14, EOS]]
MASK = 29


def random_parallel(seed=4, favour_eos=0.0):
    config = ModelConfig(30, 2, 2, 16, 32, 4, max_positions=24, decoder="parallel", logit_bias=True)
    model = build(config, seed).eval()
    with torch.no_grad():
        model.output.bias.zero_()
        model.output.bias[EOS] = favour_eos
    return model


@pytest.fixture
def parallel():
    return random_parallel()


def by_hand(model, source, n_passes):
    """One sentence: Ghazvininejad et al. 2019, section 3.2, one place after the other.

    The target is as long as what stands up to the first EOS.
    """
    n = min(23, len(source) + len(source) // 2 + 4)
    stands, sure, masked_of_each = [MASK] * n, [0.0] * n, []
    for number in range(n_passes):
        length = stands.index(EOS) + 1 if EOS in stands else n
        n_masked = n if number == 0 else max(1, length * (n_passes - number) // n_passes)
        masked = sorted(range(length), key=lambda at: sure[at])[:n_masked]
        read = [MASK if at in masked else stands[at] for at in range(n)]
        with torch.no_grad():
            logits_TV = model(torch.tensor([source]), torch.tensor([[BOS, *read]]))[0, 1:]
        logits_TV[:, [0, BOS, MASK]] = -torch.inf
        for at in masked:
            share_V = logits_TV[at].softmax(dim=-1)
            stands[at], sure[at] = int(share_V.argmax()), float(share_V.max())
        masked_of_each.append(set(masked))
    return stands, sure, masked_of_each


@pytest.mark.parametrize("n_passes", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("source", SOURCES)
def test_each_pass_predicts_the_least_sure_places_anew(parallel, source, n_passes):
    stands, sure, masked_of_each = by_hand(parallel, source, n_passes)
    passes = list(mask_predict_passes(parallel, pad([source]), MaskPredict(n_passes)))
    assert len(passes) == n_passes
    for found, masked in zip(passes, masked_of_each, strict=True):
        assert set(found.masked_BT[0].nonzero()[:, 0].tolist()) == masked
        assert {at for at, token in enumerate(found.fed_BT[0].tolist()) if token == MASK} == masked
    assert passes[-1].said_BT[0].tolist() == stands
    torch.testing.assert_close(passes[-1].probability_BT[0], torch.tensor(sure))


def test_what_stands_after_the_end_is_neither_masked_nor_counted():
    ended = 0
    for seed in range(12):
        model = random_parallel(seed, favour_eos=0.1 * seed)
        for source in SOURCES:
            first, *others = mask_predict_passes(model, pad([source]), MaskPredict(4))
            expected = by_hand(model, source, 4)[2]
            before = first
            for found, masked in zip(others, expected[1:], strict=True):
                said = before.said_BT[0].tolist()
                end = said.index(EOS) if EOS in said else len(said) - 1
                places = found.masked_BT[0].nonzero()[:, 0].tolist()
                assert set(places) == masked
                assert max(places) <= end
                ended += end < len(said) - 1
                before = found
    assert ended > 10


@pytest.mark.parametrize("n_passes", [1, 4])
def test_a_sentence_in_a_batch_is_filled_in_as_alone_and_ends_at_its_first_eos(parallel, n_passes):
    together = fill_in(parallel, pad(SOURCES), MaskPredict(n_passes))
    for source, written in zip(SOURCES, together, strict=True):
        stands = by_hand(parallel, source, n_passes)[0]
        end = stands.index(EOS) + 1 if EOS in stands else len(stands)
        assert list(written) == stands[:end]


def test_of_equally_sure_places_the_first_is_masked_and_one_at_least():
    sure_BT = torch.tensor([[0.5, 0.5, 0.9]])
    place_BT = torch.ones(1, 3, dtype=torch.bool)
    assert least_sure(sure_BT, place_BT, 7, 8).tolist() == [[True, False, False]]


def test_other_ways_of_decoding_refuse_a_parallel_decoder_and_mask_predict_a_causal_one(
    parallel, model, source_S
):
    for refused in (
        lambda: generate(parallel, source_S[None], Greedy()),
        lambda: generate(parallel, source_S[None], Beam(2)),
        lambda: list(forced_steps(parallel, source_S, (5, 6))),
    ):
        with pytest.raises(ConfigError, match="fills in all words at once"):
            refused()
    with pytest.raises(ConfigError, match="needs a parallel decoder"):
        fill_in(model, source_S[None])


@pytest.mark.parametrize("n_passes", [0, -1, 65])
def test_a_number_of_passes_that_cannot_be_is_refused(n_passes):
    with pytest.raises(ConfigError, match=f"passes is {n_passes}, not 1 to 64"):
        MaskPredict(n_passes)
