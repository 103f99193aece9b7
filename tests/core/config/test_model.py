import json
from dataclasses import replace
from typing import get_args

import pytest

from core.config import ConfigError, ModelConfig
from core.config.checks import LARGEST_SIZE, MOST_LAYERS
from core.config.choices import ComputedPositions
from core.config.training import TrainConfig
from core.model import count_parameters

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4)
ONE_STACK, DECODER_ONLY = {"n_decoder_layers": 0}, {"n_encoder_layers": 0}
RECURRENT = {"decoder_mixing": "gru", "cross": "none"}
AVERAGES = {"encoder_mixing": "average", "decoder_mixing": "average"}
WIDTHS = {"d_k": 4, "d_v": 4, "positions": "none"}
PARALLEL = {"decoder": "parallel"}
PREDICTED = {"length": "predicted", **PARALLEL}


def test_defaults_are_the_papers():
    model, training = ModelConfig(37000), TrainConfig()
    assert (model.n_encoder_layers, model.n_decoder_layers, model.n_heads) == (6, 6, 8)
    assert (model.d_model, model.d_ff, model.dropout) == (512, 2048, 0.1)
    assert (model.norm, model.positions, model.tied) == ("post", "sinusoidal", "all")
    assert (training.warmup, training.label_smoothing) == (4000, 0.1)
    assert (training.adam_betas, training.adam_eps) == ((0.9, 0.98), 1e-9)
    assert (training.cooldown, training.clip_norm, training.learning_rate_factor) == (0, 0, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("vocab_size", 0), ("d_model", -16), ("n_encoder_layers", -1), ("d_k", -64)),
        *(("dropout", 1.0), ("norm", "batch"), ("positions", "spiral"), ("tied", "some")),
        *(("norm_eps", 0.0), ("n_kv_heads", 3), ("shared_names", -1), ("n_segments", -2)),
        *(("d_model", 16.5), ("d_model", "16"), ("dropout", "0.1"), ("norm", None)),
    ],
)
def test_message_names_the_setting_and_its_value(name, value):
    with pytest.raises(ConfigError, match=f"{name} is {value!r}"):
        ModelConfig.from_dict({"vocab_size": 300, name: value})


