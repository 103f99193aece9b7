import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from core.jobs import job as jobs
from core.model import build
from core.runs.checkpoint import LIVE, step_of, stops, weights_in
from core.runs.folder import (
    DELETED,
    INCOMING,
    TRAINING,
    RunFolder,
    clear_left_over,
    delete_run,
    new_folder,
    rename_run,
)
from core.runs.run import RunError
from core.training.loop import make_optimizer
from tests.holding import ROOT, held_elsewhere

LEFT, HELD = (f"{INCOMING}{name}" for name in ("ended__1", "at__work"))


@pytest.fixture
def folder(tmp_path):
    found = RunFolder(tmp_path / "run")
    found.path.mkdir()
    return found


@pytest.fixture
def training(copy_run):
    """A model and its optimizer."""
    model = build(copy_run.settings.model)
    return model, make_optimizer(model, copy_run.settings.training)


def metrics(folder):
    return (folder.path / "metrics.jsonl").read_text(encoding="utf-8")


def names(path):
    return sorted(each.name for each in path.iterdir())


def test_a_folder_is_held_as_long_as_the_process_lives_even_killed(folder):
    assert not TRAINING.is_held(folder.path)
    with held_elsewhere(folder.path) as process:
        assert TRAINING.is_held(folder.path)
        with pytest.raises(RunError, match="another process is training"), folder.held():
            pass
        process.kill()
    assert not TRAINING.is_held(folder.path)
    with folder.held():
        assert TRAINING.is_held(folder.path)


def test_nothing_is_written_into_a_folder_that_took_the_place_of_the_held_one(folder, copy_run):
    with folder.held():
        folder.write_status("running", 1)
        folder.path.rename(folder.path.with_name("moved"))
        folder.path.mkdir()
        (folder.path / "run.json").write_text("mine")
        for write in (
            lambda: folder.write_status("running", 2),
            lambda: folder.add_metrics({"step": 2}),
            lambda: folder.write_words({"a"}),
            lambda: folder.keep_best(copy_run.model, 2),
            lambda: folder.snapshot(copy_run.model, 2, {"a"}),
        ):
            with pytest.raises(RunError, match="removed or replaced"):
                write()
    assert set(names(folder.path)) <= {"run.json", ".lock"}


def steps_in(folder, name):
    return [step_of(file) for file in weights_in(folder.path, name)]


def test_only_the_last_two_live_weights_stay(folder, copy_run):
    for step in (2, 4, 6):
        folder.keep_live(copy_run.model, step, {"a"})
        folder.snapshot(copy_run.model, step, {"a"})
    assert steps_in(folder, LIVE) == [4, 6]
    assert stops(folder.path) == (0, 2, 4, 6)
    folder.forget_after(4)
    assert stops(folder.path) == (0, 2, 4)
    folder.drop_live()
    assert steps_in(folder, LIVE) == []


def test_nothing_stands_under_a_new_name_before_it_is_whole(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt), new_folder(path) as room:
        assert not path.exists()
        (room / "pairs.tsv").write_text("half")
        raise KeyboardInterrupt
    assert names(tmp_path) == []
    # An empty folder may take it.
    path.mkdir()
    with new_folder(path) as room:
        (room / "run.json").write_text("whole")
    assert names(path) == ["run.json"]
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_name_that_is_taken_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(FileExistsError, match="run exists already"), new_folder(path):
        # At the last moment.
        path.mkdir()
        (path / ".hidden").write_text("mine")
    with pytest.raises(FileExistsError, match="run exists already"), new_folder(path):
        pass
    assert names(tmp_path) == ["run"]
    assert (path / ".hidden").read_text() == "mine"


def test_a_checkpoint_takes_the_place_of_the_one_before(folder, training):
    for step in (10, 20, 20):
        folder.checkpoint(*training, step, {"b", "a"})
        assert names(folder.path / "checkpoints") == [
            f"step-000000{step}.safetensors",
            f"step-000000{step}.state.safetensors",
        ]
        assert (folder.path / "words.txt").read_text() == "a\nb"


