import pytest

from core.model import build, count_parameters
from core.training.presets import PRESETS


@pytest.mark.parametrize("name", ["tiny", "small"])
def test_preset_can_be_built(name):
    preset = PRESETS[name]
    sized = preset.sized(300)
    assert sized.vocab_size == 300
    assert sum(each.numel() for each in build(sized).parameters()) == count_parameters(sized)


def test_base_is_the_papers_model_with_the_vocabulary_usually_quoted():
    preset = PRESETS["base"]
    # 63.1 million with 37,000 pieces.
    assert round(count_parameters(preset.sized(preset.vocab_size)) / 1e5) == 631
    assert (preset.training.steps, preset.training.warmup) == (100_000, 4000)
    assert preset.training.label_smoothing == 0.1


@pytest.mark.parametrize("name", PRESETS)
def test_preset_is_measured_and_kept_before_it_ends(name):
    training = PRESETS[name].training
    assert training.warmup < training.steps
    assert training.steps // training.evaluate_every >= 5
    assert training.checkpoint_every < training.steps
    assert training.warmup + training.cooldown <= training.steps


def test_sizing_leaves_the_preset_as_it_is():
    before = PRESETS["tiny"].model
    PRESETS["tiny"].sized(12345)
    assert PRESETS["tiny"].model == before
