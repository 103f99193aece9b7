from dataclasses import dataclass

import pytest

from core.config.settings import ConfigError, Settings


@dataclass(frozen=True)
class Sizes(Settings):
    width: int = 4
    share: float = 0.5
    factors: tuple[float, ...] = ()

    def __post_init__(self):
        self.check_values()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"height": 3}, "Sizes has no setting height"),
        ({"width": True}, "width is True, not of type int"),
        ({"share": "half"}, "share is 'half', not of type float"),
        ({"factors": (1.0, "2")}, "factors is .* not of type tuple"),
        ({"width": 2**63}, "width is 9223372036854775808, not a number up to"),
        ({"share": float("nan")}, "share is nan, not a number up to"),
        ({"factors": (1.0, float("inf"))}, "factors is .*inf.*, not a number up to"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, said):
    with pytest.raises(ConfigError, match=said):
        Sizes.from_dict(given)


def test_a_refusal_is_one_sentence_whatever_is_refused():
    for given in ({"width": "x" * 10_000}, {f"n{number}": 1 for number in range(10_000)}):
        with pytest.raises(ConfigError) as refused:
            Sizes.from_dict(given)
        assert len(str(refused.value)) < 200
