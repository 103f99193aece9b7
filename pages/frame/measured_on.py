"""What a model is measured on, in words: held-out sentences, or the pairs that it was given."""

from core.evaluate.evaluation import held_out_samples
from core.runs.run import PAIRS, Run, RunError
from pages.frame import cached
from pages.frame.language import _, n_, number

_SEED = 0
"""Which of them are counted makes no difference."""


def sentences(run: Run, n: int) -> str:
    """Return so many held-out sentences in words; of an opened model the visitor's own.

    Args:
        run: That is measured. Of an opened one nobody knows what it learned from.
        n: How many.
    """
    if run.settings.model.alone and run.settings.has_lines:
        said = n_("{n} line of your own", "{n} lines of your own", n)
    elif run.settings.model.alone and run.settings.is_opened:
        # They read whatever they are given.
        said = n_("{n} English sentence", "{n} English sentences", n)
    elif run.settings.is_opened:
        said = n_("{n} pair of your own", "{n} pairs of your own", n)
    else:
        said = n_("{n} held-out sentence", "{n} held-out sentences", n)
    return said.format(n=number(n))


def drawn(run: Run, n: int, seed: int) -> str:
    """Return the same with the seed that drew them, where one decided which they are.

    Args:
        run: As in `sentences`.
        n: How many it was measured on.
        seed: What they were asked for with.
    """
    said = sentences(run, n)
    if run.settings.has_lines or (run.settings.is_opened and _all_there_are(run, n)):
        return said
    return _("{sentences}, seed {seed}").format(sentences=said, seed=seed)


def all_of_them(run: Run) -> str:
    """Return the same without a number."""
    return _("pairs of your own") if run.settings.is_opened else _("held-out sentences")


def most(run: Run, n: int) -> int:
    """Return on how many sentences a run can be measured where `n` are asked for."""
    if run.settings.task != PAIRS:
        return n
    try:
        return cached.of_run(_count, run.path, n)
    except RunError:
        # Whoever measures says why that cannot be done.
        return n


def _all_there_are(run: Run, n: int) -> bool:
    return run.settings.task == PAIRS and most(run, n + 1) == n


def _count(run: Run, n: int) -> int:
    return len(held_out_samples(run, n, _SEED))
