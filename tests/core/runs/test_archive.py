import io
import zipfile

import pytest
import torch

from core.runs.archive import archive_run, unpack_run
from core.runs.run import load_run
from core.training.prepare import extend_run
from core.training.trainer import train_run


@pytest.fixture
def archived(tmp_path):
    """Return a function that gives a run away as bytes."""

    def give(path):
        archive_run(path, tmp_path / "given.zip")
        return (tmp_path / "given.zip").read_bytes()

    return give


def entries(content):
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        assert opened.testzip() is None
        return {info.filename: opened.read(info) for info in opened.infolist()}


def weights_of(path):
    return dict(load_run(path).model.named_parameters())


def assert_same_weights(one, other):
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.slow
def test_every_file_that_was_given_away_is_taken_in_as_it_was(run, tmp_path, content_of, archived):
    given = archived(run)
    taken = unpack_run(given, tmp_path / "elsewhere")
    assert {f"mine/{name}": content for name, content in content_of(taken).items()} == entries(
        given
    )
    assert archived(taken) == given


def test_training_goes_on_from_an_archive_as_it_would_have_without(
    run, tmp_path, few_samples, archived
):
    taken = unpack_run(archived(run), tmp_path / "elsewhere")
    for path in (run, taken):
        extend_run(path, 34)
        assert [progress.train_step.step for progress in train_run(path)] == [31, 32, 33, 34]
    assert_same_weights(weights_of(taken), weights_of(run))


def test_what_belongs_to_the_process_that_trained_stays_behind(run, archived):
    before = entries(archived(run))
    for name in (
        "status.json",
        "request",
        "watched",
        "train.log",
        ".lock",
        ".run.json.x1",
        "notes.txt",
    ):
        (run / name).write_text("mine")
    (run / "checkpoints" / ".step-00000040.safetensors.x1").write_bytes(b"half")
    (run / "checkpoints" / "step-00000099.state.safetensors").write_bytes(b"without weights")
    (run / "live").mkdir(exist_ok=True)
    (run / "live" / "step-00000030.safetensors").write_bytes(b"for whoever watches")
    assert entries(archived(run)) == before
    assert set(before) >= {
        "mine/run.json",
        "mine/tokenizer.json",
        "mine/words.txt",
        "mine/metrics.jsonl",
        "mine/checkpoints/step-00000030.safetensors",
        "mine/checkpoints/step-00000030.state.safetensors",
    }


def test_a_line_of_metrics_that_is_half_written_stays_behind(run, archived):
    whole = (run / "metrics.jsonl").read_bytes()
    (run / "metrics.jsonl").write_bytes(whole + b'{"step": 40, "lo')
    assert entries(archived(run))["mine/metrics.jsonl"] == whole
