import json
import os

import pytest
import torch

from core.model import build
from core.run import newest_checkpoint, read_settings
from core.tokenizer import Tokenizer
from core.training.loop import make_optimizer
from core.training.rundir import RunFolder, versions


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


def write_metrics(folder, text):
    folder.path.mkdir(exist_ok=True)
    (folder.path / "metrics.jsonl").write_text(text, encoding="utf-8")


def metrics(folder):
    return (folder.path / "metrics.jsonl").read_text(encoding="utf-8")


def test_a_run_begins_with_its_settings_and_tokenizer(folder, copy_run):
    folder.begin(copy_run.settings, copy_run.tokenizer)
    assert sorted(each.name for each in folder.path.iterdir()) == ["run.json", "tokenizer.json"]
    assert read_settings(folder.path) == copy_run.settings
    text = (folder.path / "tokenizer.json").read_text(encoding="utf-8")
    assert Tokenizer.from_json(text).encode("a b").ids == copy_run.tokenizer.encode("a b").ids


def test_an_empty_folder_can_become_a_run(folder, copy_run):
    folder.path.mkdir()
    folder.begin(copy_run.settings, copy_run.tokenizer)
    assert read_settings(folder.path) == copy_run.settings


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "run.json"])
def test_a_folder_with_something_in_it_is_refused_and_left_alone(folder, copy_run, name):
    folder.path.mkdir()
    (folder.path / name).write_text("mine")
    with pytest.raises(FileExistsError, match="run exists already"):
        folder.begin(copy_run.settings, copy_run.tokenizer)
    assert [each.name for each in folder.path.iterdir()] == [name]
    assert (folder.path / name).read_text() == "mine"


def test_a_file_in_the_runs_place_is_refused(folder, copy_run):
    folder.path.write_text("mine")
    with pytest.raises(FileExistsError, match="run exists already"):
        folder.begin(copy_run.settings, copy_run.tokenizer)
    assert folder.path.read_text() == "mine"


def checkpoints(folder):
    return sorted(each.name for each in (folder.path / "checkpoints").iterdir())


def test_a_checkpoint_takes_the_place_of_the_one_before(folder, copy_run):
    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    for step in (10, 20):
        folder.checkpoint(model, optimizer, step, {"b", "a"})
        assert checkpoints(folder) == [
            f"step-000000{step}.safetensors",
            f"step-000000{step}.state.safetensors",
        ]
        assert (folder.path / "words.txt").read_text() == "a\nb"


def test_a_checkpoint_whose_weights_cannot_be_written_leaves_the_one_before(
    folder, copy_run, monkeypatch
):
    def fail(*_):
        raise OSError("no space left")

    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    folder.checkpoint(model, optimizer, 10, set())
    monkeypatch.setattr("core.training.rundir.save_weights", fail)
    with pytest.raises(OSError, match="no space"):
        folder.checkpoint(model, optimizer, 20, set())
    assert newest_checkpoint(folder.path).name == "step-00000010.safetensors"
    assert "step-00000010.state.safetensors" in checkpoints(folder)


def test_the_same_step_again_keeps_its_checkpoint(folder, copy_run):
    model = build(copy_run.settings.model)
    optimizer = make_optimizer(model, copy_run.settings.training)
    folder.checkpoint(model, optimizer, 10, set())
    folder.checkpoint(model, optimizer, 10, set())
    assert len(checkpoints(folder)) == 2


def test_metrics_are_one_json_object_a_line(folder):
    folder.path.mkdir()
    folder.add_metrics({"step": 1, "loss": 2.5})
    folder.add_metrics({"step": 2, "loss": None})
    lines = metrics(folder).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        {"step": 1, "loss": 2.5},
        {"step": 2, "loss": None},
    ]
    assert lines[-1] == ""


@pytest.mark.parametrize(
    "rest", ["", '{"step": 2, "lo', '{"step": 3}', "\n".join(['{"step": 3}', '{"st'])]
)
def test_metrics_after_a_step_or_cut_off_are_forgotten(folder, rest):
    kept = '{"step": 1}\n{"step": 2}\n'
    write_metrics(folder, kept + rest)
    folder.cut_metrics(2)
    assert metrics(folder) == kept


def test_cutting_at_zero_forgets_all_metrics(folder):
    write_metrics(folder, '{"step": 1}\n')
    folder.cut_metrics(0)
    assert metrics(folder) == ""


def test_cutting_where_nothing_was_measured_makes_no_file(folder):
    folder.path.mkdir()
    folder.cut_metrics(3)
    assert list(folder.path.iterdir()) == []


def test_status_tells_state_step_and_process(folder):
    folder.write_status("running", 12)
    status = json.loads((folder.path / "status.json").read_text())
    assert (status["state"], status["step"], status["pid"]) == ("running", 12, os.getpid())
    assert isinstance(status["heartbeat"], float)


def test_words_of_every_script_come_back(folder):
    folder.write_words({"été", "a", "世界"})
    text = (folder.path / "words.txt").read_text(encoding="utf-8")
    assert text.splitlines() == ["a", "été", "世界"]


def test_versions_name_what_the_numbers_depend_on():
    assert versions()["torch"] == torch.__version__
    assert set(versions()) == {"python", "torch", "tokenizers", "safetensors", "numpy"}
