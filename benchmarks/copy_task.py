"""How long the preset `tiny` takes to learn the copy task, as a command, start and end included.

Run from the repository root: python -m benchmarks.copy_task

The floor is the same command for one step: starting Python and torch, the tokenizer, and measuring
at the end.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5
TARGET_SECONDS = 20


def main() -> None:
    """Train with several seeds and print seconds and quality."""
    print(f"{'seed':>6}{'seconds':>10}{'floor':>8}{'ratio':>8}{'exact match':>14}")
    times = []
    for seed in range(ROUNDS):
        floor, _ = train(seed, ["--steps", "1"])
        seconds, exact_match = train(seed, [])
        times.append(seconds)
        ratio = seconds / floor
        print(
            f"{seed:>6}{seconds:>10.1f}{floor:>8.1f}{ratio:>8.1f}{exact_match:>14.2%}", flush=True
        )
    print(f"median {statistics.median(times):.1f} s (≤ {TARGET_SECONDS} s)")


def train(seed: int, options: list[str]) -> tuple[float, float]:
    """Run the command; return seconds and held-out exact match."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "copy"
        command = [sys.executable, "-m", "core", "train", str(out), "--task", "copy"]
        command += ["--preset", "tiny", "--seed", str(seed), *options]
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
        return seconds, json.loads((out / "evaluation.json").read_text())["exact_match"]


if __name__ == "__main__":
    main()
