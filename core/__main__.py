"""`python -m core COMMAND`: train a model, and ask it."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from .commands import (
    align,
    average,
    check,
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
from .commands.options import CommandError, OneSentence
from .installed import COMMAND, VERSION
from .messages import MessageError, error_text

COMMANDS = {
    "train": train,
    "translate": translate,
    "inspect": inspect,
    "check": check,
    "evaluate": evaluate,
    "heads": heads,
    "align": align,
    "export": export,
    "average": average,
    "count": count,
    "import": import_model,
    "continue": translate,
    "give": give,
    "experiment": experiment,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status: 0, or 2 where the user has to mend something, or 130 when interrupted.
    """
    try:
        chosen = _read(arguments)
        COMMANDS[chosen.command].run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:
        # A reader such as `head` has closed the pipe. Python would complain about it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (CommandError, MessageError, OSError) as error:
        print(f"error: {error_text(error)}", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def command_line() -> OneSentence:
    """Return what reads the commands and their options."""
    parser = OneSentence(prog=COMMAND, description="Train a Transformer, or open one, and ask it.")
    parser.add_argument("--version", action="version", version=f"seq2see {VERSION}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        summary = (command.__doc__ or "").partition("\n")[0]
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        command.add_arguments(subparser)
    return parser


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_line()
    chosen, left = parser.parse_known_args(arguments)
    # A SENTENCE may stand after options, and after -- when it begins with a dash: there argparse
    # has taken it for missing (before Python 3.13).
    if getattr(chosen, "sentence", "") is None and left and (left[0] == "--") == (len(left) == 2):
        *_, chosen.sentence = left
        left = []
    if left:
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
