"""Numbers that are short enough for a cell."""


def brief(score: float) -> str:
    """Return a number in five characters at most, for a cell.

    >>> [brief(each) for each in (16.49, -13.52, 0.3812, -0.0712, 0.00021, -8.46e-06, 0.0)]
    ['16.5', '−13.5', '0.381', '−0.07', '2e−4', '−8e−6', '0']
    """
    if score == 0:
        return "0"
    size = abs(score)
    if size < 0.01:
        text = f"{score:.0e}".replace("e-0", "e-")
    elif size < 1:
        text = f"{score:.3f}" if score > 0 else f"{score:.2f}"
    else:
        text = f"{score:.3g}"
    return text.replace("-", "−")
