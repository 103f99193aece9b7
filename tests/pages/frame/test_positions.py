import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.session import position, positions


@given(st.integers(-5, 10**12), st.integers(0, 10**8))
def test_a_whole_number_below_the_count_is_a_position(number, count):
    assert position(str(number), count) == (number if 0 <= number < count else None)


@pytest.mark.parametrize("written", ["", " 1", "+1", "1.0", "1e0", "0x1", "²", "١", "9" * 5000])
def test_any_other_text_of_a_link_is_no_position(written):
    assert position(written, 10) is None
    assert positions(f"0,{written}", 10, 10) is None
