import shutil
from functools import partial

import pytest

from core.evaluate.evaluation import evaluate
from core.inspection import inspect_sentence
from core.runs.run import RunError, load_run
from core.runs.weights import stops
from core.training import export
from core.training.export import export_run


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(export, "evaluate", partial(evaluate, n=5))


def test_snapshots_that_are_asked_for_go_with_a_run(copy_folder, tmp_path):
    export_run(copy_folder, tmp_path / "small", [2, 10])
    assert stops(tmp_path / "small") == (0, 2, 10, 30)
    for step in (0, 2, 10):
        runs = [load_run(path, step) for path in (copy_folder, tmp_path / "small")]
        maps = [inspect_sentence(run, "a b c").attention for run in runs]
        for site, attention in maps[0].items():
            assert (attention.weights_HQK == maps[1][site].weights_HQK).all()


def test_a_snapshot_that_was_not_kept_is_named_and_nothing_is_written(copy_folder, tmp_path):
    with pytest.raises(RunError, match="no snapshot of step 3 was kept"):
        export_run(copy_folder, tmp_path / "small", [2, 3])
    assert not (tmp_path / "small").exists()


def test_without_snapshots_only_the_beginning_and_the_end_are_there(copy_folder, tmp_path):
    export_run(copy_folder, tmp_path / "small")
    assert stops(tmp_path / "small") == (0, 30)


def test_a_run_with_patience_is_given_away_with_its_best_weights(copy_folder, tmp_path):
    patient = shutil.copytree(copy_folder, tmp_path / "patient")
    settings = (patient / "run.json").read_text()
    (patient / "run.json").write_text(settings.replace('"patience": 0', '"patience": 2'))
    newest = next((patient / "best").glob("step-*.safetensors"))
    newest.rename(newest.with_name("step-00000015.safetensors"))
    export_run(patient, tmp_path / "small")
    assert load_run(tmp_path / "small").step == 15
