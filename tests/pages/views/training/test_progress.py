import json

import pytest
from streamlit.testing.v1 import AppTest

from core.files import write_atomically
from core.runs.metrics import read_metrics
from pages.views.training import progress


def _steps_read(path):
    import streamlit as st

    from pages.views.training import progress

    st.text(" ".join(str(row["step"]) for row in progress.rows(path)))


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A file of measurements, what the page reads of it, and from where it was read each time."""
    offsets = []

    def read(path, offset=0):
        offsets.append(offset)
        return read_metrics(path, offset)

    monkeypatch.setattr(progress, "read_metrics", read)
    file = tmp_path / "metrics.jsonl"
    file.write_text(lines(10, 20))
    at = AppTest.from_function(_steps_read, kwargs={"path": tmp_path}).run()
    assert at.text[0].value == "10 20"
    return file, lambda: at.run().text[0].value, offsets


def lines(*steps):
    return "".join(json.dumps({"step": step}) + "\n" for step in steps)


def add(file, text):
    with file.open("a") as opened:
        opened.write(text)


def test_only_what_is_new_is_read(reader):
    file, steps, offsets = reader
    size = file.stat().st_size
    assert steps() == "10 20"
    assert offsets == [0]
    add(file, lines(30))
    assert steps() == "10 20 30"
    assert offsets == [0, size]


def test_a_line_that_is_still_being_written_waits(reader):
    file, steps, _offsets = reader
    add(file, '{"step": 3')
    assert steps() == "10 20"
    add(file, "0}\n")
    assert steps() == "10 20 30"


@pytest.mark.parametrize("written", [(10,), (10, 12), (10, 12, 14, 16), (10, 200, 3000)])
def test_a_training_that_went_back_to_a_checkpoint_is_read_anew(reader, written):
    file, steps, _offsets = reader
    # As `RunFolder.forget_after` does it: the file is another one then.
    write_atomically(file, lines(*written).encode())
    assert steps() == " ".join(map(str, written))
