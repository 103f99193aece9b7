import shutil

import pytest

from core.inspection import inspect_sentence
from core.runs.own_text import give_text
from core.runs.run import load_run
from core.studies.opening.examples import examples_of, longest_and_shortest


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("bert", "The capital of France is [MASK]."),
        ("bert without a head", "The animal did not cross the street because it was too tired."),
        ("gpt2", "The capital of France is"),
        ("marian", "The animal did not cross the street because it was too tired."),
    ],
)
def test_each_kind_begins_with_texts_that_it_can_do_something_with(opened_path, name, first):
    run = load_run(opened_path(name))
    found = examples_of(run)
    assert found[0].source == first
    assert all(inspect_sentence(run, each.source).attention for each in found)


def test_a_run_trained_here_has_those_of_its_task(copy_run):
    assert examples_of(copy_run) == ()


def test_lines_that_were_given_go_before_texts_that_are_offered(opened_path, tmp_path):
    path = shutil.copytree(opened_path("gpt2"), tmp_path / "mine")
    give_text(path, b"it was\na longer line of text\nit was so", "mine.txt")
    assert longest_and_shortest(load_run(path)) == ("a longer line of text", "it was")
