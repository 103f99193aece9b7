"""How long it takes to say what every head is for, and what one silenced head does to a sentence.

Run from the repository root: python -m benchmarks.heads

All heads of the gallery's translation model are silenced in turn on 400 held-out sentences, on one
core, as the app does it; the floor is one pass over the same sentences with nothing silenced.
One sentence of 12 words is translated with one head silent, and its reference read; the floor is
translating it with nothing changed. Ratios are comparable between computers.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from core.decoding.sentence import translate
from core.device import use_one_thread
from core.evaluate.evaluation import held_out_pairs
from core.runs.run import load_run
from core.studies.effects import N_SENTENCES
from core.studies.effects.ablation import Intervention, outcome
from core.studies.effects.head_effects import SEED, Silenceable, head_effects
from core.studies.heads.question import heads_of

RUN = Path(__file__).parents[1] / "gallery" / "translate"
SENTENCE = "The animal didn't cross the street because it was far too tired."
ROUNDS, WARM_UP = 10, 3


def main() -> None:
    """Measure both and print them as a table."""
    use_one_thread()
    run = load_run(RUN)
    heads = heads_of(run.model)
    silenceable = Silenceable(run.model, held_out_pairs(run, N_SENTENCES, SEED))
    floor = median_seconds(silenceable.figures, 3)
    started = time.perf_counter()
    n_done = sum(1 for _ in head_effects(run))
    taken = time.perf_counter() - started
    print(f"{'':44}{'seconds':>9}{'ratio':>8}{'target':>9}")
    report(f"one pass over {N_SENTENCES} sentences (floor)", floor, floor, "")
    report(f"{n_done} heads on {N_SENTENCES} sentences", taken, floor, "≤ 60")

    reference = translate(run, SENTENCE).target_ids
    probe = Intervention("silence", frozenset(heads[:1])).probe()
    floor = median_seconds(lambda: translate(run, SENTENCE), ROUNDS)
    silenced = median_seconds(lambda: outcome(run, SENTENCE, reference, probe), ROUNDS)
    report("12 words translated (floor)", floor, floor, "")
    report("12 words with one head silent", silenced, floor, "≤ 0.1")


def median_seconds(act: Callable[[], object], rounds: int) -> float:
    """Repeat something and return how long it usually takes."""
    times = []
    for _ in range(WARM_UP + rounds):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return statistics.median(times[WARM_UP:])


def report(name: str, seconds: float, floor: float, target: str) -> None:
    """Print one line of the table."""
    print(f"{name:44}{seconds:9.3f}{seconds / floor:8.2f}{target:>9}", flush=True)


if __name__ == "__main__":
    main()
