"""What of a link is taken for a position: anybody can write one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.positions import position, positions


@given(st.integers(-5, 10**12), st.integers(0, 10**8))
def test_a_whole_number_is_a_position_where_there_is_one(number, count):
    assert position(str(number), count) == (number if 0 <= number < count else None)


@pytest.mark.parametrize(
    "written", ["", " 1", "1 ", "+1", "1.0", "1e0", "0x1", "²", "١", "9" * 5000]
)
def test_what_is_no_plain_number_is_no_position(written):
    assert position(written, 10) is None
    assert positions(f"0,{written}", 10, 10) is None


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 10))
def test_as_many_positions_are_read_as_there_are_counts(written, count):
    text = ",".join(map(str, written))
    inside = all(each < count for each in written)
    assert positions(text, *[count] * len(written)) == (tuple(written) if inside else None)
    assert positions(text, *[10] * (len(written) + 1)) is None


def test_every_position_has_its_own_count():
    assert positions("1,2", 2, 3) == (1, 2)
    assert positions("1,2", 3, 2) is None


def test_without_a_link_there_is_nothing_to_read():
    assert position(None, 3) is positions(None, 3) is None
