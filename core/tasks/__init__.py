"""What a model can learn. `TASKS` is the only list of the tasks that ship with the project."""

from pathlib import Path

from core.tasks.copying import Copying
from core.tasks.corpus import CorpusError, read_corpus
from core.tasks.reversing import Reversing
from core.tasks.task import (
    Example,
    Link,
    Reference,
    Sample,
    Task,
    held_out_samples,
    training_samples,
)
from core.tasks.translation import Translation
from core.vocabulary import Span

TASKS: dict[str, Task] = {task.name: task for task in (Copying(), Reversing(), Translation())}


def task_named(name: str, folder: Path = Path()) -> Task:
    """Return a task of the list, or the one that a file of pairs in a folder makes.

    Raises:
        CorpusError: The name is no task, and no file of pairs either.
    """
    if name in TASKS:
        return TASKS[name]
    if not (folder / name).is_file():
        raise CorpusError(f"{name!r} is neither a file nor one of the tasks {', '.join(TASKS)}")
    return read_corpus(folder / name)


__all__ = [
    "TASKS",
    "CorpusError",
    "Example",
    "Link",
    "Reference",
    "Sample",
    "Span",
    "Task",
    "held_out_samples",
    "task_named",
    "training_samples",
]
