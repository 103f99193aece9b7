import itertools
import json
import random
import time
from dataclasses import replace
from functools import partial

import pytest
import torch

from core.config import ConfigError
from core.evaluate.evaluation import evaluate
from core.model import Transformer
from core.runs.checkpoint import best_weights, newest_checkpoint
from core.runs.folder import TRAINING, RunFolder
from core.runs.run import RunError, load_run, read_settings
from core.tasks import TASKS, Sample
from core.training import prepare, trainer
from core.training.loop import TrainingError
from core.training.prepare import extend_run
from core.training.trainer import complete_run, train_run
from tests.core.conftest import MINIATURE


def finish(path):
    return list(train_run(path))


def metrics(path, but=("tokens_per_second", "seconds")):
    lines = (path / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if name not in but}
        for line in lines
    ]


def status(path):
    return json.loads((path / "status.json").read_text())


def test_a_line_of_metrics_holds_the_mean_loss_since_the_line_before(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=17)
    losses = [progress.train_step.loss for progress in finish(path)]
    lines = {record["step"]: record["loss"] for record in metrics(path)}
    assert list(lines) == [10, 15, 17]
    assert lines[10] == pytest.approx(sum(losses[:10]) / 10)
    assert lines[15] == pytest.approx(sum(losses[10:15]) / 5)
    assert lines[17] == pytest.approx(sum(losses[15:]) / 2)


class TornError(Exception):
    """Something that ends a training where it stands."""


def tear(training):
    with pytest.raises(TornError):
        training.throw(TornError)


@pytest.mark.slow
@pytest.mark.parametrize("stopped_at", [3, 11])
def test_going_on_from_a_checkpoint_equals_never_having_stopped(prepare, tmp_path, stopped_at):
    """With dropout and 0.1 label smoothing, so that the random state matters."""
    settings = {"steps": 20, "checkpoint_every": 8, "evaluate_every": 5}
    whole = prepare(tmp_path / "whole", **settings)
    finish(whole)
    parts = prepare(tmp_path / "parts", **settings)
    torn = train_run(parts)
    list(itertools.islice(torn, stopped_at))
    tear(torn)
    assert status(parts)["state"] == "failed"
    with (parts / "metrics.jsonl").open("a") as file:
        file.write('{"step": 12, "lo')
    # Another process begins with another random state.
    torch.manual_seed(999)
    random.seed(999)
    assert [each.train_step.step for each in finish(parts)] == list(
        range(9, 21) if stopped_at > 8 else range(1, 21)
    )
    assert stored(parts) == stored(whole)
    assert metrics(parts) == metrics(whole)
    assert (parts / "words.txt").read_text() == (whole / "words.txt").read_text()
    assert status(parts)["state"] == "finished"


def stored(path):
    """Return the bytes of all weights and states that are kept."""
    found = sorted(path.glob("*/*.safetensors"))
    assert newest_checkpoint(path) in found
    return {str(file.relative_to(path)): file.read_bytes() for file in found}


