import pytest

from tests.pages.views.attention.conftest import own_random  # noqa: F401
from tests.pages.views.conftest import assert_takeable, computed, numbers_of


def assert_computed_again(at, shown, *names, root=None):
    """Make sure that a view can be taken away, and that its Python computes these columns."""
    if shown.pictures:
        assert_takeable(at, shown)
    assert computed(shown, root) == pytest.approx(numbers_of(shown, *names), rel=1e-5, abs=1e-6)