@pytest.mark.parametrize("rest", ["", '{"step": 2, "lo', '{"step": 3}', '{"step": 3}\n{"st'])
def test_metrics_after_a_step_or_cut_off_are_forgotten(folder, rest):
    kept = '{"step": 1, "loss": 2.5}\n{"step": 2}\n'
    folder.add_metrics({"step": 1, "loss": 2.5})
    folder.add_metrics({"step": 2})
    assert metrics(folder) == kept
    (folder.path / "metrics.jsonl").write_text(kept + rest)
    folder.forget_after(2)
    assert metrics(folder) == kept


def exported(runs):
    with new_folder(runs / "small"):
        pass


@pytest.mark.parametrize("make", [exported, clear_left_over])
def test_what_ended_processes_left_is_removed_and_nothing_else(runs, make):
    gone = {LEFT, DELETED + "0123456789abcdef"}
    kept = {HELD, f"{INCOMING}of-mine", f"{DELETED}mail", "mine"}
    for name in gone | kept:
        (runs / name).mkdir()
        (runs / name / "run.json").write_text("half")
    with FileLock(runs / f"{HELD}.lock"):
        make(runs)
    made = {"small"} if make is exported else set()
    assert set(names(runs)) == kept | {f"{HELD}.lock"} | made


@pytest.mark.slow
def test_a_process_that_is_ended_at_work_leaves_its_folder_to_the_next(runs):
    program = (
        "import sys\nfrom pathlib import Path\nfrom core.runs.folder import incoming_folder\n"
        "with incoming_folder(Path(sys.argv[1])):\n    print('made', flush=True)\n    input()\n"
    )
    command = [sys.executable, "-c", program, str(runs)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        assert process.stdout.readline() == b"made\n"
        clear_left_over(runs)
        [room, lock] = names(runs)
        assert (room.startswith(INCOMING), lock) == (True, f"{room}.lock")
        process.terminate()
    clear_left_over(runs)
    assert names(runs) == []


CHANGES = [delete_run, lambda path: rename_run(path, "new")]


@contextmanager
def started(run):
    """Let this process have started a training that does not hold the run yet."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as beginning:
        jobs._started[run.resolve(), TRAINING] = beginning
        RunFolder(run).write_status("starting", 0)
        yield
        del jobs._started[run.resolve(), TRAINING]


@pytest.mark.parametrize("at_work", [held_elsewhere, started, lambda run: FileLock(run / "x.lock")])
@pytest.mark.parametrize("change", CHANGES, ids=["delete", "rename"])
def test_a_run_that_a_process_works_on_is_left_alone(run, change, at_work, content_of):
    with at_work(run):
        before = content_of(run)
        with pytest.raises(RunError, match="another process"):
            change(run)
        assert names(run.parent) == ["mine"]
        assert content_of(run) == before
    change(run)
    assert not run.exists()


@pytest.mark.parametrize("there", ["new", "NEW"])
@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_a_name_that_is_taken_in_any_case_of_letters_is_refused(run, there, make, content_of):
    before = content_of(run)
    make(run.with_name(there))
    with pytest.raises(RunError, match="'new' already"):
        rename_run(run, "new")
    assert names(run.parent) == sorted([there, "mine"])
    assert content_of(run) == before


def test_what_a_broken_deletion_left_stays_hidden_and_goes_with_the_next(run, monkeypatch):
    other = shutil.copytree(run, run.with_name("other"))

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("core.runs.folder.shutil.rmtree", die)
        with pytest.raises(KeyboardInterrupt):
            delete_run(run)
    hidden, shown = names(run.parent)
    assert (hidden[0], shown) == (".", "other")
    delete_run(other)
    assert names(run.parent) == []


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: None])
def test_only_runs_are_renamed_and_deleted(runs, change, make):
    make(runs / "notes")
    before = names(runs)
    with pytest.raises(RunError, match="no such (run|folder)"):
        change(runs / "notes")
    assert names(runs) == before


def test_deleting_a_link_leaves_what_it_leads_to(run, tmp_path, content_of):
    before = content_of(run)
    links = tmp_path / "links"
    links.mkdir()
    (links / "link").symlink_to(run)
    delete_run(links / "link")
    assert names(links) == []
    assert content_of(run) == before
