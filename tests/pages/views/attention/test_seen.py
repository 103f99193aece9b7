import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.studies.heads.largest_weights import LargestWeight
from core.tasks import TASKS
from core.tasks.translation import Translation
from pages.frame import cached
from pages.frame.selection import Opened, Selection
from pages.views.attention import seen
from tests.pages.conftest import MODEL, ROOT

TIRED, WIDE = (example.source for example in TASKS[Translation.name].examples[:2])
PATH = ROOT / "gallery" / MODEL


def selected(sentence=TIRED, head="encoder.2.self:0", *, whole_words=False):
    run = load_run(PATH)
    inspection = inspect_sentence(run, sentence)
    opened = Opened(PATH, run, cached.task(PATH), sentence, inspection)
    shown = merged(inspection) if whole_words else inspection
    return Selection(
        opened=opened, inspection=shown, whole_words=whole_words, head=Head.parse(head)
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


def test_the_pronoun_is_spoken_of_and_without_one_the_two_words_with_the_largest_weight():
    assert seen.query_of(selected(), selected().weights_QK) == 8
    cat = selected("The cat saw the dog.", "encoder.2.self:3")
    weights = cat.weights_QK.astype(np.float64)
    leading = [
        (weights[row, key], row)
        for row in range(5)
        for key in range(5)
        if row != key and weights[row, key] == weights[row].max()
    ]
    assert seen.query_of(cat, cat.weights_QK) == max(leading)[1]
