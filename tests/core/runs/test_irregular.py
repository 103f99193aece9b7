"""A pipe, a device or a folder in the place of a file: nobody who reads a run waits for it."""

import os
import shutil
import signal
from types import SimpleNamespace

import pytest

from core.jobs.job import Files, Job, is_worked_on
from core.runs.archive import archive_run, belongs
from core.runs.checkpoint import CheckpointError
from core.runs.files import TEXTS
from core.runs.folder import TRAINING, RunFolder
from core.runs.metrics import read_record
from core.runs.run import RunError, load_run
from core.studies.effects.measuring import stored_effects
from core.studies.effects.pruning import pruning_curve
from core.studies.opening.opening import open_model
from core.training.export import export_run
from core.training.process import situation
from tests.core.families.folders import write_folder

JOB = Job("this", "reading", Files.named("read"))
NAMES = (
    *TEXTS,
    *("train.log", "request", "watched", "heads.progress", "read.log", "read.request"),
    *("checkpoints/step-00000030.safetensors", "checkpoints/step-00000030.state.safetensors"),
    *("best/step-00000010.safetensors", "snapshots/step-00000020.safetensors"),
)
KINDS = {
    "a pipe": os.mkfifo,
    "a device": lambda file: file.symlink_to("/dev/zero"),
    "a folder": lambda file: file.mkdir(),
}


@pytest.fixture(autouse=True)
def _nobody_waits_for_ever():
    def waited(*_):
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


READERS = {
    "run.json": read_record,
    "metrics.jsonl": lambda path: RunFolder(path).forget_after(20),
    "evaluation.json": read_record,
    "heads.json": lambda path: stored_effects(load_run(path)),
    "pruning.json": lambda path: pruning_curve(load_run(path), 4).points,
    "status.json": situation,
    "train.log": situation,
    "request": TRAINING.asked,
    "heads.progress": is_worked_on,
    "read.log": JOB.status,
    "read.request": JOB.asked,
    "snapshots/step-00000020.safetensors": lambda path: export_run(path, path / "out", [20]),
}
"""Who reads a file, beside `load_run` and whoever packs the run."""


def refused(read, *arguments):
    """Return what a reader says; nothing where it could do without."""
    try:
        read(*arguments)
    except (RunError, CheckpointError, OSError) as error:
        return str(error)
    return ""


CASES = [*((name, "a pipe") for name in NAMES), ("run.json", "a device"), ("run.json", "a folder")]
CASES += [(name, "a device") for name in ("status.json", NAMES[-1], NAMES[-4])]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_file_of_a_run_that_is_none_is_refused_or_not_needed(copy_folder, tmp_path, name, kind):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).unlink(missing_ok=True)
    KINDS[kind](path / name)
    told = [refused(load_run, path), refused(archive_run, path, tmp_path / "run.zip")]
    told.append(refused(READERS.get(name, load_run), path))
    assert all("regular file" in each for each in told if each)
    assert any(told) == belongs(name)


def test_a_process_is_started_where_its_log_is_a_pipe(folder, monkeypatch):
    child = SimpleNamespace(poll=lambda: 0, kill=lambda: None, wait=lambda: None)
    monkeypatch.setattr("core.jobs.job.subprocess.Popen", lambda *_, **_more: child)
    os.mkfifo(folder / JOB.files.log)
    JOB.start(folder)
    assert (folder / JOB.files.log).is_file()


OF_MODELS = [
    *(("gpt2", name) for name in ("config.json", "merges.txt", "model.safetensors")),
    *(("marian", name) for name in ("target.spm", "vocab.json")),
]


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
@pytest.mark.parametrize(("like", "name"), OF_MODELS)
def test_a_file_of_a_model_that_is_none_is_refused(model_folders, tmp_path, kind, like, name):
    path = shutil.copytree(model_folders / like, tmp_path / "model")
    (path / name).unlink()
    KINDS[kind](path / name)
    with pytest.raises(RunError, match="regular file|leads out of|there is no|there are no"):
        list(open_model(str(path), tmp_path / "run"))


@pytest.fixture(scope="module")
def model_folders(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    for like in ("gpt2", "marian"):
        write_folder(path / like, like)
    return path
