"""The files of a run, whole and damaged."""

import pytest

from core.runs.files import RunError, check_numbers, read_json, read_text


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
