from dataclasses import replace

import pytest

from core.config import ConfigError, ModelConfig

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4)
ONE_STACK = {"n_decoder_layers": 0}
RECURRENT = {"decoder_mixing": "gru", "cross": "none"}
UNPROJECTED = {"projections": False, "d_v": 3}


@pytest.mark.parametrize(
    "changes",
    [
        {"n_kv_heads": 2, "d_k": 5, "d_v": 7},
        {"positions": "rotary", "score_scale": "none"},
        {"positions": "sinusoidal", "n_buckets": 6, "max_distance": 3},
        {"memory": "first", "norm_kind": "batch", "norm": "pre"},
        {"memory": "mixed"},
        {"decoder_mixing": "gru", "pointer": True},
        {"memory": "first", "pointer": True},
        {"shared_names": 20},
    ],
    ids=str,
)
def test_these_go_together(changes):
    made = replace(CONFIG, **changes)
    assert all(getattr(made, name) == value for name, value in changes.items())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"memory": "first", **ONE_STACK}, "memory is first"),
        ({"memory": "same", "n_decoder_layers": 3}, "2 encoder layers and 3 decoder layers"),
        ({"memory": "same", "norm_kind": "batch", "norm": "pre"}, "statistics of several layers"),
        ({"memory": "mixed", "norm_kind": "batch", "norm": "pre"}, "statistics of several layers"),
        (
            {"scores": "linear", "encoder_mixing": "average", **RECURRENT},
            "nothing is attended to",
        ),
        ({"scores": "additive", "positions": "rotary"}, "positions is rotary"),
        ({"positions": "rotary", "d_k": 3}, "need an even width"),
        ({"positions": "buckets", "n_buckets": 6, "max_distance": 9}, "not a multiple of 4"),
        ({"positions": "buckets", "max_distance": 16}, "max_distance is 16"),
        ({"positions": "rotary", "rotary_scaling": (1.0, 2.0)}, "not four numbers above 0"),
        ({"positions": "rotary", "rotary_scaling": (8.0, 4.0, 4.0, 9.0)}, "the third above"),
        ({"shared": "qk", "n_kv_heads": 2}, "which are no queries"),
        ({"shared": "kv", "d_k": 8}, "keys are 8 wide and values 4"),
        (UNPROJECTED, "do not make d_model, 16"),
        ({"shared_names": -1}, "shared_names is -1, not 0"),
        ({"shared_names": 21}, "shared_names is 21, not 0"),
        ({"shared_names": 1, **ONE_STACK}, "shared_names is 1: it needs an encoder and a decoder"),
        ({"pointer": True, **ONE_STACK}, "pointer is True: it needs an encoder and a decoder"),
        ({"pointer": True, **RECURRENT}, "pointer is True and cross is none"),
        ({"pointer": True, "memory": "same"}, "pointer is True and memory is same"),
        ({"pointer": True, "memory": "mixed"}, "pointer is True and memory is mixed"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_named_with_its_values(changes, message):
    with pytest.raises(ConfigError, match=message):
        replace(CONFIG, **changes)
