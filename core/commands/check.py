"""Check whether a model sees what it must not: later tokens, padding, its own labels."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..runs.files import is_run
from .options import CommandError, run_folder

if TYPE_CHECKING:
    from torch import nn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run, or a folder of Hugging Face."""
    parser.add_argument(
        "run",
        type=run_folder,
        metavar="MODEL",
        help="a run such as gallery/translate, or a folder with a model of Hugging Face",
    )


def run(arguments: argparse.Namespace) -> None:
    """Print the report; the exit status is 1 if there is a fault."""
    from ..check import check
    from ..runs.run import load_run

    path: Path = arguments.run
    model = load_run(path).model if is_run(path) else _of_hugging_face(path)
    report = check(model)
    print(report)
    if not report.ok:
        sys.exit(1)


def _of_hugging_face(path: Path) -> "nn.Module":
    """Load a model of a folder as `transformers` has it; code in the folder is not run."""
    try:
        told = json.loads((path / "config.json").read_text(encoding="utf-8"))
        [name, *_] = told["architectures"]
    except (KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{path}: neither a run nor a folder of Hugging Face") from error
    try:
        import transformers
    except ImportError as error:
        raise CommandError("transformers is missing: pip install transformers") from error
    kind = getattr(transformers, name, None)
    if kind is None:
        raise CommandError(f"{path}: transformers {transformers.__version__} has no {name}")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        model: nn.Module = kind.from_pretrained(path, local_files_only=True, use_safetensors=True)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
    return model
