"""Processes that are killed (-9) at random moments, again and again.

`KILLS=100 pytest -m slow -s tests/core -k killed` kills each kind of work 100 times.
"""

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from random import Random

KILLS = int(os.environ.get("KILLS", "5"))
"""So often each kind of work is killed."""
# Its processes begin as copies of one that has imported what the work needs.
FORKS = multiprocessing.get_context("forkserver")


def seconds_of(work: Callable[..., object], *arguments: object) -> float:
    """Return how long some work takes in a process of its own."""
    # The first waits for what all of them begin with.
    first = FORKS.Process(target=int)
    first.start()
    first.join()
    began = time.monotonic()
    process = FORKS.Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0
    return time.monotonic() - began


def killed(work: Callable[..., object], *arguments: object, after: float) -> bool:
    """Do some work in a process of its own, and kill it; say whether it was still at work."""
    process = FORKS.Process(target=work, args=arguments)
    process.start()
    process.join(after)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def killed_again_and_again(
    work: Callable[..., object],
    *arguments: object,
    longest: float,
    check: Callable[[bool], None],
) -> None:
    """Kill some work as often as is wanted, at random moments.

    Args:
        work: A function of a module.
        arguments: What it takes.
        longest: Seconds that it is left at most.
        check: Called after each kill, and after each time that the work came to its end before;
            takes whether it did.
    """
    rng, found = Random(0), Counter[bool]()
    while found[True] < KILLS:
        was_killed = killed(work, *arguments, after=rng.uniform(0, longest))
        found[was_killed] += 1
        check(not was_killed)
    print(f"{work.__name__}: killed {found[True]} times, at its end before {found[False]} times")
