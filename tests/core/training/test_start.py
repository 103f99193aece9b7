import itertools
import json
from dataclasses import replace
from functools import partial

import pytest
import torch

from core.config import ConfigError
from core.evaluate.evaluation import evaluate
from core.runs.archive import archive_run, unpack_run
from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError, load_run, read_settings
from core.tasks import TASKS
from core.training import export, prepare, workers
from core.training.trainer import train_run
from tests.core.conftest import MINIATURE

RISK = {"objective": "minimum_risk", "samples": 3, "batch_size": 4}


def begun(path, start, task="copy", **training):
    preset = replace(MINIATURE, training=replace(MINIATURE.training, **training))
    prepare.prepare_run(path, TASKS[task], "miniature", preset, "a command", start=start)
    return path


@pytest.fixture(autouse=True)
def few(few_samples):
    """Draw few samples."""


def weights(run):
    return dict(run.model.named_parameters())


def test_a_run_begins_with_the_weights_the_tokenizer_and_the_words_of_another(
    copy_folder, copy_run, tmp_path
):
    path = begun(tmp_path / "run", copy_folder, "reverse", steps=2)
    at_start = load_run(path, 0)
    assert not at_start.is_untrained
    for name, weight in weights(at_start).items():
        assert torch.equal(weight, weights(copy_run)[name])
    assert (path / "tokenizer.json").read_bytes() == (copy_folder / "tokenizer.json").read_bytes()
    assert at_start.known_words == copy_run.known_words
    assert read_settings(path).start == "copy, step 30"
    fresh = begun(tmp_path / "fresh", None, "reverse", steps=2)
    first, of_fresh = (next(train_run(each)).train_step.loss for each in (path, fresh))
    assert first < of_fresh - 0.5


def test_processes_that_train_together_begin_with_the_same_weights(copy_folder, tmp_path):
    """They get a copy of the files, and once there is a checkpoint that takes the start's place."""
    path, start = begun(tmp_path / "run", copy_folder, steps=1), "start/step-00000000.safetensors"
    assert workers._files(path)[start] == (path / start).read_bytes()
    list(train_run(path))
    assert start not in workers._files(path)


def test_going_on_after_a_stop_equals_never_having_stopped(copy_folder, tmp_path):
    settings = {"steps": 6, "checkpoint_every": 4, **RISK}
    whole = begun(tmp_path / "whole", copy_folder, **settings)
    assert len(list(train_run(whole))) == 6
    for stop in (2, 5):
        parts = begun(tmp_path / f"parts-{stop}", copy_folder, **settings)
        training = train_run(parts)
        list(itertools.islice(training, stop))
        training.close()
        torch.manual_seed(999)
        assert [each.train_step.step for each in train_run(parts)] == list(range(stop + 1, 7))
        assert newest_checkpoint(parts).read_bytes() == newest_checkpoint(whole).read_bytes()


@pytest.mark.parametrize("objective", ["minimum_risk", "self_critical"])
def test_rewards_are_written_among_the_metrics(copy_folder, tmp_path, objective):
    path = begun(tmp_path / "run", copy_folder, **(RISK | {"objective": objective, "steps": 2}))
    steps = [each.train_step for each in train_run(path)]
    assert all(0 <= step.reward <= 1 for step in steps)
    [row] = map(json.loads, (path / "metrics.jsonl").read_text().splitlines())
    assert row["reward"] == pytest.approx(sum(step.reward for step in steps) / 2)
    # What was made large is no cross-entropy; that is measured on held-out rows.
    assert "loss" not in row
    assert row["held_out_loss"] > 0


def test_a_run_of_another_model_or_none_cannot_be_begun_with(copy_folder, tmp_path):
    other = replace(MINIATURE, model=replace(MINIATURE.model, d_ff=40))
    with pytest.raises(ConfigError, match="another model than the one to be trained: d_ff"):
        prepare.prepare_run(
            tmp_path / "run", TASKS["copy"], "miniature", other, "", start=copy_folder
        )
    with pytest.raises(RunError):
        begun(tmp_path / "run", tmp_path / "nowhere")
    assert not (tmp_path / "run").exists()


def test_what_is_given_away_still_shows_where_it_began(
    copy_folder, copy_run, tmp_path, monkeypatch
):
    monkeypatch.setattr(export, "evaluate", partial(evaluate, n=5))
    path = begun(tmp_path / "run", copy_folder, steps=1)
    list(train_run(path))
    export.export_run(path, tmp_path / "small")
    archive_run(path, tmp_path / "run.zip")
    taken_in = unpack_run((tmp_path / "run.zip").read_bytes(), tmp_path / "others")
    for folder in (tmp_path / "small", taken_in):
        for name, weight in weights(load_run(folder, 0)).items():
            assert torch.allclose(weight, weights(copy_run)[name], atol=2e-3)
