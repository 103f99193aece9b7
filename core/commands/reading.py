"""How files of pairs are read: the options that commands share."""

import argparse

from core.commands.errors import CommandError
from core.tasks.columns import Reading

OPTIONS = ("columns", "no_header", "strict")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Take which columns hold the pairs, and what the first line and bad lines are."""
    parser.add_argument(
        "--columns",
        metavar="SOURCE,TARGET",
        help="names or numbers of the two columns in files of pairs, such as en,fr or 2,3 (the "
        "first is 1); default: those that hold sentences",
    )
    parser.add_argument(
        "--no-header",
        action="store_true",
        default=None,
        help="the first line of a file is a pair, also where it looks like names of columns",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        default=None,
        help="stop at a line that is no pair; otherwise such lines are left out and named",
    )


def reading_of(arguments: argparse.Namespace) -> Reading:
    """Return how files are to be read."""
    columns = () if arguments.columns is None else tuple(arguments.columns.split(","))
    if arguments.columns is not None and len(columns) != 2:
        raise CommandError(f"--columns takes two, such as en,fr or 1,2, not {arguments.columns!r}")
    named = tuple(column.strip() for column in columns)
    return Reading(named, header=not arguments.no_header, strict=bool(arguments.strict))


def reading_words(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command line that say how files are to be read."""
    flags = [f"--{name.replace('_', '-')}" for name in OPTIONS[1:] if getattr(arguments, name)]
    return [*(["--columns", arguments.columns] if arguments.columns else []), *flags]
