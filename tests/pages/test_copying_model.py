"""Every view of a model that copies what it has never seen."""

import pytest

from tests.pages.every_view import CASES, query_of


@pytest.mark.parametrize(
    ("page", "view"), [case for case in CASES if case[0] not in ("experiments", "training", "runs")]
)
def test_every_view_shows_a_name_that_was_typed_or_says_why_not(open_page, page, view):
    query = query_of(page, view) | {"model": "copying", "sentence": "Kowalski sees the red book"}
    at = open_page(page, **query)
    assert not at.exception
    assert not at.error
    drawn = at.get("bidi_component") or at.get("vega_lite_chart") or at.get("html") or at.table
    assert drawn or at.info
