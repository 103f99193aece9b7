import pytest

from pages.frame.durations import duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (59.4, "59 s"),
        (59.9, "1 min"),
        (172, "2 min 50 s"),
        (3599, "1 h"),
        (9_000, "2 h 30 min"),
        (86_399, "1 d"),
        (200_000, "2 d 8 h"),
    ],
)
def test_a_time_is_said_in_two_units_at_most(seconds, text):
    assert duration(seconds).replace("\u00a0", " ") == text
