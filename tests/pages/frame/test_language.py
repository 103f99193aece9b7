from hypothesis import example, given
from hypothesis import strategies as st

from pages.frame.language import percent


@given(st.floats(0, 1))
@example(0.9995)
@example(0.99995)
@example(0.9999999)
@example(0.0004)
def test_only_what_is_exactly_so_is_called_all_or_nothing(share):
    assert (percent(share) == "0\u00a0%") == (100 * share == 0)
    assert (percent(share) == "100\u00a0%") == (100 * share == 100)
