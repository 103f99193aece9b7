import itertools
import json
import random

import pytest
import torch

from core.config import ConfigError
from core.model import Transformer
from core.run import RunError, load_run, newest_checkpoint, read_settings
from core.tasks import TASKS, CorpusError, Sample
from core.training import job
from core.training.job import extend_run, prepare_run, train_run
from core.training.loop import TrainingError


def finish(path):
    return list(train_run(path))


def metrics(path, but=("tokens_per_second",)):
    lines = (path / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if name not in but}
        for line in lines
    ]


def status(path):
    return json.loads((path / "status.json").read_text())


def test_a_finished_run_holds_all_its_files(copy_folder):
    assert {each.name for each in copy_folder.iterdir()} == {
        "run.json",
        "tokenizer.json",
        "words.txt",
        "metrics.jsonl",
        "status.json",
        "checkpoints",
        ".lock",
    }
    assert {each.name for each in (copy_folder / "checkpoints").iterdir()} == {
        "step-00000030.safetensors",
        "step-00000030.state.safetensors",
    }
    assert (status(copy_folder)["state"], status(copy_folder)["step"]) == ("finished", 30)


def test_metrics_have_a_line_every_ten_steps_and_whenever_held_out_samples_are_measured(
    copy_folder,
):
    records = metrics(copy_folder, but=())
    assert [record["step"] for record in records] == [10, 15, 20, 30]
    every_line = {"step", "loss", "learning_rate", "tokens_per_second"}
    held_out = {"held_out_loss", "held_out_exact_match", "held_out_token_accuracy"}
    for record in records:
        due = record["step"] in (15, 30)
        assert set(record) == (every_line | held_out if due else every_line)


def test_a_line_of_metrics_holds_the_mean_loss_since_the_line_before(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=17)
    losses = [progress.train_step.loss for progress in finish(path)]
    lines = {record["step"]: record["loss"] for record in metrics(path)}
    assert list(lines) == [10, 15, 17]
    assert lines[10] == pytest.approx(sum(losses[:10]) / 10)
    assert lines[15] == pytest.approx(sum(losses[10:15]) / 5)
    assert lines[17] == pytest.approx(sum(losses[15:]) / 2)


def test_guided_run_tells_the_guided_heads_loss(translation_folder):
    assert all(record["guide_loss"] > 0 for record in metrics(translation_folder))


class TornError(Exception):
    """Something that ends a training where it stands."""


def tear(training):
    with pytest.raises(TornError):
        training.throw(TornError)


@pytest.mark.parametrize("stopped_at", [8, 11])
def test_going_on_from_a_checkpoint_equals_never_having_stopped(prepare, tmp_path, stopped_at):
    """With dropout and 0.1 label smoothing, so that the random state matters."""
    settings = {"steps": 20, "checkpoint_every": 8, "evaluate_every": 5}
    whole = prepare(tmp_path / "whole", **settings)
    finish(whole)
    parts = prepare(tmp_path / "parts", **settings)
    torn = train_run(parts)
    list(itertools.islice(torn, stopped_at))
    tear(torn)
    assert status(parts)["state"] == "stopped"
    with (parts / "metrics.jsonl").open("a") as file:
        file.write('{"step": 12, "lo')
    # Another process begins with another random state.
    torch.manual_seed(999)
    random.seed(999)
    assert [each.train_step.step for each in finish(parts)] == list(range(9, 21))
    assert stored(parts) == stored(whole)
    assert metrics(parts) == metrics(whole)
    assert (parts / "words.txt").read_text() == (whole / "words.txt").read_text()
    assert status(parts)["state"] == "finished"


def stored(path):
    """Return the bytes of the newest weights and of the state beside them."""
    weights = newest_checkpoint(path)
    return weights.read_bytes(), weights.with_suffix(".state.safetensors").read_bytes()


def test_a_run_torn_before_its_first_checkpoint_begins_anew(prepare, tmp_path):
    settings = {"steps": 6, "checkpoint_every": 5}
    whole = prepare(tmp_path / "whole", **settings)
    finish(whole)
    parts = prepare(tmp_path / "parts", **settings)
    torn = train_run(parts)
    list(itertools.islice(torn, 3))
    tear(torn)
    finish(parts)
    assert metrics(parts) == metrics(whole)
    assert newest_checkpoint(parts).read_bytes() == newest_checkpoint(whole).read_bytes()


