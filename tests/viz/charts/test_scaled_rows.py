import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from viz.charts.scaled_rows import scaled_rows

ROWS = arrays(np.float64, (3, 4), elements=st.floats(-1e6, 1e6, allow_subnormal=False))


@given(ROWS)
def test_the_largest_magnitude_of_each_row_becomes_1_and_signs_stay(values):
    found = scaled_rows(values)
    assert found.dtype == np.float32
    for row, scaled in zip(values, found, strict=True):
        largest = max(abs(value) for value in row)
        assert max(abs(each) for each in scaled) == (1.0 if largest else 0.0)
        assert all(value * each >= 0 for value, each in zip(row, scaled, strict=True))


@given(ROWS, st.floats(1e-3, 1e3))
def test_the_unit_of_a_row_does_not_matter(values, unit):
    assert np.allclose(scaled_rows(values * unit), scaled_rows(values), atol=1e-6)