def test_a_finished_run_has_nothing_left_to_do_until_it_is_extended(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    finish(path)
    weights = newest_checkpoint(path).read_bytes()
    assert finish(path) == []
    assert newest_checkpoint(path).read_bytes() == weights
    assert [record["step"] for record in metrics(path)] == [3]
    extend_run(path, 5)
    assert [each.train_step.step for each in finish(path)] == [4, 5]
    assert read_settings(path).training.steps == 5
    assert load_run(path).step == 5


def test_a_loss_that_is_no_number_ends_the_training_and_is_told(prepare, tmp_path, monkeypatch):
    def broken(self, *arguments):
        logits_BTV = forward(self, *arguments)
        return logits_BTV * float("nan") if self.training else logits_BTV

    path = prepare(tmp_path / "run", steps=4, checkpoint_every=2)
    steps = train_run(path)
    list(itertools.islice(steps, 2))
    forward = Transformer.forward
    monkeypatch.setattr(Transformer, "forward", broken)
    with pytest.raises(TrainingError, match="nan at step 3"):
        next(steps)
    assert (status(path)["state"], status(path)["step"]) == ("failed", 2)
    assert status(path)["message"] == "the loss is nan at step 3"
    assert newest_checkpoint(path).name == "step-00000002.safetensors"


def test_quality_is_measured_on_held_out_samples(prepare, tmp_path, monkeypatch):
    measured = []

    def noting(model, pairs, tokenizer):
        measured.extend(pairs)
        return measure(model, pairs, tokenizer)

    measure = trainer.measure
    monkeypatch.setattr(trainer, "measure", noting)
    finish(prepare(tmp_path / "run", steps=1))
    assert measured
    assert all(TASKS["copy"].held_out(Sample(pair.text, "")) for pair in measured)


def with_losses(monkeypatch, losses):
    """Let held-out losses be these, one after the other."""
    given = iter(losses)

    def measured(model, pairs, tokenizer):
        return replace(measure(model, pairs, tokenizer), loss=next(given))

    measure = trainer.measure
    monkeypatch.setattr(trainer, "measure", measured)


@pytest.mark.slow
def test_training_stops_early_and_the_run_opens_with_its_best_weights(
    prepare, tmp_path, monkeypatch
):
    with_losses(monkeypatch, [3.0, 2.0, 2.5, 2.0, 2.2, 1.0])
    path = prepare(tmp_path / "run", steps=60, evaluate_every=5, patience=3)
    paused = train_run(path)
    list(itertools.islice(paused, 17))
    paused.close()
    # Evaluations before the pause count.
    assert finish(path)[-1].train_step.step == 25
    assert status(path)["state"] == "finished"
    assert status(path)["message"].startswith("stopped early")
    assert best_weights(path).name == "step-00000010.safetensors"
    assert load_run(path).step == 10
    assert newest_checkpoint(path).name == "step-00000025.safetensors"


@pytest.mark.parametrize(("wish", "evaluated"), [("pause", False), ("stop", True)])
def test_what_is_asked_ends_the_training_after_the_step(
    prepare, tmp_path, monkeypatch, wish, evaluated
):
    monkeypatch.setattr(trainer, "evaluate", partial(evaluate, n=5))
    path = prepare(tmp_path / "run", steps=50)
    training = complete_run(path)
    next(training)
    TRAINING.ask(path, wish)
    assert [each.train_step.step for each in training] == [2]
    assert TRAINING.asked(path) is None
    states = {"pause": "paused", "stop": "stopped"}
    assert (status(path)["state"], status(path)["step"]) == (states[wish], 2)
    assert load_run(path).step == 2
    assert (path / "evaluation.json").exists() == evaluated
    # What was asked of this training is not asked of the next.
    assert next(train_run(path)).train_step.step == 3


def test_a_clock_that_jumps_changes_no_figure(prepare, tmp_path, monkeypatch):
    clock = itertools.cycle([4e9, 0.0, 2e9])
    monkeypatch.setattr(time, "time", lambda: next(clock))
    path = prepare(tmp_path / "run", steps=20)
    finish(path)
    seconds = [json.loads(line)["seconds"] for line in (path / "metrics.jsonl").open()]
    assert seconds == sorted(seconds)
    assert 0 < seconds[-1] < 1000


def test_the_best_weights_survive_a_kill_after_better_ones(prepare, tmp_path, monkeypatch):
    with_losses(monkeypatch, [3.0, 1.0, 2.0, 2.0])
    path = prepare(tmp_path / "run", steps=20, evaluate_every=5, checkpoint_every=7, patience=9)
    torn = train_run(path)
    list(itertools.islice(torn, 12))
    assert best_weights(path).name == "step-00000010.safetensors"
    tear(torn)
    again = train_run(path)
    next(again)
    again.close()
    # Back at step 7, the best that was measured is that of step 5.
    assert best_weights(path).name == "step-00000005.safetensors"
    assert load_run(path).step == 5


def test_a_training_that_cannot_begin_says_why(prepare, tmp_path):
    path = prepare(tmp_path / "run")
    (path / "metrics.jsonl").write_text('{"step": 0, "loss": "low"}\n')
    with pytest.raises(RunError, match=r"metrics\.jsonl is damaged"):
        finish(path)
    assert status(path)["state"] == "failed"
    assert "metrics.jsonl is damaged" in status(path)["message"]


def test_nothing_is_called_ended_before_it_is_measured(prepare, tmp_path, monkeypatch):
    told = []
    write = RunFolder.write_status

    def noted(self, state, *others):
        told.append(state)
        write(self, state, *others)

    monkeypatch.setattr(RunFolder, "write_status", noted)
    list(complete_run(prepare(tmp_path / "run", steps=3)))
    assert list(dict.fromkeys(told)) == ["running", "evaluating", "finished"]


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
