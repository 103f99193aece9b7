"""Options that say how files of pairs are read."""

import pytest


@pytest.mark.parametrize("columns", ["en", "en,fr,de", ""])
def test_one_column_or_three_are_refused(refused, tmp_path, columns):
    (tmp_path / "pairs.tsv").write_text("a\tb\n")
    said = refused(
        "train", tmp_path / "run", "--task", tmp_path / "pairs.tsv", "--columns", columns
    )
    assert "--columns takes two" in said
