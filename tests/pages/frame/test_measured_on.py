import shutil

import pytest

from core.runs.own_text import give_text
from core.runs.run import load_run
from pages.frame import measured_on
from tests.pages.conftest import ROOT

PAIRS = b"the animal\tla rue\nit was too tired\til dormait\nthe street\tun mot\n"


@pytest.fixture
def given(opened_path, tmp_path):
    """Return a function that returns an opened model with a text of the visitor's own."""

    def run(kind, text, sort):
        path = tmp_path / kind
        shutil.copytree(opened_path(kind), path, dirs_exist_ok=True)
        if text:
            give_text(path, text, sort)
        return load_run(path)

    return run


def test_what_is_measured_on_is_named_with_its_seed_where_one_drew_it(given):
    copy, own = load_run(ROOT / "gallery" / "copy"), given("marian", PAIRS, "pairs")
    gpt2 = given("gpt2", b"", "")
    assert measured_on.drawn(copy, 9, 5) == "9 held-out rows of letters, seed 5"
    assert measured_on.drawn(gpt2, 60, 5) == "60 English sentences, seed 5"
    lines = given("gpt2", b"the animal\nthe street", "lines")
    assert measured_on.drawn(lines, 2, 5) == "2 lines of your own"
    # With all that there are nothing was drawn.
    assert measured_on.drawn(own, 2, 5) == "2 pairs of your own, seed 5"
    assert measured_on.drawn(own, 3, 5) == "3 pairs of your own"
    assert [measured_on.most(own, n) for n in (400, 2)] == [3, 2]
    assert measured_on.most(copy, 400) == 400
