"""Texts worth looking at with a model that does not read the sources of a task.

That is an opened model, of whose task nothing is known; and one of a single stack that was trained
here, which reads a source and its target as one text.
"""

from ...labels import prompt_of, source_of, text_of
from ...messages import N_
from ...runs.own_text import lines_of
from ...runs.run import Run
from ...tasks import CorpusError, Example, task_named
from ...tokenizer.byte_level import MASK
from ...tokenizer.words import spaced_words

_READ = (
    Example(N_("it = the animal"), "The animal did not cross the street because it was too tired."),
    Example(N_("it = the street"), "The animal did not cross the street because it was too wide."),
)
_PROMPTS = (
    Example(N_("a fact"), "The capital of France is"),
    Example(N_("repeated words"), "red green blue yellow red green blue"),
    Example(N_("it"), "The animal did not cross the street because it"),
)
"""For models without a known task: to read, and to continue."""


_BESIDE = (
    "The capital of Italy is",
    "The capital of Italy is [MASK].",
    "red green blue yellow red green white",
    "The animal did not cross the street because he",
)
"""What differs from one of them in a word."""
_N_OWN = 3
_HIDDEN = 2
"""The number of words of a target that are hidden, where it has more."""


def examples_of(run: Run) -> tuple[Example, ...]:
    """Return texts to begin with; none for a model that reads the sources of its task."""
    if not run.settings.is_opened:
        return () if run.settings.model.reads_sources else _own(run)
    if run.tokenizer.mask_id >= 0 and run.model.config.has_output:
        return (Example(N_("a word left out"), "The capital of France is [MASK]."), *_READ)
    return _PROMPTS if run.model.config.is_decoder_only else _READ


def sources_beside(run: Run) -> tuple[str, ...]:
    """Return texts that a text may be compared with: examples, and some that differ in a word."""
    own = tuple(example.source for example in examples_of(run))
    return (*own, *_BESIDE) if run.settings.is_opened else own


def longest_and_shortest(run: Run) -> tuple[str, ...]:
    """Return the text of a run with most tokens and that with fewest; empty where it has none.

    They are of the lines that it was given, or else of what a text may be compared with. In a batch
    with both, most texts are filled up.
    """
    texts = lines_of(run.path) or sources_beside(run)
    by_length = sorted(texts, key=lambda text: len(run.tokenizer.encode(text).ids))
    return (by_length[-1], by_length[0]) if by_length else ()


def known_continuation(run: Run, prompt: str) -> str | None:
    """Return what a decoder alone that was trained here is to write; None where nobody knows."""
    source = source_of(prompt)
    if run.settings.is_opened or not run.settings.model.is_decoder_only or source is None:
        return None
    try:
        return task_named(run.settings.task, run.path).reference(source)
    except CorpusError:
        return None


def _own(run: Run) -> tuple[Example, ...]:
    """Return held-out pairs of the run's task, as one text."""
    try:
        samples = task_named(run.settings.task, run.path).held_out_samples(_N_OWN)
    except CorpusError:
        return ()
    if run.settings.model.is_decoder_only:
        texts = [prompt_of(each.source) for each in samples]
        return tuple(Example(N_("prompt {n}"), text, n) for n, text in enumerate(texts, start=1))
    texts = [text_of(each.source, _hiding(each.target)) for each in samples]
    return tuple(Example(N_("words left out {n}"), text, n) for n, text in enumerate(texts, 1))


def _hiding(target: str) -> str:
    """Return a target in which some words in the middle are masked.

    >>> _hiding("k d a f")
    'k [MASK] [MASK] f'
    >>> _hiding("白猫睡觉")
    '白[MASK][MASK]觉'
    """
    words = spaced_words(target)
    first = max(0, (len(words) - _HIDDEN) // 2)
    hidden = range(first, first + _HIDDEN)
    return "".join(
        (MASK if at in hidden else word) + space for at, (word, space) in enumerate(words)
    )
