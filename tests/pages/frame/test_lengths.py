import re

import pytest

from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.frame import lengths
from tests.pages.conftest import ROOT


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bert", r"\d+ tokens · [\d,]+ ms"),
        ("gpt2", r"tokens: \d+ typed → 24 written · [\d,]+ ms"),
        ("marian", r"\d+ → \d+ tokens · [\d,]+ ms"),
    ],
)
def test_tokens_are_counted_on_the_sides_that_there_are(opened_path, name, said):
    found = lengths.size(inspect_sentence(load_run(opened_path(name)), "The street."))
    assert re.fullmatch(said, found)


def test_they_are_as_many_as_a_map_has_rows_and_columns():
    run = load_run(ROOT / "gallery" / "copy")
    found = inspect_sentence(run, "a b c d e")
    n_rows, n_columns = found.attention[Site.parse("decoder.0.cross")].weights_HQK.shape[1:]
    assert lengths.size(found).startswith(f"{n_columns} → {n_rows} tokens")