@pytest.mark.parametrize("stopped_at", [1, 8, 11])
def test_who_stops_a_training_loses_nothing(prepare, tmp_path, stopped_at):
    settings = {"steps": 20, "checkpoint_every": 8, "evaluate_every": 5}
    whole = prepare(tmp_path / "whole", **settings)
    finish(whole)
    parts = prepare(tmp_path / "parts", **settings)
    stopped = train_run(parts)
    list(itertools.islice(stopped, stopped_at))
    stopped.close()
    assert (status(parts)["state"], status(parts)["step"]) == ("stopped", stopped_at)
    assert load_run(parts).step == stopped_at
    assert metrics(parts)[-1]["step"] == stopped_at
    torch.manual_seed(999)
    assert [each.train_step.step for each in finish(parts)] == list(range(stopped_at + 1, 21))
    assert stored(parts) == stored(whole)


def test_a_run_is_trained_by_one_at_a_time(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=4)
    first = train_run(path)
    next(first)
    with pytest.raises(RunError, match="another process is training this run"):
        next(train_run(path))
    first.close()
    assert [each.train_step.step for each in finish(path)] == [2, 3, 4]


def test_another_seed_is_another_training(prepare, tmp_path):
    runs = [prepare(tmp_path / str(seed), steps=2, seed=seed) for seed in (0, 1)]
    for path in runs:
        finish(path)
    assert metrics(runs[0]) != metrics(runs[1])


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


def test_extending_to_no_steps_is_refused(prepare, tmp_path):
    path = prepare(tmp_path / "run", steps=3)
    with pytest.raises(ConfigError, match="steps is 0"):
        extend_run(path, 0)
    assert read_settings(path).training.steps == 3


def test_known_words_are_those_of_the_training_batches(copy_run, translation_run):
    assert copy_run.known_words == set("abcdefghijklmnopqrstuvwxyz")
    assert {"The", "."} <= translation_run.known_words
    assert "Zorbik" not in translation_run.known_words


def test_a_loss_that_is_no_number_leaves_the_run_stopped(prepare, tmp_path, monkeypatch):
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
    assert (status(path)["state"], status(path)["step"]) == ("stopped", 2)
    assert newest_checkpoint(path).name == "step-00000002.safetensors"


def test_quality_is_measured_on_held_out_samples(prepare, tmp_path, monkeypatch):
    measured = []

    def noting(model, pairs):
        measured.extend(pairs)
        return measure(model, pairs)

    measure = job.measure
    monkeypatch.setattr(job, "measure", noting)
    finish(prepare(tmp_path / "run", steps=1))
    assert measured
    assert all(TASKS["copy"].held_out(Sample(pair.text, "")) for pair in measured)


def test_preparing_refuses_a_folder_that_has_something(prepare, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="exists already"):
        prepare(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("task", "guide", "message"),
    [
        ("copy", "encoder.0.self:0", "no pronouns"),
        ("translate", "decoder.0.self:0", "never sees the source"),
        ("translate", "encoder.9.self:0", "no head of this model"),
        ("translate", "encoder.0.self:2", "no head of this model"),
        ("translate", "decoder.1.cross:0", "no head of this model"),
        ("translate", "bla", "not a head such as"),
        ("translate", "encoder.0.cross:0", "not a site such as"),
    ],
)
def test_a_head_that_cannot_be_guided_is_refused_before_anything_is_written(
    prepare, tmp_path, task, guide, message
):
    with pytest.raises(ConfigError, match=message):
        prepare(tmp_path / "run", task, guide=guide)
    assert not (tmp_path / "run").exists()


def test_a_task_that_is_none_is_refused_before_anything_is_written(miniature, tmp_path):
    with pytest.raises(CorpusError, match="paste"):
        prepare_run(tmp_path / "run", "paste", "x", miniature, miniature.training, "")
    assert not (tmp_path / "run").exists()


def test_a_damaged_tokenizer_is_named_when_going_on(prepare, tmp_path):
    path = prepare(tmp_path / "run")
    (path / "tokenizer.json").write_text("{")
    with pytest.raises(RunError, match=r"run: .*tokenizer"):
        next(train_run(path))


def test_no_run_cannot_be_trained(tmp_path):
    with pytest.raises(RunError, match=r"run\.json"):
        next(train_run(tmp_path))
