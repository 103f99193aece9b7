"""Images as rows of patches: pixels and patches, and which digit an image shows."""

import random

from hypothesis import given
from hypothesis import strategies as st

from core.tasks import TASKS
from core.tasks.digits import image_of, patches_of, pixels_of

DIGITS = TASKS["digits"]
EIGHT = """
........
...###..
..#...#.
..#...#.
...###..
..#...#.
..#...#.
...###..
"""


@given(st.integers(0, 2**64 - 1))
def test_an_image_is_read_back_from_its_patches(image):
    assert image_of(patches_of(image)) == image


def test_patches_look_like_their_pixels():
    source = next(each.source for each in DIGITS.examples if each.number == 8)
    rows = ["".join(".#"[black] for black in row) for row in pixels_of(source)]
    assert rows == EIGHT.split()
    assert source.split()[:8] == ["·", "▗", "▄", "·", "·", "▌", "·", "▌"]


def test_the_digit_of_an_image_is_the_one_that_differs_in_the_fewest_pixels():
    rng = random.Random(0)
    for sample in [DIGITS.sample(rng) for _ in range(50)]:
        assert DIGITS.reference(sample.source) == sample.target
    for example in DIGITS.examples:
        assert DIGITS.reference(example.source) == str(example.number)


def test_what_shows_no_digit_has_no_reference():
    for source in ("", "3", " ".join("█" * 16), " ".join("·" * 16), " ".join("·" * 15)):
        assert DIGITS.reference(source) is None
        assert not DIGITS.makes(source)
