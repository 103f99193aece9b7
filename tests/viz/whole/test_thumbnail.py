"""The mark of the whole pass: what stands out in it."""

from base64 import b64decode

import pytest

from viz.theme import HEADS, colour
from viz.whole.thumbnail import thumbnail

ATTENTION, OTHER_ATTENTION, FEED_FORWARD = (True, True), (True, False), (False, False)
STACKS = [[OTHER_ATTENTION, FEED_FORWARD], [ATTENTION, OTHER_ATTENTION, FEED_FORWARD]]


@pytest.mark.parametrize(
    ("part", "count"),
    [("words", 2), ("attention", 1), ("layers", 5), ("norms", 5), ("output", 1), ("all", 13)],
)
def test_what_a_view_looks_into_stands_out(part, count):
    svg = b64decode(thumbnail(STACKS, part).partition(",")[2]).decode()
    assert svg.count(colour(HEADS[0])) == count
    assert svg.count("<rect") == 13
