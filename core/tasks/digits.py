"""Images as rows of patches: a digit of 5 × 7 pixels in an image of 8 × 8, somewhere, with noise.

As in a Vision Transformer (Dosovitskiy et al. 2021) an image is cut into squares, which are read
row by row as tokens. A patch of 2 × 2 black or white pixels is one of 16, so that a table of 16
vectors does what a linear map of the pixels does where there are more.
"""

import random

from ..messages import N_
from ..tokenizer.word_level import Vocabulary
from .task import Drawn, Example, Sample, is_in_test_part

SIDE, PATCH = 8, 2
"""Pixels of a row of the image, and of a patch."""
_PLACES = [(y, x) for y in range(0, SIDE, PATCH) for x in range(0, SIDE, PATCH)]
"""The first pixel of each patch."""
PATCHES = "·▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Characters that look like the patches: bit 0 is the pixel at the top left, then right, below."""
_NOISE = 3
"""Most pixels that are inverted."""
_FONT = (
    "0e 11 11 11 11 11 0e",
    "04 0c 04 04 04 04 0e",
    "0e 11 01 02 04 08 1f",
    "1f 02 04 02 01 11 0e",
    "02 06 0a 12 1f 02 02",
    "1f 10 1e 01 01 11 0e",
    "06 08 10 1e 11 11 0e",
    "1f 01 02 04 08 08 08",
    "0e 11 11 0e 11 11 0e",
    "0e 11 11 0f 01 02 0c",
)
"""Seven rows of each digit, from the top; bit 4 is the pixel at the left."""
_CORNERS = tuple((top, left) for top in range(SIDE - 7 + 1) for left in range(SIDE - 5 + 1))


def _image(digit: int, top: int, left: int) -> int:
    """Return a digit at a place; pixel `x` of row `y` is bit `8 y + x`."""
    rows = [int(row, 16) for row in _FONT[digit].split()]
    return sum(
        1 << SIDE * (top + y) + left + x
        for y, row in enumerate(rows)
        for x in range(5)
        if row >> (4 - x) & 1
    )


_IMAGES = {_image(digit, *corner): str(digit) for digit in range(len(_FONT)) for corner in _CORNERS}
"""Image without noise → digit."""


def patches_of(image: int) -> str:
    """Return an image as a row of patches.

    >>> patches_of(0b11 | 0b10 << 8)
    '▜ · · · · · · · · · · · · · · ·'
    """
    rows = [(image >> SIDE * y + x & 3, image >> SIDE * (y + 1) + x & 3) for y, x in _PLACES]
    return " ".join(PATCHES[upper + 4 * lower] for upper, lower in rows)


def image_of(source: str) -> int | None:
    """Return the image of a row of patches; None if it is none."""
    patches = [PATCHES.find(word) if len(word) == 1 else -1 for word in source.split()]
    if len(patches) != len(_PLACES) or min(patches) < 0:
        return None
    return sum(
        (patch & 3) << SIDE * y + x | (patch >> 2) << SIDE * (y + 1) + x
        for patch, (y, x) in zip(patches, _PLACES, strict=True)
    )


def pixels_of(source: str) -> list[list[bool]] | None:
    """Return the rows of pixels of a source, true for black; None if it is no image."""
    image = image_of(source)
    if image is None:
        return None
    return [[bool(image >> SIDE * y + x & 1) for x in range(SIDE)] for y in range(SIDE)]


class Digits(Drawn):
    """`· ▗ ▄ · · ▌ ▐ · …` → `0`, the digit in an image that is read as a row of 16 patches."""

    name = "digits"
    form = N_("an image of 8 × 8 pixels, as 16 patches of 2 × 2")
    pronouns: frozenset[str] = frozenset()
    vocabulary = Vocabulary((*PATCHES, *map(str, range(len(_FONT)))), (), 1)
    examples: tuple[Example, ...] = (
        Example(N_("digit {n}"), patches_of(_image(3, 0, 1)), 3),
        Example(N_("digit {n}"), patches_of(_image(8, 1, 2)), 8),
        Example(N_("digit {n}"), patches_of(_image(4, 1, 0)), 4),
    )

    def sample(self, rng: random.Random) -> Sample:
        """Draw an image whose nearest digit is the one that was drawn."""
        while True:
            image, digit = rng.choice(tuple(_IMAGES.items()))
            for bit in rng.sample(range(SIDE * SIDE), rng.randint(0, _NOISE)):
                image ^= 1 << bit
            if _nearest(image) == digit:
                return Sample(patches_of(image), digit)

    def held_out(self, sample: Sample) -> bool:
        """Say whether an image is held out."""
        return is_in_test_part(sample.source)

    def makes(self, source: str) -> bool:
        """Say whether a source is an image that is near to one digit."""
        return self.reference(source) is not None

    def reference(self, source: str) -> str | None:
        """Return the digit of an image; None if it shows none, or two are equally near."""
        image = image_of(source)
        return None if image is None else _nearest(image)


def _nearest(image: int) -> str | None:
    """Return the digit that differs in the fewest pixels; None if two do, or too many."""
    distances = [((image ^ each).bit_count(), digit) for each, digit in _IMAGES.items()]
    least = min(distances)[0]
    nearest = {digit for distance, digit in distances if distance == least}
    return nearest.pop() if len(nearest) == 1 and least <= _NOISE else None
