import pytest

from core.config.settings import ConfigError
from core.config.training import TrainConfig


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("steps", 0), ("checkpoint_every", -5), ("guide_weight", -0.125), ("clip_norm", -2.0)),
        *(("label_smoothing", 1.0), ("guide_to", "somewhere"), ("guide_to", "alignment")),
        *(("objective", "perplexity"), ("samples", 0), ("alpha", 0.0)),
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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"teacher_forcing": False, "scheduled_sampling": 0.5}, "scheduled_sampling is 0.5"),
        ({"objective": "minimum_risk", "scheduled_sampling": 0.5}, "scheduled_sampling is 0.5"),
        ({"objective": "self_critical", "teacher_forcing": False}, "teacher_forcing is False"),
        ({"objective": "reinforce", "guide": "encoder.0.self:0"}, "guide is 'encoder.0.self:0'"),
        ({"objective": "minimum_risk", "reward": "constant"}, "gradient is 0 under minimum_risk"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        TrainConfig(**settings)
