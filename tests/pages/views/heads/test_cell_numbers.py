from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.views.heads import cell_numbers


@given(st.floats(-999, 999).filter(lambda x: x == 0 or abs(x) > 1e-9))
def test_a_brief_number_has_five_characters_at_most_and_is_right(score):
    text = cell_numbers.brief(score)
    assert len(text) <= 5
    read = Decimal(text.replace("−", "-"))
    # Half a unit of the last digit that is written.
    assert float(read) == pytest.approx(score, abs=0.501 * 10.0 ** read.as_tuple().exponent)
