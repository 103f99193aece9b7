import os

import pytest

from core.runs.folder import DELETED, INCOMING, clear_left_over, incoming_folder, new_folder

OLD, NOW, TO_COME = (f"{INCOMING}{name}" for name in ("long_ago", "just_now", "to__come"))


@pytest.fixture
def left(runs):
    """Names that killed processes leave, and others that look like them."""
    gone = {OLD, DELETED + "0123456789abcdef"}
    kept = {NOW, TO_COME, f"{INCOMING}of-mine", f"{DELETED}mail", "mine"}
    for name in gone | kept:
        (runs / name).mkdir()
        (runs / name / "run.json").write_text("half")
        os.utime(runs / name, (0, 0))
    os.utime(runs / NOW)
    # The clock was set back while it is being made.
    os.utime(runs / TO_COME, (4e9, 4e9))
    return kept


def names(folder):
    return {each.name for each in folder.iterdir()}


def test_what_was_left_long_ago_is_removed_and_nothing_else(runs, left):
    clear_left_over(runs)
    assert names(runs) == left


def exported(runs):
    with new_folder(runs / "small"):
        pass


@pytest.mark.parametrize("make", [exported, incoming_folder])
def test_whoever_makes_a_run_removes_what_killed_processes_left(runs, left, make):
    make(runs)
    [made] = names(runs) - left
    assert made == "small" or made.startswith(INCOMING)


def test_a_folder_of_runs_is_made_where_there_is_none(tmp_path):
    assert incoming_folder(tmp_path / "new" / "runs").parent == tmp_path / "new" / "runs"
