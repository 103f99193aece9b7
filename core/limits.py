"""Limits on the memory and the computing time of a process that reads a foreign file."""

import sys


def limit_process(n_bytes: int | None = None, seconds: int | None = None) -> None:
    """Limit the memory and the computing time of this process. Only Linux has such limits.

    Args:
        n_bytes: Of memory, mapped files not counted; None for no limit.
        seconds: Of computing time; None for no limit.
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
