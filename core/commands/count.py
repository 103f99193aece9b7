"""Count the parameters of a run or of a configuration; without either, of the paper's base model.

Published models are known by their names: `core count --model bert-base`.
"""

import argparse
import json

from ..config import ModelConfig
from ..config.checks import LARGEST_SIZE, MOST_LAYERS
from ..config.published import PAPER_BASE, PUBLISHED
from ..runs.settings import read_settings
from . import options

SIZES = ("d_model", "d_ff", "n_heads", "max_positions")
HEAD_SIZES = ("d_k", "d_v")
WORDS = ("positions", "norm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, or the sizes that Table 3 varies."""
    add = parser.add_argument
    add("run", type=options.run_folder, nargs="?", metavar="RUN", help="in place of all sizes")
    layers = options.whole(1, MOST_LAYERS // 2)
    add("--n-layers", type=layers, help=f"in each stack; default: {PAPER_BASE.n_encoder_layers}")
    size, any_size = (options.whole(least, LARGEST_SIZE) for least in (1, 0))
    for name in SIZES:
        add(options.option(name), type=size, help=f"default: {getattr(PAPER_BASE, name)}")
    for name in HEAD_SIZES:
        add(options.option(name), type=any_size, help="default: d_model / n_heads")
    add("--vocab", type=size, help=f"pieces, joint; default: {PAPER_BASE.vocab_size}")
    for name in WORDS:
        choices = ModelConfig.choices()[name]
        add(options.option(name), choices=choices, help=f"default: {getattr(PAPER_BASE, name)}")
    add("--untied", action="store_true", help="three embedding matrices, not one")
    names = [each.name for each in PUBLISHED]
    add("--model", choices=names, help="a published model, in place of all sizes")
    add("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the number."""
    from ..describe import describe

    # Of a model that another library computes only the number is known.
    known = read_settings(arguments.run).n_parameters if arguments.run else 0
    parameters = known or describe(_config(arguments)).parameters
    print(json.dumps({"parameters": parameters}) if arguments.json else f"{parameters:,}")


def _config(arguments: argparse.Namespace) -> ModelConfig:
    names = (*SIZES, *HEAD_SIZES, *WORDS)
    others = ("n_layers", *names, "vocab", "untied")
    if arguments.run:
        why = "does not go with RUN, which has its own sizes"
        options.refuse(arguments, ("model", *others), why)
        return read_settings(arguments.run).model
    if arguments.model:
        options.refuse(arguments, others, "does not go with --model, which has its own sizes")
        return next(each.config for each in PUBLISHED if each.name == arguments.model)
    changes = {name: getattr(arguments, name) for name in names}
    if (n_layers := arguments.n_layers) is not None:
        changes |= {"n_encoder_layers": n_layers, "n_decoder_layers": n_layers}
    return ModelConfig(
        vocab_size=PAPER_BASE.vocab_size if arguments.vocab is None else arguments.vocab,
        tied="none" if arguments.untied else "all",
        **{name: value for name, value in changes.items() if value is not None},
    )
