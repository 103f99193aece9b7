import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.studies.heads.largest_weights import LargestWeight
from core.tasks import TASKS
from core.tasks.translation import Translation
from pages.frame import cached, selection
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


def row_of(query, keys, weight, n_visible, evenness, words_of=None):
    """A row whose keys are alike, or words of unequal size of which the first has so many tokens.

    Then there are 18 tokens in all.
    """
    even = words_of / 18 if words_of else 1 / n_visible
    return LargestWeight(query, keys, weight, n_visible, evenness, even, words_of is None)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            row_of(8, (1,), 0.98, 14, 0.1),
            "**it** looks most at **animal**: **0.98**. "
            "An even spread would give each of the 14 positions 0.07.",
        ),
        (
            row_of(8, (8,), 0.4, 14, 0.1),
            "**it** looks most at **itself**: **0.40**. "
            "An even spread would give each of the 14 positions 0.07.",
        ),
        (
            row_of(8, (1, 6), 0.5, 14, 0.1),
            "**it** looks most at 2 positions alike: **0.50** each. "
            "An even spread would give each of the 14 positions 0.07.",
        ),
        (
            row_of(8, (1,), 0.08, 14, 0.99),
            "**it** spreads its weight nearly evenly over 14 positions: at most **0.08**, "
            "where exactly even would be 0.07.",
        ),
        (
            row_of(8, tuple(range(14)), 1 / 14, 14, 1.0),
            "**it** looks at all 14 positions alike: 0.07 each.",
        ),
        (
            row_of(8, (1,), 1.0, 1, 0.0),
            "**it** may look at **animal** alone, so its weight is 1.00.",
        ),
        (
            row_of(8, (1,), 0.004, 500, 0.9),
            "**it** looks most at **animal**: **less than 0&#46;01**. "
            "An even spread would give each of the 500 positions less than 0.01.",
        ),
        (
            row_of(8, (1,), 0.7, 6, 0.8, words_of=9),
            "**it** looks most at **animal**: **0.70**. "
            "An even spread over all tokens would give it 0.50.",
        ),
        (
            row_of(8, (1,), 0.5, 6, 1.0, words_of=9),
            "**it** spreads its weight nearly evenly over the tokens of 6 positions: **animal** "
            "gets most, **0.50**, where exactly even would be 0.50.",
        ),
        (
            row_of(8, (1, 2, 6), 1 / 3, 3, 0.8, words_of=9),
            "**it** looks most at 3 positions alike: **0.33** each. "
            "An even spread over all tokens would give it 0.50.",
        ),
    ],
)
def test_what_a_row_shows_is_said_as_it_is(found, said):
    assert seen.of_row(selected(), found) == said.replace("&#46;", ".")


def test_the_pronoun_is_spoken_of_and_without_one_the_two_words_with_the_largest_weight():
    assert seen.query_of(selected(), selected().weights_QK) == 8
    cat = selected("The cat saw the dog.", "encoder.2.self:3")
    words = [token.text for token in cat.inspection.source_tokens]
    assert words == ["The", "cat", "saw", "the", "dog", ".", "EOS"]
    weights = cat.weights_QK.astype(np.float64)
    leading = [
        (weights[row, key], row)
        for row in range(5)
        for key in range(5)
        if row != key and weights[row, key] == weights[row].max()
    ]
    assert seen.query_of(cat, cat.weights_QK) == max(leading)[1]


def test_what_was_typed_is_shown_as_it_is():
    strange = selected("*Zo* slept because it was tired.")
    stars = [t.text for t in strange.inspection.source_tokens].index("*")
    said = seen.of_row(strange, row_of(stars, (0,), 0.9, 14, 0.1))
    assert "**&#42;**" in said


@pytest.mark.parametrize("whole_words", [False, True])
def test_where_a_head_points_at_nothing_another_example_is_offered(whole_words):
    here = selected(whole_words=whole_words)
    n = len(here.inspection.source_tokens)
    assert seen.instead(here, here.weights_QK) == ""
    assert seen.instead(here, np.full((n, n), 1 / n, np.float32)) == WIDE


def test_no_example_is_offered_where_no_other_one_has_anything_to_see():
    assert selection.example(selected(), lambda _: False) == ""
