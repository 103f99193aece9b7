"""Colours and fonts: the only file that names any.

Pictures that are drawn in the browser get them as CSS custom properties (`css_variables`) and as a
table of 256 colours (`scale_table`); charts name them as `colour` writes them.
"""

import numpy as np
import numpy.typing as npt

Rgb = tuple[int, int, int]

# Weights, 0 to 1. Close to viridis, whose lightness rises evenly, so that it reads the same for
# colour-blind people and on a grey print; the stops are chosen so that, rounded, each of the 256
# colours is still lighter than the one before. Numbers, since Streamlit replaces some hex codes.
SEQUENTIAL: tuple[Rgb, ...] = (
    (68, 1, 84),
    (71, 45, 123),
    (60, 79, 138),
    (40, 112, 141),
    (34, 143, 140),
    (44, 175, 128),
    (94, 201, 98),
    (173, 220, 48),
    (253, 231, 37),
)

# Differences, -1 to 1: blue is less, orange is more, grey is no difference on either theme.
DIVERGING: tuple[Rgb, ...] = (
    (33, 102, 172),
    (103, 169, 207),
    (178, 178, 178),
    (236, 150, 88),
    (190, 72, 4),
)

# Heads: the same head has the same colour on every page. The first eight differ most.
HEADS: tuple[Rgb, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (213, 94, 0),
    (86, 180, 233),
    (153, 153, 51),
    (140, 40, 80),
    (136, 85, 190),
    (68, 190, 170),
    (150, 100, 50),
    (221, 204, 119),
    (100, 110, 220),
    (60, 120, 60),
    (235, 130, 130),
    (110, 150, 170),
)

# What a mask lets through: no weight, and so none of the scale's colours.
MAY_LOOK: Rgb = (168, 190, 214)

SOURCE: Rgb = (0, 114, 178)
TARGET: Rgb = (213, 94, 0)

# Words on white paper.
INK: Rgb = (30, 32, 40)
FILE_FONT = "sans-serif"

# What stands beside the point, on either theme.
QUIET: Rgb = (128, 128, 128)
# A point that holds a name in black.
POINT: Rgb = (205, 212, 220)

# Everything that is not data is a mixture of the page's own text and background, and so follows
# the light and the dark theme by itself; the tints are translucent for the same reason.
_VARIABLES = {
    "--lab-font": "var(--st-font, sans-serif)",
    "--lab-code-font": "var(--st-code-font, monospace)",
    "--lab-text": "var(--st-text-color, CanvasText)",
    "--lab-page": "var(--st-background-color, Canvas)",
    "--lab-accent": "var(--st-primary-color, Highlight)",
    "--lab-quiet": "color-mix(in srgb, var(--lab-text) 66%, var(--lab-page))",
    "--lab-rule": "color-mix(in srgb, var(--lab-text) 22%, transparent)",
    "--lab-faint": "color-mix(in srgb, var(--lab-text) 36%, var(--lab-page))",
    "--lab-grid": "color-mix(in srgb, var(--lab-page) 55%, transparent)",
    "--lab-hatch": "color-mix(in srgb, var(--lab-text) 17%, transparent)",
    "--lab-hatched": (
        "repeating-linear-gradient(135deg, var(--lab-hatch) 0 1px, transparent 1px 4px)"
    ),
    "--lab-raised": "color-mix(in srgb, var(--lab-text) 4%, var(--lab-page))",
    "--lab-shadow": "rgb(0 0 0 / 0.22)",
    # Drawn on top of the scale, whose ends are dark purple and yellow: white on dark edges.
    "--lab-mark": "rgb(255 255 255)",
    "--lab-mark-edge": "rgb(0 0 0 / 0.75)",
    # On the scale's light colours, and in saved pictures, which are for paper on either theme.
    "--lab-paper": "rgb(255 255 255)",
    "--lab-ink": "rgb(30 32 40)",
    "--lab-ink-quiet": "rgb(95 98 108)",
    "--lab-ink-rule": "rgb(0 0 0 / 0.2)",
    # What the reference says, and where it is not followed; with enough contrast on either theme.
    "--lab-true": "color-mix(in srgb, rgb(0 158 115) 78%, var(--lab-text))",
    "--lab-differs": "color-mix(in srgb, rgb(214 39 110) 82%, var(--lab-text))",
}


PAPER = "white"
"""Behind charts that are saved as files."""


def colour(rgb: Rgb, opacity: float = 1.0) -> str:
    """Write a colour for CSS or a chart.

    >>> colour((0, 114, 178), 0.5)
    'rgba(0, 114, 178, 0.5)'
    >>> colour((0, 114, 178))
    'rgb(0, 114, 178)'
    """
    red, green, blue = rgb
    if opacity == 1.0:
        return f"rgb({red}, {green}, {blue})"
    return f"rgba({red}, {green}, {blue}, {opacity})"


def scale_table(stops: tuple[Rgb, ...] = SEQUENTIAL, count: int = 256) -> npt.NDArray[np.uint8]:
    """Interpolate a scale to `count` colours, one per row.

    >>> scale_table(((0, 0, 0), (255, 255, 255)))[128].tolist()
    [128, 128, 128]
    """
    known = np.linspace(0.0, count - 1.0, len(stops))
    channels = np.array(stops, dtype=np.float64).T
    table = np.stack([np.interp(np.arange(count), known, channel) for channel in channels], axis=1)
    return np.rint(table).astype(np.uint8)


def diverging_table() -> npt.NDArray[np.uint8]:
    """Interpolate DIVERGING to 255 colours: an odd number, so that one of them is 0 exactly.

    >>> diverging_table().shape, diverging_table()[127].tolist()
    ((255, 3), [178, 178, 178])
    """
    return scale_table(DIVERGING, 255)


def css_variables() -> str:
    """Return the custom properties by which a component's CSS names colours and fonts."""
    tints = {
        "--lab-source": colour(SOURCE, 0.19),
        "--lab-source-strong": colour(SOURCE, 0.5),
        "--lab-target": colour(TARGET, 0.19),
        "--lab-target-strong": colour(TARGET, 0.5),
    }
    heads = {f"--lab-head-{head}": colour(rgb) for head, rgb in enumerate(HEADS)}
    lines = [f"  {name}: {value};" for name, value in (_VARIABLES | tints | heads).items()]
    return "\n".join([":host {", *lines, "}", ""])
