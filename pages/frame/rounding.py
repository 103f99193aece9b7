"""Numbers as people read them: few digits, and no difference that nothing but rounding makes."""

import math

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


def short(value: float) -> str:
    r"""Write three significant digits, and a large number without an exponent.

    >>> short(6.2832), short(62831.9), short(2.2e-16), short(0.0)
    ('6.28', '62,800', '2.2e−16', '0')
    """
    if abs(value) < 1000:
        return number(value, padded=False)
    return number(int(round(value, 2 - math.floor(math.log10(abs(value))))))
