"""Whether a folder that came from a stranger is a run, and is whole."""

from pathlib import Path
from reprlib import repr

from core.files import write_atomically
from core.messages import Message, said
from core.runs.checkpoint import require_shapes, shapes_in
from core.runs.checksums import check_listed
from core.runs.contents import STATUS, told_status
from core.runs.files import ABOUT
from core.runs.records import read_record
from core.runs.run import PAIRS, RunError, load_run, read_settings
from core.runs.weights import WEIGHT_FOLDERS, newest_checkpoint, weights_in
from core.tasks import TASKS


def check_run(folder: Path) -> None:
    """Load a run once, and compare all its weights with what run.json says of them.

    What status.json says of somebody else's processes is taken out of it.

    Raises:
        RunError: It is no usable run; the message does not name the folder.
    """
    status = folder / STATUS
    if status.exists():
        write_atomically(status, told_status(status.read_bytes()))
    try:
        _check(folder)
    except OSError:
        raise
    except Exception as error:  # a stranger's file may make anything of its readers
        what: int | str = said(error) or type(error).__name__
        if isinstance(what, Message):
            what = what.values["why"] if what.template == ABOUT else what
        raise RunError("the archive holds no usable run: {why}", why=what) from error


def _check(folder: Path) -> None:
    check_listed(folder)
    settings = read_settings(folder)
    if settings.task not in (*TASKS, PAIRS) and not settings.is_opened:
        raise RunError("run.json names a task {task} that there is not", task=repr(settings.task))
    for file in [file for name in WEIGHT_FOLDERS for file in weights_in(folder, name)]:
        require_shapes(f"{file.parent.name}/{file.name}", shapes_in(file), settings.model)
    newest = newest_checkpoint(folder)
    # What comes from elsewhere is whole, or it does not come.
    if damage := load_run(folder, step=None if newest else 0).damage:
        raise RunError(damage)
    # And its figures, which pages read by themselves.
    read_record(folder)
    state = newest.with_suffix(".state.safetensors") if newest else None
    if state and state.exists():
        shapes_in(state)
