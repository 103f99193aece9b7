"""`python -m core.training RUN`: train a prepared run to its end; what the app starts.

Also under `torchrun`, in several processes.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.config import ConfigError
from core.runs.checkpoint import CheckpointError
from core.runs.run import RunError
from core.tasks import CorpusError
from core.training.job import complete_run
from core.training.loop import TrainingError

NICENESS = 19
"""Whoever uses the machine comes first."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and return the exit status: 0, or 2 where somebody has to mend something."""
    [run] = sys.argv[1:] if arguments is None else arguments
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    try:
        for _ in complete_run(Path(run)):
            pass
    except (
        CheckpointError,
        ConfigError,
        CorpusError,
        OSError,
        RunError,
        TrainingError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
