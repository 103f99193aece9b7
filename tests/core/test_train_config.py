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
    ],
)
def test_message_names_the_training_setting_and_its_value(name, value):
    with pytest.raises(ConfigError) as refused:
        TrainConfig(**{name: value})
    assert name in str(refused.value)
    assert str(value) in str(refused.value)
