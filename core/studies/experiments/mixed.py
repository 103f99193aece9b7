"""A row for which a parallel decoder mixes two right targets."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.decoding.sentence import passes_of
from core.evaluate.evaluation import SEED, held_out_samples
from core.runs.run import Run
from core.tasks import TASKS, right_targets

N_TRIED = 50
"""Held-out rows in which one is looked for, after the examples of the task."""
PASSES = (1, 4)


@dataclass(frozen=True, slots=True)
class MixedOutput:
    """What a model wrote of a row."""

    source: str
    right: tuple[str, str]
    written: tuple[tuple[int, str], ...]
    """(number of passes, the output)."""


def mixed_output(run: Run) -> MixedOutput | None:
    """Return the first row whose words, written in one pass, are taken from both right targets.

    Returns:
        None where none is found: then the model does not mix.
    """
    for source in _sources(run):
        right = right_targets(TASKS[run.settings.task], source)
        first = _written(run, source, 1)
        if len(right) == 2 and _mixes(first, *right):
            written = tuple((n, _written(run, source, n)) for n in PASSES)
            return MixedOutput(source, (right[0], right[1]), written)
    return None


def _sources(run: Run) -> Iterator[str]:
    task = TASKS[run.settings.task]
    yield from (each.source for each in task.examples)
    yield from (each.source for each in held_out_samples(run, N_TRIED, SEED))


def _written(run: Run, source: str, n_passes: int) -> str:
    last = passes_of(run, source, n_passes)[-1]
    return run.target_tokenizer.decode(last.written)


def _mixes(text: str, one: str, other: str) -> bool:
    """Say whether every word is one target's or the other's, and neither's alone.

    >>> _mixes("a b b a", "a b c d", "d c b a"), _mixes("a b c d", "a b c d", "d c b a")
    (True, False)
    """
    places = list(zip(text.split(), one.split(), other.split(), strict=False))
    whole = len(text.split()) == len(one.split())
    return text not in (one, other) and whole and all(word in right for word, *right in places)
