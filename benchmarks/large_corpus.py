"""Millions of pairs from the command line: how fast they are read, and in how much memory.

A file of made-up pairs is written, and `python -m core train` learns from it for a few steps, in a
process of its own. Beside it stands the same for a hundredth of the pairs: what grows with their
number, and what does not.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAIRS = 5_000_000
MOST_GB = 2.0
STEPS = 3
_WORDS = 20_000
_LENGTHS = range(4, 13)
_AT_ONCE = 50_000


def main() -> None:
    """Print seconds, pairs a second and the peak of memory, for few pairs and for many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    most = parser.parse_args().pairs
    print(f"{'':>12}{'file':>10}{'in all':>10}{'pairs/s':>12}{'first step':>12}{'memory':>10}")
    # The smaller one first: the peak of all child processes so far is what can be asked for.
    for n in (max(250_000, most // 100), most):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.tsv"
            write_pairs(path, n)
            size = path.stat().st_size / 2**20
            seconds, first_step = trained(path, Path(folder) / "run")
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(
            f"{n:>12,}{size:>8.0f}MB{seconds:>9.0f}s{n / seconds:>12,.0f}{first_step:>11.1f}s"
            f"{memory:>8.2f}GB",
            flush=True,
        )
    print(f"memory with {most:,} pairs: {memory:.2f} GB (≤ {MOST_GB} GB wanted)")


def write_pairs(path: Path, n: int) -> None:
    """Write pairs of made-up words; the target has the source's words in another spelling."""
    rng = random.Random(0)
    letters = "aeiou", "bdfgklmnprst"
    words = [
        "".join(rng.choice(letters[i % 2]) for i in range(rng.randint(2, 9))) for _ in range(_WORDS)
    ]
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, n, _AT_ONCE):
            rows = [
                rng.choices(words, k=rng.choice(_LENGTHS)) for _ in range(min(_AT_ONCE, n - start))
            ]
            file.writelines(f"{' '.join(row)}\t{'e '.join(row)}e\n" for row in rows)


def trained(pairs: Path, run: Path) -> tuple[float, float]:
    """Learn for a few steps; return the seconds before the first and those of the first."""
    command = [sys.executable, "-m", "core", "train", str(run), "--task", str(pairs)]
    options = ["--preset", "small", "--set", "batch_tokens=4096", "--set", "vocab_size=8000"]
    started = time.perf_counter()
    with subprocess.Popen(
        [*command, *options, "--steps", str(STEPS)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        ready = first = 0.0
        for line in process.stdout:
            now = time.perf_counter() - started
            if line.startswith("train "):
                ready = now
            if not first and re.match(r"step \d+ ", line):
                first = now - ready
    if process.returncode:
        raise SystemExit(process.returncode)
    return ready, first


if __name__ == "__main__":
    main()
