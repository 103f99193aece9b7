"""The time that is said before a training, and the time that its steps take.

    python -m benchmarks.timing

The first steps of three presets are timed as the training page times them, and then taken by a
process of their own, as the training page starts it; alone, and beside a process that spins. Prints
both times of a step, and their ratio, in one run. Takes about six minutes.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.runs.folder import TRAINING
from core.runs.metrics import read_rows
from core.tasks import TASKS
from core.training.prepare import prepare_run
from core.training.presets import PRESETS
from core.training.process import situation, start
from core.training.timing import start_timing

TRAININGS = {"tiny": ("copy", 450), "small": ("translate", 150), "medium": ("translate", 60)}
"""Preset → task and number of steps."""


def main() -> None:
    """Time each preset with and without a process that spins."""
    print(f"{'':24}{'said':>12}{'took':>12}{'said / took':>14}   of a step")
    for beside, others in (("alone", 0), ("beside a process", 1)):
        spinning = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)
        ]
        try:
            for name in TRAININGS:
                said, took = times(name)
                line = f"{1e3 * said:9.1f} ms{1e3 * took:9.1f} ms{said / took:14.2f}"
                print(f"{name:8}{beside:16}{line}", flush=True)
        finally:
            for process in spinning:
                process.kill()


def times(name: str) -> tuple[float, float]:
    """Return the seconds of a preset's step as they are said, and as they were."""
    task, steps = TRAININGS[name]
    preset = PRESETS[name]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        prepare_run(run, TASKS[task], name, preset, "")
        said = float(start_timing(run).communicate()[0])
        start(run)
        try:
            while len(rows := read_rows(run)) < 2 or rows[-1]["step"] < steps:
                time.sleep(1.0)
        finally:
            TRAINING.ask(run, "pause")
            while situation(run).alive:
                time.sleep(0.2)
        # The first third also sets up what later steps find: little in a whole training.
        rows = [row for row in rows if row["step"] >= steps // 3]
        first, last = rows[0], rows[-1]
        return said, (last["seconds"] - first["seconds"]) / (last["step"] - first["step"])


if __name__ == "__main__":
    main()
