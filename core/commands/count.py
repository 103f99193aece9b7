"""Count the parameters of a run or of a configuration; without either, of the paper's base model.

Published models are known by their names: `core count --model bert-base`.
"""

import argparse
import json
from pathlib import Path
from typing import get_args

from core.commands import options
from core.config import ModelConfig
from core.config.checks import LARGEST_SIZE, MOST_LAYERS
from core.config.choices import Norm, Positions
from core.describe import describe
from core.families.published import PUBLISHED
from core.runs.run import read_settings

_size = options.whole(1, LARGEST_SIZE)
JOINT_VOCABULARY = 41_000
"""The number of tokens with which the counts of the paper's Table 3 come out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, or the sizes that Table 3 varies."""
    add = parser.add_argument
    add("run", type=Path, nargs="?", metavar="RUN", help="in place of all sizes")
    add("--n-layers", type=options.whole(1, MOST_LAYERS // 2), default=6, help="in each stack")
    add("--d-model", type=_size, default=512)
    add("--d-ff", type=_size, default=2048)
    add("--n-heads", type=_size, default=8)
    add("--d-k", type=options.whole(0, LARGEST_SIZE), default=0, help="default: d_model / n_heads")
    add("--d-v", type=options.whole(0, LARGEST_SIZE), default=0, help="default: d_model / n_heads")
    add("--vocab", type=_size, default=JOINT_VOCABULARY, help="pieces, joint")
    add("--positions", choices=get_args(Positions), default="sinusoidal")
    add("--max-positions", type=_size, default=512)
    add("--norm", choices=get_args(Norm), default="post")
    add("--untied", action="store_true", help="three embedding matrices, not one")
    names = [each.name for each in PUBLISHED]
    add("--model", choices=names, help="a published model, in place of all sizes")
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the number."""
    parameters = describe(_config(arguments), 1, 1).parameters
    print(json.dumps({"parameters": parameters}) if arguments.json else f"{parameters:,}")


def _config(arguments: argparse.Namespace) -> ModelConfig:
    if arguments.run:
        return read_settings(arguments.run).model
    if arguments.model:
        return next(each.config for each in PUBLISHED if each.name == arguments.model)
    return ModelConfig(
        vocab_size=arguments.vocab,
        n_encoder_layers=arguments.n_layers,
        n_decoder_layers=arguments.n_layers,
        d_model=arguments.d_model,
        d_ff=arguments.d_ff,
        n_heads=arguments.n_heads,
        d_k=arguments.d_k,
        d_v=arguments.d_v,
        positions=arguments.positions,
        max_positions=arguments.max_positions,
        norm=arguments.norm,
        tied="none" if arguments.untied else "all",
    )
