"""What every page asks for: a run and a sentence."""

import pytest

from core.tasks import TASKS
from core.tasks.corpus import held_out_examples
from core.tasks.task import Sample
from pages.locales import catalogues

OWN = held_out_examples([Sample("a", "b", ())])


@pytest.fixture(scope="module")
def texts():
    return catalogues.collected()


@pytest.mark.parametrize(
    "example",
    [*(each for task in TASKS.values() for each in task.examples), *OWN],
    ids=lambda example: example.name,
)
def test_the_name_of_every_example_can_be_translated(texts, example):
    assert example.name in texts
