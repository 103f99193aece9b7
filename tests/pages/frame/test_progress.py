import json

import pytest
from streamlit.testing.v1 import AppTest

from core.files import write_atomically
from core.runs.metrics import read_metrics
from pages.frame import progress


def _steps_read(path):
    import streamlit as st

    from pages.frame import progress

    st.text(" ".join(str(row["step"]) for row in progress.rows(path)))


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A file of measurements, a page that reads it, and from where it was read each time."""
    offsets = []

    def read(path, offset=0):
        offsets.append(offset)
        return read_metrics(path, offset)

    monkeypatch.setattr(progress, "read_metrics", read)
    write(tmp_path, [10, 20])
    at = AppTest.from_function(_steps_read, kwargs={"path": tmp_path}).run()
    assert at.text[0].value == "10 20"
    return tmp_path, at, offsets


def write(path, steps, mode="w"):
    with (path / "metrics.jsonl").open(mode) as file:
        file.writelines(json.dumps({"step": step}) + "\n" for step in steps)


def test_only_what_is_new_is_read(reader):
    path, at, offsets = reader
    size = (path / "metrics.jsonl").stat().st_size
    write(path, [30], "a")
    assert at.run().text[0].value == "10 20 30"
    assert offsets == [0, size]


def test_a_line_that_is_still_being_written_waits(reader):
    path, at, _offsets = reader
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 3')
    assert at.run().text[0].value == "10 20"
    with (path / "metrics.jsonl").open("a") as file:
        file.write("0}\n")
    assert at.run().text[0].value == "10 20 30"


@pytest.mark.parametrize("steps", [[10], [10, 12], [10, 12, 14, 16], [10, 200, 3000]])
def test_a_training_that_went_back_to_a_checkpoint_is_read_anew(reader, steps):
    path, at, _offsets = reader
    # As `RunFolder.forget_after` does it: the file is another one then.
    content = "".join(json.dumps({"step": step}) + "\n" for step in steps)
    write_atomically(path / "metrics.jsonl", content.encode())
    assert at.run().text[0].value == " ".join(map(str, steps))


def test_what_did_not_change_is_not_read_again(reader):
    _path, at, offsets = reader
    assert at.run().text[0].value == "10 20"
    assert offsets == [0]
