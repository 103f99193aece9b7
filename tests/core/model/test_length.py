"""A target's length that is predicted, against what is computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.config import ConfigError, ModelConfig
from core.describe import describe
from core.heads import Site
from core.model import Record, Step, build
from core.model.building import count_parameters
from core.model.masks import padding_mask
from core.model.output import N_DIFFERENCES
from core.vocabulary import EOS, PAD

CUT = ModelConfig(23, 2, 2, d_model=32, d_ff=64, n_heads=4, max_positions=20, decoder="parallel")
CONFIG = replace(CUT, length="predicted")
SOURCE_BS = torch.tensor([[5, 6, 7, EOS], [9, EOS, PAD, PAD]])
TARGET_BT = torch.tensor([[1, 5, 22, 7, 8, EOS], [1, 22, 9, EOS, PAD, PAD]])
SITE = Site("encoder", 1, "length")


def recorded(model, source_BS=SOURCE_BS):
    record = Record(frozenset({Step.LENGTH}), frozenset({SITE}))
    model(source_BS, TARGET_BT[: len(source_BS)], record)
    return record.tensors[SITE, Step.LENGTH]


def test_it_is_a_linear_layer_over_the_mean_of_the_memory_without_padding():
    model = build(CONFIG, seed=2).double().eval()
    memory_BSD = model.encode(SOURCE_BS).detach().numpy()
    weight, bias = (each.detach().numpy() for each in model.length.linear.parameters())
    for row, n in enumerate((4, 2)):
        expected_N = np.mean(memory_BSD[row, :n], axis=0) @ weight.T + bias
        np.testing.assert_allclose(recorded(model)[row], expected_N, atol=1e-12)
    alone = recorded(model, SOURCE_BS[1:, :2])
    torch.testing.assert_close(alone[0], recorded(model)[1])


def test_a_probe_can_change_what_is_said():
    class Longest:
        def sees(self, site):
            return site == SITE

        def at(self, site, step, tensor):
            assert step is Step.LENGTH
            return torch.full_like(tensor, 3.0)

    model = build(CONFIG).eval()
    assert (model.length(model.encode(SOURCE_BS), padding_mask(SOURCE_BS), Longest()) == 3.0).all()


def test_the_words_do_not_depend_on_it():
    model = build(CONFIG, seed=1).eval()
    before = model(SOURCE_BS, TARGET_BT)
    with torch.no_grad():
        model.length.linear.weight.mul_(7)
    assert torch.equal(model(SOURCE_BS, TARGET_BT), before)
    looked = model(SOURCE_BS, TARGET_BT, Record(frozenset({Step.LENGTH}), frozenset({SITE})))
    assert torch.equal(looked, before)


def test_a_model_that_cuts_at_eos_is_what_it_was():
    assert build(CUT).length is None
    assert "length" not in CUT.to_dict()
    assert CONFIG.to_dict()["length"] == "predicted"
    assert not [name for name in build(CUT).state_dict() if "length" in name]


def test_it_is_drawn_and_counted_on_top_of_the_encoder():
    described = describe(CONFIG, 5, 6)
    part = described.part("length")
    assert part.parameters == 32 * N_DIFFERENCES + N_DIFFERENCES
    assert part.multiply_adds == 32 * N_DIFFERENCES
    assert part.stack == "encoder"
    assert count_parameters(CONFIG) - count_parameters(CUT) == part.parameters
    memory = [each.start for each in described.arrows if each.kind == "memory"]
    assert "length" not in memory


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"decoder": "causal"}, "only a parallel decoder has to know beforehand"),
        ({"memory": "mixed"}, "length is predicted and memory is mixed"),
        ({"max_positions": 2}, "there is no place beside BOS and EOS"),
        ({"length": "guessed"}, "length is 'guessed', not end or predicted"),
    ],
)
def test_what_does_not_go_with_it_is_refused(changes, words):
    with pytest.raises(ConfigError, match=words):
        replace(CONFIG, **changes)


def test_it_may_read_the_first_encoder_layer():
    model = build(replace(CONFIG, memory="first")).eval()
    assert recorded(model).shape == (2, N_DIFFERENCES)


def test_only_an_encoder_says_how_long_a_target_will_be():
    assert Site.parse("encoder.1.length") == SITE
    with pytest.raises(ValueError, match="not a site"):
        Site.parse("decoder.1.length")
