"""Work in processes of its own, on the smallest job that there is."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from core.installed import ROOT
from core.jobs import job as jobs
from core.jobs.job import JobError, Status, is_worked_on
from core.jobs.process import working
from core.messages import MessageError
from tests.core.conftest import until
from tests.core.counting import COUNTING, count

SECONDS = 120


def child_of(folder):
    return jobs._started[folder.resolve(), COUNTING]


def names(folder):
    return {each.name for each in folder.iterdir()}


def begun(folder, n=1_000_000, seconds=0.01):
    """Start to count, and wait for the first numbers."""
    COUNTING.start(folder, n, seconds)
    until(lambda: COUNTING.status(folder).done > 1 or not COUNTING.status(folder).alive)


def ended(folder):
    until(lambda: not COUNTING.status(folder).alive)
    return COUNTING.status(folder)


def test_work_is_done_in_another_process_and_leaves_its_result_alone(folder):
    assert COUNTING.status(folder) == Status("idle", 0, 0, "")
    COUNTING.start(folder, 3)
    assert COUNTING.status(folder).alive
    assert ended(folder) == Status("idle", 0, 0, "")
    assert names(folder) == {"counted.json"}
    told = json.loads((folder / "counted.json").read_text())
    assert told["found"] == [0, 1, 2]
    assert told["pid"] != os.getpid()


@pytest.mark.parametrize("niceness", [7, 19])
def test_others_come_first_and_an_interrupt_is_not_meant_for_it(folder, monkeypatch, niceness):
    monkeypatch.setenv("JOB_NICENESS", str(niceness))
    COUNTING.start(folder, 1)
    ended(folder)
    counted = json.loads((folder / "counted.json").read_text())
    assert counted["nice"] == min(19, os.nice(0) + niceness)
    # Where Linux weighs sessions against each other, that of the job counts as little.
    assert counted.get("session_nice", niceness) == niceness
    assert counted.get("runs_only_when_idle", niceness == 19) == (niceness == 19)
    # Ctrl-C goes to all processes of a terminal's session that are in front.
    assert counted["session"] == counted["pid"] != os.getsid(0)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone bounds what a process writes to")
def test_work_gets_no_more_memory_than_it_may_and_says_so(folder, monkeypatch):
    monkeypatch.setenv("JOB_MEGABYTES", "2000")
    COUNTING.start(folder, "memory")
    found = ended(folder)
    assert found.state == "failed"
    assert found.message.startswith("more than 2,000 MB of memory are needed")


def test_it_outlives_the_process_that_started_it(folder):
    start = "from tests.core.counting import COUNTING; from pathlib import Path; import sys, time\n"
    start += "COUNTING.start(Path(sys.argv[1]), 100, 0.01); print(flush=True); time.sleep(600)"
    with subprocess.Popen(
        [sys.executable, "-c", start, str(folder)], cwd=ROOT, stdout=subprocess.PIPE
    ) as app:
        app.stdout.readline()
        until(lambda: COUNTING.status(folder).done)
        app.send_signal(signal.SIGKILL)
    assert COUNTING.status(folder).state == "running"
    assert ended(folder).state == "idle"
    assert len(json.loads((folder / "counted.json").read_text())["found"]) == 100


def test_a_pause_keeps_how_far_it_is_and_it_can_be_gone_on_with(folder):
    begun(folder)
    COUNTING.ask(folder, "pause")
    found = ended(folder)
    assert (found.state, found.of, found.message) == ("paused", 1_000_000, "")
    assert found.done > 1
    assert names(folder) == {"count.progress"}
    COUNTING.start(folder, 3)
    assert ended(folder).state == "idle"
    assert (folder / "counted.json").exists()


def test_a_stop_leaves_no_trace(folder):
    begun(folder)
    COUNTING.ask(folder, "stop")
    assert ended(folder) == Status("idle", 0, 0, "")
    assert names(folder) == set()


def test_a_killed_process_is_interrupted_and_the_work_can_be_begun_again(folder):
    begun(folder)
    child_of(folder).kill()
    found = ended(folder)
    assert (found.state, found.of, found.message) == ("interrupted", 1_000_000, "")
    assert not is_worked_on(folder)
    COUNTING.start(folder, 2)
    assert ended(folder).state == "idle"


def test_a_process_that_dies_at_once_has_said_why(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(jobs, "ROOT", tmp_path)
    COUNTING.start(folder, 3)
    assert COUNTING.status(folder).state == "running"
    found = ended(folder)
    assert found.state == "interrupted"
    assert "No module named" in found.message


def test_an_error_that_somebody_has_to_mend_is_told(folder):
    COUNTING.start(folder, "told")
    found = ended(folder)
    assert found == Status("failed", 1, 3, "no more numbers")
    assert child_of(folder).wait(SECONDS) == 2
    assert (folder / "count.log").read_text() == "error: no more numbers\n"
    assert not (folder / "count.lock").exists()


def test_two_apps_that_start_at_once_get_one_result_and_the_second_is_refused(folder):
    command = [sys.executable, "-m", COUNTING.module, str(folder), "300", "0.01"]
    both = [
        subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = {each.communicate(timeout=SECONDS)[1]: each.returncode for each in both}
    assert said == {"": 0, f"error: {folder}: another process is counting here\n": 2}
    assert names(folder) == {"counted.json"}


def refused(*_, **__):
    raise PermissionError(13, "Permission denied")


def test_a_folder_that_cannot_be_written_to_is_an_error_and_nobody_works_there(folder, monkeypatch):
    monkeypatch.setattr(jobs, "write_atomically", refused)
    with pytest.raises(PermissionError):
        COUNTING.start(folder, 3)
    with pytest.raises(PermissionError):
        COUNTING.ask(folder, "stop")
    with pytest.raises(PermissionError):
        next(count(folder, "3"))
    assert (folder.resolve(), COUNTING) not in jobs._started
    assert COUNTING.status(folder) == Status("idle", 0, 0, "")
    assert not is_worked_on(folder)


def test_who_looks_is_noticed_for_a_few_seconds(folder):
    assert not COUNTING.is_watched(folder)
    COUNTING.watch(folder)
    assert COUNTING.is_watched(folder)
    for away in (-60, 60):
        looked = time.time() + away
        os.utime(folder / "count.watched", (looked, looked))
        assert not COUNTING.is_watched(folder)


@pytest.mark.parametrize(
    ("by", "seconds", "counts"), [("me", 0, False), ("it", 0, True), ("it", 99, False)]
)
def test_what_another_app_has_just_started_counts_for_a_while(folder, by, seconds, counts):
    # The process of this app that would be starting is none of those that it started.
    COUNTING.write_progress(folder, "starting", {"by": jobs._ME if by == "me" else by})
    progress = folder / COUNTING.files.progress
    written = progress.stat().st_mtime - seconds
    os.utime(progress, (written, written))
    assert COUNTING.at_work(folder) == is_worked_on(folder) == counts


def test_a_failure_is_told_so_that_a_page_can_say_it_otherwise(folder):
    with pytest.raises(MessageError), working(COUNTING, folder):
        raise MessageError("{n} numbers", n=1200)
    found = COUNTING.status(folder)
    assert found == Status("failed", 0, 0, "1,200 numbers")
    assert found.message.template == "{n} numbers"


def test_nothing_is_written_into_a_folder_that_took_the_place_of_the_held_one(folder):
    steps = count(folder, "3")
    next(steps)
    folder.rename(folder.with_name("moved"))
    folder.mkdir()
    (folder / "count.lock").touch()
    with pytest.raises(JobError, match="removed or replaced"):
        next(steps)
    assert names(folder) == {"count.lock"}
    assert not (folder.with_name("moved") / "counted.json").exists()


def test_who_stops_in_between_leaves_no_hold(folder):
    steps = count(folder, "3")
    next(steps)
    assert is_worked_on(folder)
    steps.close()
    assert COUNTING.status(folder) == Status("interrupted", 1, 3, "")
    assert not is_worked_on(folder)
