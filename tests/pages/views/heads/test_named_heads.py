import pytest

from core.heads import Head, Site
from tests.pages.conftest import said
from tests.pages.frame.test_notes import NO_CHANGE, store

USELESS = Head(Site("encoder", 0, "self"), 1)


@pytest.fixture
def open_doubted(open_page, own_copy):
    """Return a function that opens a view of a run in which head 1 was found to change nothing."""
    store(own_copy, USELESS)

    def opener(trial, **query_params):
        return open_page(
            "heads", trial=trial, model="runs/mine", sentence="a b c d", **query_params
        )

    return opener


@pytest.mark.parametrize(
    ("trial", "place"),
    [
        ("override", {"kind": "encoder self", "layer": "0", "head": "{head}"}),
        ("silence", {"silent": "encoder.0.self:{head}", "instead": "uniform"}),
    ],
)
def test_each_view_says_why_not_to_believe_in_the_head_it_shows(open_doubted, trial, place):
    def text(head):
        return said(open_doubted(trial, **{k: v.format(head=head) for k, v in place.items()}))

    assert NO_CHANGE in text(1)
    assert NO_CHANGE not in text(2)
