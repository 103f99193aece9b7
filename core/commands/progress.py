"""How far long work is, in a line on standard error now and then."""

import sys
import time
from collections.abc import Callable

SECONDS_BETWEEN_LINES = 2.0


def progress_printer(what: str, total: int | None = None) -> Callable[[int], None]:
    """Return what says on standard error, every two seconds, how much of something is done."""
    last = time.perf_counter()

    def tell(done: int) -> None:
        nonlocal last
        if (now := time.perf_counter()) - last >= SECONDS_BETWEEN_LINES:
            last = now
            of = "" if total is None else f" of {total:,}"
            print(f"{what} {done:,}{of}", file=sys.stderr, flush=True)

    return tell
