"""The files of a run, whole, half written and damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.files import RunError, check_numbers, read_json, read_metrics, read_text

ROWS = [{"step": step, "loss": 1 / (step + 1)} for step in (1, 20, 300, 4000)]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


@pytest.fixture(scope="module")
def growing(tmp_path_factory):
    """A folder whose files every example writes anew."""
    return tmp_path_factory.mktemp("run")


@given(st.lists(st.integers(0, len(LINES)), max_size=8).map(sorted))
def test_whoever_looks_while_lines_are_written_reads_each_of_them_once(growing, seen):
    rows, offset = [], 0
    for size in (*seen, len(LINES)):
        (growing / "metrics.jsonl").write_bytes(LINES[:size])
        found, offset = read_metrics(growing, offset)
        rows += found
        assert offset == LINES.rfind(b"\n", 0, size) + 1
    assert rows == ROWS


def test_metrics_that_have_become_shorter_are_read_from_their_beginning(tmp_path):
    (tmp_path / "metrics.jsonl").write_bytes(LINES)
    _rows, offset = read_metrics(tmp_path)
    (tmp_path / "metrics.jsonl").write_bytes(LINES[: LINES.index(b"\n") + 1])
    assert read_metrics(tmp_path, offset) == (ROWS[:1], LINES.index(b"\n") + 1)


def test_before_anything_was_measured_there_are_no_rows(tmp_path):
    assert read_metrics(tmp_path) == ([], 0)


@pytest.mark.parametrize(
    "line", ["{", "[1]", "3", "null", '{"loss": 1}', '{"step": "1"}', '{"step": 1, "x": true}']
)
def test_a_line_that_is_no_measurement_is_refused_by_name(tmp_path, line):
    (tmp_path / "metrics.jsonl").write_text(f'{{"step": 1}}\n{line}\n')
    with pytest.raises(RunError, match=r"metrics\.jsonl is damaged"):
        read_metrics(tmp_path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "run.json is damaged"),
        (b"[1, 2]", "run.json holds no JSON object"),
        (b'{"a": "\xff"}', "run.json is not UTF-8 text"),
        (None, "run.json is missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_folder_and_its_name(tmp_path, content, why):
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(RunError, match=why) as refused:
        read_json(tmp_path, "run.json")
    assert str(refused.value).startswith(f"{tmp_path}: ")


def test_texts_are_read_as_utf_8(tmp_path):
    (tmp_path / "words.txt").write_bytes("été\n".encode())
    assert read_text(tmp_path, "words.txt") == "été\n"


@pytest.mark.parametrize("value", [True, "1", None, [1.0]])
def test_what_is_no_number_is_refused_by_name(value):
    check_numbers({"step": 1, "loss": 0.5, "other": value}, ("step", "loss"))
    with pytest.raises(ValueError, match="other is .*, not a number"):
        check_numbers({"step": 1, "other": value}, ("step", "other"))
    with pytest.raises(KeyError):
        check_numbers({"step": 1}, ("loss",))
