import re

import pytest

from core.inspection import inspect_sentence
from core.opening.opening import open_model
from core.runs.run import load_run
from pages.frame import lengths
from tests.core.families.folders import write_folder
from tests.pages.conftest import ROOT


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bert", r"\d+ tokens · [\d,]+ ms"),
        ("gpt2", r"\d+ → 24 tokens · [\d,]+ ms"),
        ("marian", r"\d+ → \d+ tokens · [\d,]+ ms"),
    ],
)
def test_tokens_are_counted_on_the_sides_that_there_are(tmp_path, name, said):
    write_folder(tmp_path / "model", name)
    list(open_model(str(tmp_path / "model"), tmp_path / "run"))
    found = lengths.size(inspect_sentence(load_run(tmp_path / "run"), "The street."))
    assert re.fullmatch(said, found)


def test_neither_eos_nor_bos_counts():
    run = load_run(ROOT / "gallery" / "copy")
    assert lengths.size(inspect_sentence(run, "a b c d e")).startswith("5 → 5 tokens")
