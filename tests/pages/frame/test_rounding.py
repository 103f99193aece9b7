"""Small differences are said by what they are below."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.rounding import TINY, bound


@given(st.floats(min_value=0, max_value=1e-5, exclude_min=True, exclude_max=True))
def test_what_rounding_leaves_has_no_exponent(value):
    assert bound(value) == "0.00001"
    assert value < float(bound(value)) == TINY


@pytest.mark.parametrize(("value", "said"), [(0.0, "0"), (0.0042, "0.0042"), (2.5, "2.5")])
def test_what_can_be_read_is_said_as_it_is(value, said):
    assert bound(value) == said
