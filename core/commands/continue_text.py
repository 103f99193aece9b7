"""Let a decoder alone go on from a prompt, step by step if asked."""

import argparse

from core.commands import translate
from core.commands.options import CommandError
from core.runs.run import read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take what translating takes: the prompt is the sentence."""
    translate.add_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print what the model writes after the prompt."""
    if read_settings(arguments.run).model.n_encoder_layers:
        raise CommandError(f"{arguments.run} has an encoder: see `translate` and `inspect`")
    translate.run(arguments)
