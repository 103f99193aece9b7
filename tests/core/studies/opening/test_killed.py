"""Whatever moment an import is killed at, its run is there whole or not at all."""

import contextlib
import io
import shutil

import pytest
import torch

from core.__main__ import main
from core.runs.run import load_run
from tests.core.families.folders import write_folder
from tests.killing import FORKS, killed_again_and_again, seconds_of


def bring_in(source, path):
    """Do what `python -m core import` does, without its words."""
    torch.set_num_threads(1)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(["import", str(source), str(path)])
    assert status == 0, said.getvalue()


def contents(folder):
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each.name != ".lock")
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


@pytest.mark.slow
def test_an_import_killed_again_and_again_is_whole_or_not_there(copy_folder, tmp_path):
    FORKS.set_forkserver_preload([__name__])
    source, runs = tmp_path / "model", tmp_path / "runs"
    write_folder(source, "gpt2")
    other = shutil.copytree(copy_folder, runs / "other")
    before = contents(other)
    path = runs / "mine"
    longest = seconds_of(bring_in, source, path)
    whole = contents(path)
    shutil.rmtree(path)

    def check(ended):
        assert path.exists() or not ended
        assert {each.name for each in runs.glob("[!.]*")} <= {"mine", "other"}
        if path.exists():
            assert contents(path) == whole
            shutil.rmtree(path)
        assert contents(other) == before

    killed_again_and_again(bring_in, source, path, longest=longest, check=check)
    seconds_of(bring_in, source, path)
    assert contents(path) == whole
    load_run(path)
