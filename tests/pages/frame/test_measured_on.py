import shutil

import pytest

from core.runs.own_text import give_text
from core.runs.run import load_run
from pages.frame import measured_on
from tests.pages.conftest import ROOT

PAIRS = b"the animal\tla rue\nit was too tired\til dormait\nthe street\tun mot\n"


@pytest.fixture
def own(opened_path, tmp_path):
    shutil.copytree(opened_path("marian"), tmp_path / "own")
    give_text(tmp_path / "own", PAIRS, "pairs")
    return load_run(tmp_path / "own")


def test_pairs_that_were_given_are_not_called_held_out(own):
    assert measured_on.sentences(own, 1) == "1 pair of your own"
    assert measured_on.sentences(own, 3) == "3 pairs of your own"
    assert measured_on.all_of_them(own) == "pairs of your own"


def test_one_stack_reads_lines_that_were_given_or_sentences(opened_path, tmp_path):
    shutil.copytree(opened_path("gpt2"), tmp_path / "own")
    assert measured_on.sentences(load_run(tmp_path / "own"), 60) == "60 English sentences"
    give_text(tmp_path / "own", b"the animal\nthe street", "lines")
    assert measured_on.sentences(load_run(tmp_path / "own"), 2) == "2 lines of your own"
    assert measured_on.sentences(load_run(tmp_path / "own"), 1) == "1 line of your own"


def test_of_what_was_learned_here_sentences_are_held_out():
    run = load_run(ROOT / "gallery" / "copy")
    assert measured_on.sentences(run, 400) == "400 held-out rows of letters"
    assert measured_on.all_of_them(run) == "held-out sentences"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("everyday", "1 held-out sentence of the grammar"),
        ("reverse", "1 held-out row of letters"),
        ("names", "1 held-out sentence with names"),
        ("pairs.tsv", "1 held-out pair of its file"),
    ],
)
def test_an_evaluation_says_what_it_counted(task, said):
    assert measured_on.of_task(task, 1) == said


def test_a_seed_is_named_only_where_it_drew_something(own, opened_path, tmp_path):
    assert measured_on.drawn(load_run(ROOT / "gallery" / "copy"), 9, 5).endswith("letters, seed 5")
    assert measured_on.drawn(own, 2, 5) == "2 pairs of your own, seed 5"
    assert measured_on.drawn(own, 3, 5) == "3 pairs of your own"
    shutil.copytree(opened_path("gpt2"), tmp_path / "one")
    assert measured_on.drawn(load_run(tmp_path / "one"), 60, 5) == "60 English sentences, seed 5"
    give_text(tmp_path / "one", b"the animal\nthe street", "lines")
    assert measured_on.drawn(load_run(tmp_path / "one"), 2, 5) == "2 lines of your own"


def test_no_more_are_promised_than_there_are(own):
    assert measured_on.most(own, 400) == 3
    assert measured_on.most(own, 2) == 2
    assert measured_on.most(load_run(ROOT / "gallery" / "copy"), 400) == 400


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, []),
        (1, ["1 output was cut at the length limit."]),
        (1200, ["1,200 outputs were cut at the length limit."]),
    ],
)
def test_outputs_that_were_cut_are_said_and_none_are_not(n, said):
    assert measured_on.cut(n) == said
