"""Whatever moment an import, a measuring or an experiment is killed at, what is there is whole."""

import contextlib
import io
import shutil
from dataclasses import replace

import pytest
import torch

from core.__main__ import main
from core.runs.checkpoint import newest_checkpoint
from core.runs.files import HEADS
from core.runs.run import load_run
from core.studies.effects.measuring import measured_effects, stored_effects
from core.studies.experiments import EXPERIMENTS, running
from core.studies.experiments.results import Results
from tests.core.conftest import draw_few
from tests.core.library.folders import write_folder
from tests.core.studies.experiments.test_running import TINY
from tests.killing import FORKS, killed_again_and_again, seconds_of


def command(*words):
    """Do what `python -m core` does, without its words."""
    torch.set_num_threads(1)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main([str(word) for word in words])
    assert status == 0, said.getvalue()


def experiment(out):
    EXPERIMENTS[TINY.name] = TINY
    draw_few(pytest.MonkeyPatch())
    running.N_MEASURED = 30
    command("experiment", "run", TINY.name, out, "--seeds", "1")


def contents(folder):
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each.name != ".lock")
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


@pytest.fixture(autouse=True)
def preloaded():
    FORKS.set_forkserver_preload([__name__, "torch._dynamo"])


@pytest.mark.slow
def test_an_import_killed_again_and_again_is_whole_or_not_there(copy_folder, tmp_path):
    source, runs = tmp_path / "model", tmp_path / "runs"
    write_folder(source, "gpt2")
    other = shutil.copytree(copy_folder, runs / "other")
    before = contents(other)
    path = runs / "mine"
    longest = seconds_of(command, "import", source, path)
    whole = contents(path)
    shutil.rmtree(path)

    def check(ended):
        assert path.exists() or not ended
        assert {each.name for each in runs.glob("[!.]*")} <= {"mine", "other"}
        if path.exists():
            assert contents(path) == whole
            shutil.rmtree(path)
        assert contents(other) == before

    killed_again_and_again(command, "import", source, path, longest=longest, check=check)
    command("import", source, path)
    assert contents(path) == whole
    load_run(path)


def measure(path):
    torch.set_num_threads(1)
    list(measured_effects(load_run(path), 20))


@pytest.mark.slow
def test_a_measuring_killed_again_and_again_leaves_a_whole_run(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")

    def others():
        # All but what a measuring writes.
        return {name: each for name, each in contents(path).items() if "heads." not in name}

    before, longest = others(), seconds_of(measure, path)
    expected = stored_effects(load_run(path))

    def check(ended):
        assert others() == before
        # It may have been killed between its last word and its end.
        assert stored_effects(load_run(path)) in ((expected,) if ended else (None, expected))
        # So that the next one, too, has all to write.
        (path / HEADS).unlink(missing_ok=True)

    killed_again_and_again(measure, path, longest=longest, check=check)
    measure(path)
    assert stored_effects(load_run(path)) == expected


def found(out):
    """Return what came out but how long it took."""
    results = Results.found(TINY.name, out)
    return results and [
        replace(each, seconds=0.0, curve={**each.curve, "seconds": []}) for each in results.trained
    ]


@pytest.mark.slow
def test_an_experiment_killed_again_and_again_finds_the_same(tmp_path):
    out = tmp_path / "out"
    longest = seconds_of(experiment, out)
    expected = found(out)
    assert [each.variant for each in expected] == [each.name for each in TINY.variants]
    shutil.rmtree(out)

    def check(ended):
        # The last file may be there when it is killed.
        assert found(out) in ((expected,) if ended else (None, expected))
        for path in out.glob("runs/*"):
            if newest_checkpoint(path):
                load_run(path)
        if ended:
            shutil.rmtree(out)

    killed_again_and_again(experiment, out, longest=longest / 2, check=check)
    seconds_of(experiment, out)
    assert found(out) == expected
