import pytest

from core.settings import ConfigError
from core.train_config import TrainConfig


def test_defaults_are_the_papers_training():
    training = TrainConfig()
    assert (training.warmup, training.label_smoothing) == (4000, 0.1)
    assert (training.adam_betas, training.adam_eps) == ((0.9, 0.98), 1e-9)
    assert (training.cooldown, training.clip_norm, training.learning_rate_factor) == (0, 0, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0),
        ("batch_size", -1),
        ("warmup", 0),
        ("evaluate_every", 0),
        ("checkpoint_every", -5),
        ("cooldown", -7),
        ("learning_rate_factor", -0.5),
        ("guide_weight", -0.125),
        ("clip_norm", -2.0),
        ("label_smoothing", 1.0),
        ("label_smoothing", -0.1),
        ("guide_to", "somewhere"),
        ("guide_to", "alignment"),
    ],
)
def test_message_names_the_training_setting_and_its_value(name, value):
    with pytest.raises(ConfigError) as refused:
        TrainConfig(**{name: value})
    assert name in str(refused.value)
    assert str(value) in str(refused.value)


def test_files_hold_later_settings_only_where_they_differ():
    assert "guide_to" not in TrainConfig().to_dict()
    guided = TrainConfig(guide="decoder.0.cross:0", guide_to="alignment")
    assert guided.to_dict()["guide_to"] == "alignment"
    for each in (TrainConfig(), guided):
        assert TrainConfig.from_dict(each.to_dict()) == each
