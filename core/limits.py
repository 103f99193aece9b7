"""A process with limits on its memory and computing time, which reads a foreign file."""

import os
import subprocess
import sys

from .installed import ROOT


def run_limited(
    module: str, *arguments: str, text: str = "", seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module, which limits itself by `limit_process`; a text is its standard input.

    Raises:
        subprocess.TimeoutExpired: It took longer than these seconds, and was killed.
    """
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},  # A GPU takes memory of its own.
        timeout=seconds,
        check=False,
    )


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
