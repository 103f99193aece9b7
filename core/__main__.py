"""`python -m core COMMAND`: train a model, and ask it."""

import argparse
import sys
from collections.abc import Sequence

from core.commands import (
    average,
    continue_text,
    count,
    evaluate,
    experiment,
    export,
    give,
    heads,
    import_model,
    inspect,
    train,
    translate,
)
from core.commands.errors import CommandError
from core.config import ConfigError
from core.decoding.sentence import SentenceError
from core.messages import said
from core.runs.checkpoint import CheckpointError
from core.runs.run import RunError
from core.tasks import CorpusError
from core.training.loop import TrainingError

COMMANDS = {
    "train": train,
    "translate": translate,
    "inspect": inspect,
    "evaluate": evaluate,
    "heads": heads,
    "export": export,
    "average": average,
    "count": count,
    "import": import_model,
    "continue": continue_text,
    "give": give,
    "experiment": experiment,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status: 0, or 2 where the user has to mend something, or 130 when interrupted.
    """
    parser = argparse.ArgumentParser(
        prog="python -m core", description="Train a Transformer, or open one, and ask it."
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        summary = (command.__doc__ or "").partition("\n")[0]
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        command.add_arguments(subparser)
    chosen = parser.parse_args(arguments)
    try:
        COMMANDS[chosen.command].run(chosen)
    except (
        CheckpointError,
        CommandError,
        ConfigError,
        CorpusError,
        OSError,
        RunError,
        SentenceError,
        TrainingError,
    ) as error:
        print(f"error: {said(error)}", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
