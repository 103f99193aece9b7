"""Count the parameters of a run or of a configuration; without either, of the paper's base model.

Published models are known by their names: `core count --model bert-base`.
"""

import argparse
import json

from ..config import ModelConfig
from ..config.checks import LARGEST_SIZE, MOST_LAYERS
from ..describe import describe
from ..families.published import PUBLISHED
from ..runs.run import read_settings
from . import options

JOINT_VOCABULARY = 41_000
"""The number of tokens with which the counts of the paper's Table 3 come out."""
BASE = ModelConfig(JOINT_VOCABULARY)
SIZES = ("d_model", "d_ff", "n_heads", "max_positions")
HEAD_SIZES = ("d_k", "d_v")
WORDS = ("positions", "norm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, or the sizes that Table 3 varies."""
    add = parser.add_argument
    add("run", type=options.run_folder, nargs="?", metavar="RUN", help="in place of all sizes")
    add("--n-layers", type=options.whole(1, MOST_LAYERS // 2), default=6, help="in each stack")
    size, any_size = (options.whole(least, LARGEST_SIZE) for least in (1, 0))
    for name in SIZES:
        add(_option(name), type=size, default=getattr(BASE, name))
    for name in HEAD_SIZES:
        add(_option(name), type=any_size, default=0, help="default: d_model / n_heads")
    add("--vocab", type=size, default=JOINT_VOCABULARY, help="pieces, joint")
    for name in WORDS:
        add(_option(name), choices=ModelConfig.choices()[name], default=getattr(BASE, name))
    add("--untied", action="store_true", help="three embedding matrices, not one")
    names = [each.name for each in PUBLISHED]
    add("--model", choices=names, help="a published model, in place of all sizes")
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the number."""
    parameters = describe(_config(arguments)).parameters
    print(json.dumps({"parameters": parameters}) if arguments.json else f"{parameters:,}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _config(arguments: argparse.Namespace) -> ModelConfig:
    if arguments.run:
        return read_settings(arguments.run).model
    if arguments.model:
        return next(each.config for each in PUBLISHED if each.name == arguments.model)
    return ModelConfig(
        vocab_size=arguments.vocab,
        n_encoder_layers=arguments.n_layers,
        n_decoder_layers=arguments.n_layers,
        tied="none" if arguments.untied else "all",
        **{name: getattr(arguments, name) for name in (*SIZES, *HEAD_SIZES, *WORDS)},
    )
