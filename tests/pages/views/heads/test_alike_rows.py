import numpy as np
import pytest

from core.analysis.heads.likeness import row_likeness
from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.views.heads.alike_rows import chosen, numbers
from tests.pages.conftest import ROOT, said

TIRED = "The animal didn't cross the street because it was too tired."
ONE, OTHER = (Head.parse(f"decoder.0.self:{index}") for index in (0, 3))


@pytest.fixture(scope="module")
def inspection():
    return inspect_sentence(load_run(ROOT / "gallery" / "everyday"), TIRED)


def test_rows_are_those_most_middling_and_least_alike_and_have_a_choice(inspection):
    found = chosen(inspection, ONE, OTHER)
    alike_Q = row_likeness(inspection.weights_of(ONE), inspection.weights_of(OTHER))
    # The first row of the decoder sees BOS alone.
    with_choice = sorted(alike_Q[1:])
    assert [row.likeness for row in found] == [
        with_choice[-1],
        with_choice[len(with_choice) - 1 - len(with_choice) // 2],
        with_choice[0],
    ]
    assert 0 not in [row.query for row in found]
    assert [alike_Q[row.query] for row in found] == [row.likeness for row in found]


def test_a_sentence_whose_rows_see_one_key_has_none():
    run = load_run(ROOT / "gallery" / "copy")
    inspection = inspect_sentence(run, "a")
    head = Head.parse("decoder.0.self:0")
    seen = inspection.attention[head.site].visible_QK.sum(axis=1)
    found = chosen(inspection, head, Head.parse("decoder.0.self:1"))
    assert len(found) == min(3, int((seen > 1).sum()))


def test_the_file_has_every_weight_that_is_drawn(inspection):
    rows = chosen(inspection, ONE, OTHER)
    columns = numbers(inspection, rows, ONE, OTHER)
    expected = [inspection.weights_of(head)[row.query] for row in rows for head in (ONE, OTHER)]
    assert columns["weight"] == np.concatenate(expected).tolist()
    assert set(columns["head"]) == {str(ONE), str(OTHER)}


def test_the_view_says_how_alike_the_rows_are_that_it_draws(open_page, inspection):
    at = open_page("heads", trial="alike", model="everyday", alike_of="decoder.self", pair="0,3")
    for row in chosen(inspection, ONE, OTHER):
        assert f"{row.likeness:.2f} alike" in said(at)
    assert sum("token-strips" in each.proto.body for each in at.get("html")) == 3
