import pytest

from core.families.published import PUBLISHED
from core.model import count_parameters

by_name = pytest.mark.parametrize("name", [each.name for each in PUBLISHED])


def of(name):
    return next(each for each in PUBLISHED if each.name == name)


@by_name
def test_the_published_count_comes_out(name):
    published = of(name)
    counted = count_parameters(published.config)
    if name.startswith("paper"):
        assert round(counted / 1e6) == published.parameters / 1e6
    else:
        assert counted == published.parameters
