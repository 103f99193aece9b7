"""What a model can learn. `TASKS` is the only list of the tasks that ship with the project."""

from collections.abc import Mapping
from pathlib import Path

from ..config.choices import Predicts
from .columns import CorpusError
from .corpus import FILES, KeptCorpus, Mixed, kept_corpus
from .digits import Digits
from .naming import Naming
from .symbols import Copying, Defining, Either, Reversing
from .task import Example, Reference, Sample, Task
from .translation import Classifying, Everyday, Tagging, Translation

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        *(Copying(), Reversing(), Either(), Defining(), Naming()),
        *(Tagging(), Classifying(), Digits(), Translation(), Everyday()),
    )
}
TARGET_LANGUAGES = {Naming.name: "fr", Translation.name: "fr", Everyday.name: "fr"}
"""Task → language of its targets, if they have one."""
PREDICTS: Mapping[str, Predicts] = {
    Tagging.name: "tags",
    Classifying.name: "class",
    Digits.name: "class",
}
"""Task of an encoder alone whose targets are labels of the source → what the encoder predicts."""
SEVERAL_RIGHT = frozenset({Either.name})
"""Tasks whose sources have several correct targets."""
NEED_PAIRS = frozenset({Everyday.name})
"""Tasks that are only learned beside the user's own pairs."""


def right_targets(task: Task | None, source: str) -> tuple[str, ...]:
    """Return all correct targets of a source that a task knows.

    >>> right_targets(TASKS["either"], "a b c"), right_targets(TASKS["reverse"], "a b c")
    (('a b c', 'c b a'), ('c b a',))
    """
    if task is None:
        return ()
    if isinstance(task, Either):
        return task.right(source)
    known = task.reference(source)
    return () if known is None else (known,)


def task_named(name: str, folder: Path = Path()) -> Task:
    """Return a task of the list, or the one that the pairs in a run's folder make, or both mixed.

    Raises:
        CorpusError: The name is no task, or the folder has no pairs that can be used.
    """
    if name in TASKS:
        own = (folder / FILES["train"]).is_file()
        return Mixed(TASKS[name], kept_corpus(folder)) if own else TASKS[name]
    if name != FILES["train"]:
        raise CorpusError(
            "{name} is none of the tasks {known}", name=repr(name), known=", ".join(TASKS)
        )
    if not (folder / name).exists() and (folder / FILES["test"]).exists():
        return KeptCorpus(folder)
    return kept_corpus(folder)


__all__ = [
    "NEED_PAIRS",
    "PREDICTS",
    "SEVERAL_RIGHT",
    "TARGET_LANGUAGES",
    "TASKS",
    "CorpusError",
    "Example",
    "Mixed",
    "Reference",
    "Sample",
    "Task",
    "right_targets",
    "task_named",
]
