import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.largest_weights import LargestWeight
from core.tasks import TASKS
from pages.frame import cached
from pages.frame.selection import Opened, Selection
from pages.views.attention import seen
from tests.pages.conftest import MODEL, ROOT

PATH = ROOT / "gallery" / MODEL


def selected():
    """The head that finds antecedents, on the first example."""
    run, sentence = load_run(PATH), TASKS["translate"].examples[0].source
    found = inspect_sentence(run, sentence)
    opened = Opened(PATH, run, cached.task(PATH), sentence, found)
    return Selection(
        opened=opened, inspection=found, whole_words=False, head=Head.parse("encoder.2.self:0")
    )


def row_of(query, keys, weight, n_visible, evenness, *, alike=True):
    return LargestWeight(query, keys, weight, n_visible, evenness, 1 / n_visible, alike)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (row_of(8, (1,), 0.98, 14, 0.1), "**it** looks most at **animal**: **0.98**."),
        (row_of(8, (8,), 0.4, 14, 0.1), "**it** looks most at **itself**: **0.40**."),
        (
            row_of(8, (1,), 0.08, 14, 0.99),
            "**it** spreads its weight nearly evenly over 14 positions; most, **0.08**, goes to "
            "**animal**.",
        ),
        (
            row_of(8, (1,), 1.0, 1, 0.0),
            "**it** may look at **animal** alone, so its weight is 1.00.",
        ),
        (
            row_of(8, (1,), 0.004, 500, 0.9),
            "**it** looks most at **animal**: **less than 0.01**.",
        ),
    ],
)
def test_what_a_row_shows_is_said_as_it_is(found, said):
    assert seen.of_row(selected(), found) == said
