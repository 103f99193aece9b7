import json
import shutil

import pytest


def test_lines_are_kept_and_heads_are_then_measured_on_them(command, opened_path, tmp_path):
    shutil.copytree(opened_path("gpt2"), tmp_path / "gpt2")
    text = tmp_path / "text.txt"
    text.write_text("the animal and the street\nit is the animal\nthe animal is tired\n")
    status, out, error = command("give", tmp_path / "gpt2", text)
    assert (status, error) == (0, "")
    assert "3 lines" in out
    status, out, error = command("heads", tmp_path / "gpt2")
    assert status == 0, error
    assert "your own lines\n" in out
    found = json.loads(command("heads", tmp_path / "gpt2", "--json")[1])["own_lines"]
    assert set(found["roles"]) <= {"previous", "first", "itself", "duplicate", "induction"}


@pytest.mark.slow
def test_pairs_make_a_translator_one_with_held_out_sentences(command, opened_path, tmp_path):
    shutil.copytree(opened_path("marian"), tmp_path / "marian")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("the animal;la rue\nthe street;il dormait\n")
    assert "2 pairs" in command("give", tmp_path / "marian", pairs)[1]
    status, out, error = command("heads", tmp_path / "marian")
    assert status == 0, error
    assert "2 held-out sentences" in out
    status, out, error = command("evaluate", tmp_path / "marian")
    assert status == 0, error
    assert "of 2 held-out samples" in out
