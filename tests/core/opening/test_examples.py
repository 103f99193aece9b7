import pytest

from core.inspection import inspect_sentence
from core.opening.examples import examples_of
from core.runs.run import load_run


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
