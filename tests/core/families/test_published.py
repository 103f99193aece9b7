import pytest

from core.describe import describe
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


@by_name
def test_every_part_of_it_can_be_described(name):
    config = of(name).config
    found = describe(config, 16, 16)
    assert found.parameters == count_parameters(config)
    assert found.stacks == {stack: config.layers_of(stack) for stack in config.stacks}
    assert sum(found.by_group().values()) == found.parameters
