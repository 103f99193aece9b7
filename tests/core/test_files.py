import os

import pytest

from core.files import as_json, is_new, read_progress, state_of, write_atomically


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod"])
@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_old_content_stays_whole_when_writing_fails(tmp_path, monkeypatch, step, error):
    def fail(*_):
        raise error

    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(path, b"new and longer")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_names_the_file_that_was_to_be_written(tmp_path, monkeypatch, call):
    def full(*names):
        raise OSError(28, "No space left on device", *names[:1] if call == "replace" else ())

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space") as refused:
        write_atomically(tmp_path / "run.json", b"new")
    assert refused.value.filename == str(tmp_path / "run.json")


def test_content_is_on_the_disk_before_it_takes_the_name(tmp_path, monkeypatch):
    order = []
    fsync, rename = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("fsync"), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda *names: (order.append("replace"), rename(*names)))
    write_atomically(tmp_path / "file", b"new")
    assert order == ["fsync", "replace"]


def test_a_state_is_another_one_when_a_file_comes_changes_or_goes(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    seen = [state_of(one, other, None)]
    one.write_text("a")
    seen.append(state_of(one, other, None))
    other.write_text("a")
    seen.append(state_of(one, other, None))
    assert state_of(one, other, None) == seen[-1]
    one.write_text("ab")
    seen.append(state_of(one, other, None))
    one.unlink()
    seen.append(state_of(one, other, None))
    assert len(set(seen)) == len(seen)


def test_a_file_of_progress_is_read_or_known_as_damaged(tmp_path):
    file, figures = tmp_path / "told", {"state": "running", "step": 30, "message": "é"}
    assert read_progress(file) == {}
    file.write_bytes(as_json(figures))
    assert read_progress(file) == figures
    for content in (b"", b"{", b"[]", b"[" * 10**5):
        file.write_bytes(content)
        assert read_progress(file) is None


@pytest.mark.parametrize(("seconds", "new"), [(-5, True), (5, True), (20, False), (-20, False)])
def test_a_file_is_new_for_a_while_also_where_the_clock_was_set_back(tmp_path, seconds, new):
    file = tmp_path / "file"
    assert not is_new(file, 10)
    file.touch()
    written = file.stat().st_mtime - seconds
    os.utime(file, (written, written))
    assert is_new(file, 10) == new
