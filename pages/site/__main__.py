"""`make site`: write the pass of some runs as pages that need no server.

    python -m pages.site OUT [RUN …]
    seq2see site OUT [RUN …]          where the package is installed

Any static host can serve the folder, and a browser can open it from a disk.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from core.commands.options import CommandError, OneSentence, run_folder
from core.installed import GALLERY
from core.messages import MessageError, error_text
from pages.site.writing import write_site

SHIPPED = ("everyday", "translate", "copy")
"""Runs of the gallery that get a page where none are named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the site.

    Returns:
        The exit status: 0, or 2 where the user has to mend something.
    """
    parser = OneSentence(
        prog="seq2see site",
        description="Write the pass of some runs as pages that compute it in the browser: a folder "
        "for any static host, or to be opened from a disk.",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    parser.add_argument(
        "runs",
        nargs="*",
        type=Path,
        metavar="RUN",
        help=f"the first is the first page; default: {', '.join(SHIPPED)} of the gallery",
    )
    chosen = parser.parse_args(arguments)
    try:
        given = [run_folder(str(each)) for each in chosen.runs]
        runs = given or [GALLERY / each for each in SHIPPED]
        size = write_site(chosen.out, runs)
    except (CommandError, MessageError, OSError) as error:
        print(f"error: {error_text(error)}", file=sys.stderr)
        return 2
    print(f"{chosen.out / 'index.html'}: {len(runs)} runs, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
