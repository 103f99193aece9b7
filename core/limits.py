"""Limits of a process, for what a stranger's file may have no end of."""

import sys


def limit_process(n_bytes: int | None = None, seconds: int | None = None) -> None:
    """Have the system refuse this process more memory, and end it where it computes too long.

    It is Linux that does so; elsewhere nothing is limited.

    Args:
        n_bytes: Of memory, files that are read not counted; None for as much as there is.
        seconds: Of computing; None for as many as it needs.
    """
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415  # other systems have none

    # Of the address space a good part is never used, and files that are read are no burden.
    for kind, most in ((resource.RLIMIT_DATA, n_bytes), (resource.RLIMIT_CPU, seconds)):
        if most is not None:
            # A process that was limited already may only become more so.
            _, hard = resource.getrlimit(kind)
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (limit, limit))