def test_width_that_does_not_divide_needs_the_heads_width():
    with pytest.raises(ConfigError, match="3 heads cannot share a width of 10 evenly"):
        ModelConfig(300, d_model=10, n_heads=3)
    with pytest.raises(ConfigError, match="3 heads cannot share a width of 10 evenly"):
        ModelConfig(300, d_model=10, n_heads=3, d_k=4)
    assert ModelConfig(300, d_model=10, n_heads=3, d_k=4, d_v=5).d_v == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"memory": "first", **ONE_STACK}, "memory is first"),
        ({"memory": "same", "n_decoder_layers": 3}, "2 encoder layers and 3 decoder layers"),
        ({"memory": "same", "norm_kind": "batch", "norm": "pre"}, "statistics of several layers"),
        (
            {"scores": "linear", "encoder_mixing": "average", **RECURRENT},
            "nothing is attended to",
        ),
        ({"positions": "rotary", "d_k": 3}, "need an even width"),
        ({"positions": "buckets", "n_buckets": 6, "max_distance": 9}, "not a multiple of 4"),
        ({"positions": "buckets", "max_distance": 16}, "max_distance is 16"),
        ({"shared": "qk", "n_kv_heads": 2}, "which are no queries"),
        ({"shared": "kv", "d_k": 8}, "keys are 8 wide and values 4"),
        ({"projections": False, "d_v": 3}, "do not make d_model, 16"),
        ({"shared_names": 21}, "shared_names is 21, not 0"),
        ({"shared_names": 1, **ONE_STACK}, "shared_names is 1: it needs an encoder and a decoder"),
        ({"pointer": True, **ONE_STACK}, "pointer is True: it needs an encoder and a decoder"),
        ({"pointer": True, **RECURRENT}, "pointer is True and cross is none"),
        ({"pointer": True, "memory": "same"}, "pointer is True and memory is same"),
        ({**DECODER_ONLY, **ONE_STACK}, "there is no layer"),
        ({"target_vocab_size": 301}, "target_vocab_size is 301: such models can be opened"),
        ({"decoder_mixing": "gru", **ONE_STACK}, "decoder_mixing is gru: it needs an encoder"),
        ({"decoder_mixing": "gru", "positions": "buckets"}, "no buckets"),
        ({"eos_ids": (1, 2)}, r"eos_ids is \(1, 2\): such models can be opened"),
        ({"encoder_mixing": "average", **ONE_STACK}, "it needs a decoder"),
        ({"encoder_mixing": "none", "feed_forward": False}, "its layers would be empty"),
        ({"positions": "rotary", **AVERAGES}, "there is no self-attention"),
        ({"cross": "none"}, "then the decoder must be recurrent"),
        ({"encoder_mixing": "gru_two_way", "d_model": 15, **WIDTHS}, "two ways share"),
        ({"norm_kind": "batch", "embedding_norm": True}, "know nothing of padding"),
        ({"projections": False, "shared": "qk"}, "there is no matrix to share"),
        ({"projections": False, "d_k": 5}, "do not share d_model, 16, evenly"),
        ({"output_projection": False, "d_v": 5}, "without a projection"),
        ({"scores": "linear", "positions": "rotary"}, "told in the dot products"),
        ({"scores": "additive", "score_scale": "none"}, "only dot products are divided"),
        ({"memory": "first", "decoder_mixing": "gru"}, "begins with the last layer's state"),
        ({"decoder_mixing": "gru", **PARALLEL}, "it needs an encoder, and self-att"),
        ({"max_positions": 1, **PARALLEL}, "no place beside BOS"),
        ({"length": "predicted"}, "only a parallel decoder has to know beforehand"),
        ({"memory": "mixed", **PREDICTED}, "length is predicted and memory is mixed"),
        ({"n_encoder_layers": MOST_LAYERS, "n_decoder_layers": 1}, "there are 257 layers"),
        ({"vocab_size": 2**62}, "vocab_size is .*, not a number|vocab_size is .*, more than"),
        ({"d_ff": LARGEST_SIZE + 1}, "d_ff is 16,777,217, more than 16,777,216"),
        ({"n_heads": 2**20, "d_k": 64, "d_v": 1}, "d_k is 64: 1,048,576 heads"),
        *(
            ({"max_positions": 2**22, "positions": each}, "table of positions")
            for each in get_args(ComputedPositions)
        ),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_with_its_values_before_anything_is_made(changes, message):
    with pytest.raises(ConfigError, match=message):
        replace(CONFIG, **changes)


@pytest.mark.parametrize(
    "config",
    [
        ModelConfig(300, d_k=16, norm="pre", positions="learned", tied=False),
        ModelConfig(
            **{"vocab_size": 300, "n_encoder_layers": 0, "norm": "pre", "norm_kind": "rms"},
            **{"positions": "rotary", "rotary_base": 5e5, "gated": True},
            **{"n_kv_heads": 2, "tied": "target", "attention_bias": False},
        ),
        TrainConfig(adam_betas=(0.8, 0.95), guide="encoder.1.self:0", seed=7),
    ],
)
def test_config_comes_back_from_json_as_it_was(config):
    again = type(config).from_dict(json.loads(json.dumps(config.to_dict())))
    assert again == config
    assert hash(again) == hash(config)


def test_the_file_of_a_model_of_the_paper_says_what_it_said_before():
    written = ModelConfig(300).to_dict()
    assert list(written)[-1] == "tied"
    assert written["tied"] is True
    assert ModelConfig(300, tied=False).to_dict()["tied"] is False
    assert ModelConfig.from_dict(written) == ModelConfig(300)


ONE = {"vocab_size": 11, "d_model": 8, "n_heads": 2, "d_ff": 8, "n_encoder_layers": 1} | ONE_STACK


def test_the_largest_sizes_can_still_be_counted():
    wide = {"d_model": LARGEST_SIZE, "d_ff": LARGEST_SIZE, "vocab_size": LARGEST_SIZE}
    model = ModelConfig(**ONE | wide | {"max_positions": 1})
    d = LARGEST_SIZE
    # Tied embeddings; query, key, value, output; feed-forward; and a vector for each bias and norm.
    assert count_parameters(model) == d * d + 4 * (d * d + d) + 2 * (d * d + d) + 2 * 2 * d


def test_a_refusal_is_one_sentence_whatever_is_refused():
    for given in ({"steps": "x" * 10_000}, {f"n{number}": 1 for number in range(10_000)}):
        with pytest.raises(ConfigError) as refused:
            TrainConfig.from_dict(given)
        assert len(str(refused.value)) < 200


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
