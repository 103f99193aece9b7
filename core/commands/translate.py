"""Translate a sentence with a trained run."""

import argparse
import json
import sys
from pathlib import Path

from core.decoding.sentence import Translation, translate
from core.run import load_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a run and a sentence."""
    parser.add_argument("run", type=Path, metavar="RUN", help="such as gallery/translate")
    parser.add_argument("sentence", metavar="SENTENCE")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> None:
    """Print the translation."""
    loaded = load_run(arguments.run)
    translation = translate(loaded, arguments.sentence)
    warn(translation, loaded.settings.model.max_positions)
    if arguments.json:
        answer = {"source": translation.source, "translation": translation.text}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        print(translation.text)


def warn(translation: Translation, max_positions: int) -> None:
    """Say on standard error where the sentence was cut, or the model did not come to an end."""
    if translation.cut:
        print(f"warning: cut after {max_positions - 1} tokens", file=sys.stderr)
    if not translation.finished:
        print("warning: the translation stops at the length limit", file=sys.stderr)
