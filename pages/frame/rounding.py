"""Differences that nothing but rounding makes, as people read them."""

from pages.frame.language import number

TINY = 1e-5
"""What is smaller is only said to be smaller than this."""


def bound(value: float) -> str:
    """Return a difference that shall be small: what is nearly nothing as what it is below.

    >>> bound(6.39e-14), bound(7.6e-06), bound(0.0042), bound(0.0)
    ('0.00001', '0.00001', '0.0042', '0')
    """
    if 0 < value < TINY:
        return number(TINY, 5)
    return number(value, significant=2, padded=False)
