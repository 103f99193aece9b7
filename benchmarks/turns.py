"""Several visitors' sentences at once in one process: as threads do by themselves, and in turn.

    python -m benchmarks.turns [--at-once 4] [--rounds 10]

In each round as many threads as are given translate a sentence of the gallery's model and look at
all its maps, once as they come and once in turn, alternating; then a sentence alone. Printed are
medians over the rounds of when the first and the last answer stood, as ratios to the sentence
alone: in turn the last takes as many times as long as there are sentences.
"""

import argparse
import statistics
import threading
import time
from contextlib import nullcontext

import torch

from benchmarks.measuring import ROOT
from classroom.service import ClassService
from classroom.settings import Classroom
from core.inspection import inspect_sentence
from core.runs.run import Run, load_run
from pages.frame import service
from pages.frame.interrupts import add_hooks

RUN = ROOT / "gallery" / "everyday"
SENTENCE = "The animal number {} did not cross the street because it was too tired."


def answered(run: Run, n: int, *, in_turn: bool) -> list[float]:
    """Return the seconds after which each of n sentences was answered, the first first."""
    begin, found = threading.Barrier(n + 1), []

    def answer(number: int) -> None:
        begin.wait()
        asked = time.perf_counter()
        with service.current().computing() if in_turn else nullcontext():
            inspect_sentence(run, SENTENCE.format(number))
        found.append(time.perf_counter() - asked)

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(n)]
    for thread in threads:
        thread.start()
    begin.wait()
    for thread in threads:
        thread.join()
    return sorted(found)


def main() -> None:
    """Answer both ways, and print what that takes."""
    options = argparse.ArgumentParser()
    options.add_argument("--at-once", type=int, default=4)
    options.add_argument("--rounds", type=int, default=10)
    given = options.parse_args()
    torch.set_num_threads(1)
    service.serve(ClassService(Classroom()))
    run = add_hooks(load_run(RUN))
    answered(run, 1, in_turn=False)
    alone, freely, in_turn = [], [], []
    for _ in range(given.rounds):
        alone.append(answered(run, 1, in_turn=False)[0])
        freely.append(answered(run, given.at_once, in_turn=False))
        in_turn.append(answered(run, given.at_once, in_turn=True))
    floor = statistics.median(alone)
    print(f"one sentence alone: {1e3 * floor:.0f} ms")
    for name, times in (("as they come", freely), ("in turn", in_turn)):
        first, last = (statistics.median(each[at] for each in times) / floor for at in (0, -1))
        print(
            f"{given.at_once} sentences {name:12}  first {first:5.2f} ×, last {last:5.2f} ×",
            flush=True,
        )


if __name__ == "__main__":
    main()
