from functools import partial

import numpy as np
import pytest
from safetensors.numpy import load_file

from core.evaluate.evaluation import evaluate
from core.inspection import inspect_sentence
from core.runs.checkpoint import CHECKPOINTS, stops, weights_in
from core.runs.run import RunError, load_run
from core.tasks import Sample
from core.tasks.corpus import Corpus
from core.training import export
from core.training.export import average_run, export_run
from core.training.trainer import train_run


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(export, "evaluate", partial(evaluate, n=5))


@pytest.mark.slow
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


@pytest.fixture
def kept(prepare, tmp_path):
    """A run of 20 steps with the weights of the last three checkpoints."""
    path = prepare(tmp_path / "kept", steps=20, checkpoint_every=5, keep_checkpoints=3)
    for _ in train_run(path):
        pass
    return path


def test_so_many_checkpoints_are_kept_with_the_state_of_the_newest(kept):
    names = {file.name for file in (kept / CHECKPOINTS).iterdir()}
    steps = {f"step-000000{step}.safetensors" for step in (10, 15, 20)}
    assert names == steps | {"step-00000020.state.safetensors"}


@pytest.mark.slow
def test_an_averaged_run_has_the_mean_of_the_last_weights(kept, tmp_path):
    average_run(kept, tmp_path / "mean", 2)
    [mean] = weights_in(tmp_path / "mean", CHECKPOINTS)
    found, before = load_file(mean), [load_file(file) for file in weights_in(kept, CHECKPOINTS)]
    for name, tensor in found.items():
        expected = np.mean([each[name].astype(np.float64) for each in before[-2:]], axis=0)
        assert np.allclose(tensor, expected, rtol=0, atol=1e-7)
        assert tensor.dtype == np.float32
    run = load_run(tmp_path / "mean")
    assert run.step == 20
    first, then = run.settings.command.splitlines()
    assert first == load_run(kept).settings.command
    assert then == f"python -m core average {kept} {tmp_path / 'mean'} --last 2"
    assert run.evaluation == evaluate(run, n=5)


def test_own_pairs_stay_where_nothing_else_could_measure_the_run(prepare, tmp_path):
    mine = Corpus("mine", [Sample(f"cat {n}", f"chat {n}") for n in range(60)])
    run = prepare(tmp_path / "mine", mine, steps=2)
    for _ in train_run(run):
        pass
    with pytest.raises(RunError, match="its pairs are all that it can be measured by"):
        export_run(run, tmp_path / "small", pairs=False)
    assert not (tmp_path / "small").exists()


def test_what_must_be_said_of_a_run_goes_with_it(copy_folder, tmp_path):
    export_run(copy_folder, tmp_path / "small", notice="From Tatoeba,\n CC BY 2.0 FR.")
    assert load_run(copy_folder).notice == ""
    assert load_run(tmp_path / "small").notice == "From Tatoeba, CC BY 2.0 FR."
    export_run(tmp_path / "small", tmp_path / "smaller")
    assert load_run(tmp_path / "smaller").notice == "From Tatoeba, CC BY 2.0 FR."
    (tmp_path / "small" / "NOTICE").write_text("long " * 1000)
    assert len(load_run(tmp_path / "small").notice) == 500
