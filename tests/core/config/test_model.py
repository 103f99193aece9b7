import dataclasses
import json

import pytest

from core.config import ConfigError, ModelConfig
from core.config.training import TrainConfig

MODEL = {"vocab_size": 300}


def test_defaults_are_the_papers_base_model():
    model = ModelConfig(37000)
    assert (model.n_encoder_layers, model.n_decoder_layers, model.n_heads) == (6, 6, 8)
    assert (model.d_model, model.d_ff, model.dropout) == (512, 2048, 0.1)
    assert (model.norm, model.positions, model.tied) == ("post", "sinusoidal", "all")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vocab_size", 0),
        ("d_model", -16),
        ("d_ff", 0),
        ("n_heads", 0),
        ("max_positions", -1),
        ("n_encoder_layers", -1),
        ("n_decoder_layers", -3),
        ("d_k", -64),
        ("d_v", -65),
        ("dropout", 1.0),
        ("dropout", -0.25),
        ("norm", "batch"),
        ("positions", "spiral"),
        ("norm_kind", "power"),
        ("norm_eps", 0.0),
        ("activation", "tanh"),
        ("score_scale", "half"),
        ("rotary_pairs", "all"),
        ("tied", "some"),
        ("decoder_mixing", "waves"),
        ("sinusoid_base", 0.0),
        ("n_kv_heads", 3),
        ("n_buckets", 6),
        ("n_segments", -2),
    ],
)
def test_message_names_the_model_setting_and_its_value(name, value):
    positions = {"positions": "buckets"} if name == "n_buckets" else {}
    with pytest.raises(ConfigError) as refused:
        ModelConfig(**{**MODEL, **positions, name: value})
    assert name in str(refused.value)
    assert str(value) in str(refused.value)


def test_width_of_a_head_is_the_models_share_unless_it_is_given():
    assert (ModelConfig(300, d_model=48, n_heads=4).d_k, ModelConfig(300).d_v) == (12, 64)
    rows_b = ModelConfig(300, d_k=16)
    assert (rows_b.d_k, rows_b.d_v) == (16, 64)


def test_width_that_does_not_divide_needs_the_heads_width():
    with pytest.raises(ConfigError, match="3 heads cannot share a width of 10 evenly"):
        ModelConfig(300, d_model=10, n_heads=3)
    with pytest.raises(ConfigError, match="3 heads cannot share a width of 10 evenly"):
        ModelConfig(300, d_model=10, n_heads=3, d_k=4)
    assert ModelConfig(300, d_model=10, n_heads=3, d_k=4, d_v=5).d_v == 5


def test_odd_width_is_refused_with_sinusoids_and_fine_with_a_learned_table():
    with pytest.raises(ConfigError, match="d_model is 15"):
        ModelConfig(300, d_model=15, n_heads=3)
    assert ModelConfig(300, d_model=15, n_heads=3, positions="learned").d_model == 15


@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(300, d_k=16, norm="pre", positions="learned", tied=False),
        TrainConfig(adam_betas=(0.8, 0.95), guide="encoder.1.self:0", seed=7),
    ],
)
def test_config_comes_back_from_json_as_it_was(config):
    again = type(config).from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert hash(again) == hash(config)


@pytest.mark.parametrize("config", [ModelConfig(300), TrainConfig()])
def test_unknown_settings_are_refused_by_name(config):
    with pytest.raises(ConfigError, match=f"{type(config).__name__} has no setting colour, heads"):
        type(config).from_dict({**config.to_dict(), "heads": 8, "colour": "blue"})


def test_missing_setting_is_named():
    with pytest.raises(ConfigError, match="vocab_size"):
        ModelConfig.from_dict({"d_model": 16})


def test_text_where_a_number_belongs_is_refused():
    with pytest.raises(ConfigError, match="d_model is 'wide', not of type int"):
        ModelConfig.from_dict({**MODEL, "d_model": "wide"})


def test_a_config_says_how_many_layers_each_stack_has():
    config = ModelConfig(300, n_encoder_layers=3, n_decoder_layers=2)
    assert (config.layers_of("encoder"), config.layers_of("decoder")) == (3, 2)


def test_config_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ModelConfig(300).d_model = 8


@pytest.mark.parametrize(
    ("name", "value"),
    [("d_model", 16.5), ("d_model", "16"), ("tied", 1), ("dropout", "0.1"), ("norm", None)],
)
def test_a_value_of_another_type_is_refused_with_name_and_value(name, value):
    with pytest.raises(ConfigError, match=f"{name} is {value!r}"):
        ModelConfig.from_dict({"vocab_size": 11, name: value})


def test_a_whole_number_may_stand_for_a_share():
    assert ModelConfig(vocab_size=11, dropout=0).dropout == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_encoder_layers": 0, "n_decoder_layers": 0}, "there is no layer"),
        ({"positions": "rotary", "d_k": 5}, "rotary positions turn pairs"),
        ({"rotary_scaling": (8.0, 1.0)}, "not four numbers above 0"),
        ({"target_vocab_size": 301}, "embeddings of different sizes cannot be tied (all)"),
        ({"decoder_mixing": "gru", "n_encoder_layers": 0}, "it needs an encoder"),
        ({"decoder_mixing": "gru", "n_decoder_layers": 0}, "decoder_mixing is gru"),
        ({"decoder_mixing": "gru", "positions": "buckets"}, "no buckets"),
        ({"has_output": False}, "a decoder says which token comes next"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, said):
    with pytest.raises(ConfigError) as refused:
        ModelConfig(**MODEL, **settings)
    assert said in str(refused.value)


def test_the_file_of_a_model_of_the_paper_says_what_it_said_before():
    written = ModelConfig(300).to_dict()
    assert list(written)[-1] == "tied"
    assert written["tied"] is True
    assert ModelConfig(300, tied=False).to_dict()["tied"] is False
    assert ModelConfig.from_dict(written) == ModelConfig(300)


def test_another_kind_of_transformer_comes_back_as_it_was():
    config = ModelConfig(
        **{"vocab_size": 300, "n_encoder_layers": 0, "norm": "pre", "norm_kind": "rms"},
        **{"positions": "rotary", "rotary_scaling": (8.0, 1.0, 4.0, 64.0), "gated": True},
        **{"n_kv_heads": 2, "tied": "target", "activation": "silu", "attention_bias": False},
    )
    written = json.loads(json.dumps(config.to_dict()))
    assert ModelConfig.from_dict(written) == config
    assert written["rotary_scaling"] == [8.0, 1.0, 4.0, 64.0]
    assert "ff_bias" not in written
    assert (config.stacks, config.n_key_value_sets) == (("decoder",), 2)
