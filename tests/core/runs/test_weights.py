import shutil

import pytest
import torch

from core.model import build
from core.runs.checkpoint import save_rounded, save_weights
from core.runs.run import RunError, load_run, read_settings
from core.runs.weights import is_snapshot_step, newest_checkpoint, stops, weights_at


@pytest.fixture
def folder(copy_folder, tmp_path):
    return shutil.copytree(copy_folder, tmp_path / "run")


def test_a_run_can_be_loaded_at_every_stop(folder):
    snapshots = {1, 2, 5, 10, 20}
    assert {0, *snapshots, 30} <= set(stops(folder))
    for step in stops(folder):
        assert load_run(folder, step).step == step


def test_step_0_is_the_model_as_its_seed_makes_it(folder):
    run = load_run(folder, 0)
    fresh = build(run.settings.model, run.settings.training.seed)
    for name, weights in fresh.named_parameters():
        assert torch.equal(weights, dict(run.model.named_parameters())[name])


def test_a_step_that_was_not_kept_is_refused(folder):
    with pytest.raises(RunError, match="no weights of step 7 were kept"):
        load_run(folder, 7)


def test_the_exact_weights_of_a_step_come_before_the_rounded_ones(folder):
    checkpoint = newest_checkpoint(folder)
    rounded = folder / "snapshots" / checkpoint.name
    save_rounded(load_run(folder).model, rounded)
    assert weights_at(folder, 30) == checkpoint
    checkpoint.unlink()
    assert weights_at(folder, 30).parent.name in ("best", "snapshots")


def test_a_run_with_patience_opens_with_its_best_weights(prepare, tmp_path):
    for patience, opened in ((0, 20), (2, 10)):
        path = prepare(tmp_path / str(patience), patience=patience)
        model = build(read_settings(path).model)
        for folder, step in (("checkpoints", 20), ("best", 10)):
            (path / folder).mkdir()
            save_weights(model, path / folder / f"step-{step:08d}.safetensors")
        (path / "words.txt").write_text("a")
        assert load_run(path).step == opened


def test_snapshots_are_log_spaced():
    assert sum(map(is_snapshot_step, range(1, 100_001))) == 16
