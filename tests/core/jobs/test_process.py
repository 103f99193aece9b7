from dataclasses import replace

import pytest

from core.jobs.job import Files, JobError, Status, is_worked_on
from core.jobs.process import locked, working
from core.runs.folder import TRAINING
from tests.core.counting import COUNTING, count
from tests.core.jobs.test_job import names


def test_a_folder_that_is_gone_does_not_come_back(folder):
    folder.rmdir()
    for begin in (lambda: COUNTING.start(folder, 3), lambda: next(count(folder, "3"))):
        with pytest.raises(JobError, match="no such folder"):
            begin()
    assert not folder.exists()


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


class GivesUpError(BaseException):
    """As a library raises where it cannot go on."""


@pytest.mark.parametrize("error", [GivesUpError, MemoryError, RecursionError])
def test_whatever_ends_a_job_is_said_to_have_failed_it(folder, error):
    with pytest.raises(error), working(COUNTING, folder):
        raise error("it broke")
    assert COUNTING.status(folder).state == "failed"
    assert "it broke" in COUNTING.status(folder).message


def test_different_work_on_one_folder_goes_on_side_by_side(folder):
    other = replace(COUNTING, files=Files.named("other"))
    with working(COUNTING, folder), working(other, folder), locked(TRAINING, folder):
        assert COUNTING.is_held(folder)
        assert other.is_held(folder)
        assert TRAINING.is_held(folder)
    # Runs that exist have this one, and nothing is in it.
    assert names(folder) == {".lock"}
    assert not is_worked_on(folder)


def test_work_that_goes_on_counts_from_where_it_was(folder):
    with working(COUNTING, folder) as held:
        told = [(item, COUNTING.status(folder).done) for item in held.counted("cd", of=4, done=2)]
    assert told == [("c", 3), ("d", 4)]
