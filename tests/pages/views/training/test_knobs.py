"""What a setting needs to change anything: where it is missing, it changes nothing."""

import itertools
import random
from dataclasses import replace

import pytest
import torch

from core.config import ConfigError, ModelConfig
from core.config.training import TrainConfig
from core.model import build
from core.tasks import TASKS
from core.training import prepare
from core.training.batches import training_batches
from core.training.loop import make_optimizer, train
from core.training.presets import MODEL_SETTINGS, PRESETS, TRAINING_SETTINGS, with_settings
from core.training.rewards import reward_of
from pages.views.training.knobs import AUTOMATIC, KNOBS, NEEDS, lacking, missing, setting_label
from pages.views.training.settings import Begun, values_of


def test_a_setting_is_called_what_the_training_page_calls_it():
    assert setting_label("model.n_encoder_layers") == "Encoder layers"
    assert setting_label("model.norm_kind") == "Kind of norm"
    assert setting_label("training.guide") == "training.guide"


def test_no_two_settings_are_called_the_same_and_each_is_one():
    assert len({knob.label for knob in KNOBS.values()}) == len(KNOBS)
    assert set(KNOBS) <= {*MODEL_SETTINGS, *TRAINING_SETTINGS}


SMALL = {
    **{"n_encoder_layers": 1, "n_decoder_layers": 1, "d_model": 16, "d_ff": 32, "n_heads": 2},
    **{"steps": 2, "batch_size": 3, "warmup": 1, "max_positions": 32},
}
OTHER = {
    **{"sinusoid_base": 500.0, "rotary_base": 500.0, "n_buckets": 16, "max_distance": 20},
    **{"d_k": 4, "d_v": 4, "n_kv_heads": 1, "norm_eps": 1e-2, "d_ff": 48},
    **{"scheduled_sampling": 0.25, "samples": 3, "alpha": 0.5},
}
"""Number → another one."""
FEW = 2
"""So many ways to lack something are tried."""


@pytest.fixture(scope="module")
def tokenizer():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "TOKENIZER_SAMPLES", 200)
        preset = PRESETS["tiny"]
        return prepare.train_tokenizer(TASKS["copy"], preset.vocab_size, 0, preset.model)


def others(name):
    """Return the other values of a setting."""
    usual = values_of(PRESETS["tiny"])[name]
    if isinstance(usual, bool):
        return [not usual]
    offered = (ModelConfig.choices() | TrainConfig.choices()).get(name, ())
    return [each for each in offered if each != usual] if offered else [OTHER[name]]


def presets_without(condition):
    """Return settings that can be, in which a condition does not hold."""
    values = values_of(PRESETS["tiny"])
    away = [
        [each for each in (*others(name), values[name]) if each not in wanted]
        for name, wanted in condition.items()
    ]
    found = [dict(zip(condition, each, strict=True)) for each in itertools.product(*away)]
    # A decoder without cross-attention must be recurrent.
    recurrent = {"encoder_mixing": "gru", "decoder_mixing": "gru"}
    found += [recurrent | each for each in found if "cross" in condition]
    possible = [each for each in found if can_be(SMALL | each)]
    random.Random(0).shuffle(possible)
    return possible[:FEW]


def can_be(settings):
    try:
        preset = with_settings(PRESETS["tiny"], settings)
        prepare.check_training(TASKS["copy"], preset, starts=True)
    except ConfigError:
        return False
    return True


def trained(settings, tokenizer):
    """Return the weights that a short training ends with."""
    preset = with_settings(PRESETS["tiny"], SMALL | settings)
    model, config = build(preset.sized(tokenizer.vocab_size), seed=1), preset.training
    batches = training_batches(TASKS["copy"], tokenizer, config, 0)
    reward = reward_of(config, tokenizer) if config.makes_rewards_large else None
    list(train(model, make_optimizer(model, config), batches, config, reward=reward))
    return dict(model.named_parameters())


CASES = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name, conditions in NEEDS.items()
    for number in range(len(conditions))
]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_setting_that_lacks_something_changes_nothing_of_what_is_trained(name, number, tokenizer):
    lacks = presets_without(NEEDS[name][number])
    assert lacks
    for settings in lacks:
        assert missing(name, values_of(with_settings(PRESETS["tiny"], settings)))
        usual = trained(settings, tokenizer)
        for value in others(name):
            if can_be(SMALL | settings | {name: value}):
                changed = trained(settings | {name: value}, tokenizer)
                assert list(usual) == list(changed), (settings, value)
                same = (torch.equal(usual[each], changed[each]) for each in usual)
                assert all(same), (settings, value)


def test_what_lacks_nothing_changes_the_training(tokenizer):
    # The test above would find nothing if it trained nothing.
    rotary = {"positions": "rotary"}
    usual, changed = (
        trained(rotary | more, tokenizer) for more in ({}, {"rotary_base": OTHER["rotary_base"]})
    )
    assert not all(torch.equal(usual[each], changed[each]) for each in usual)


def test_conditions_are_of_settings_and_of_values_that_they_can_have():
    for conditions in NEEDS.values():
        for name, wanted in itertools.chain.from_iterable(each.items() for each in conditions):
            assert set(wanted) <= {*others(name), values_of(PRESETS["tiny"])[name]}
    assert {*NEEDS, *AUTOMATIC} <= set(KNOBS)


def test_it_is_said_what_is_needed():
    values = Begun("tiny").values
    assert lacking(KNOBS["rotary_base"], values) == (
        "Without effect at present: it needs Positions = rotary."
    )
    assert lacking(KNOBS["scheduled_sampling"], values | {"teacher_forcing": False}) == (
        "Without effect at present: it needs Teacher forcing = on."
    )
    assert not lacking(KNOBS["rotary_base"], values | {"positions": "rotary"})
    assert not lacking(KNOBS["dropout"], values)


def test_what_follows_from_other_settings_is_what_the_model_has():
    preset = with_settings(PRESETS["tiny"], {"n_heads": 8})
    told = {name: tell(values_of(preset)) for name, tell in AUTOMATIC.items()}
    assert told == {"d_k": "auto: 8", "d_v": "auto: 8", "n_kv_heads": "auto: 8"} | {
        "batch_tokens": "64 pairs"
    }
    assert preset.model.d_k == preset.model.d_v == preset.model.n_key_value_sets == 8
    broken = values_of(preset) | {"n_heads": 0}
    assert AUTOMATIC["d_k"](broken) == "auto"
    assert replace(preset.training, batch_size=1).batch_tokens == 0
