"""A view as one HTML file that works without the app and without a network."""

import base64
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .. import theme
from ..charts.curves import Chart
from ..charts.export import chart_svg
from ..charts.plotly_figures import library
from ..charts.signs import ENGLISH, Signs
from .assets import Assets, text_of, with_named_export, without_tags

# Nothing is fetched, whatever stands in the file.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One picture of a page: a component and what it draws, a chart, or HTML."""

    assets: Assets | None = None
    packed: Callable[[], bytes] | None = None
    """Makes the component's payload."""
    chart: Chart | Callable[[], Chart] | None = None
    """A function makes it when it is taken away: of what still grows, as it is then."""
    html: str = ""
    figure: Callable[[], str] | None = None
    """Makes a figure of Plotly as HTML."""

    def drawn_chart(self) -> Chart:
        """Return the chart of such a picture as it is now."""
        assert self.chart is not None
        return self.chart() if callable(self.chart) else self.chart


def standalone_page(
    pictures: Sequence[Drawn],
    title: str,
    facts: Mapping[str, str] | None = None,
    *,
    language: str = "en",
    signs: Signs = ENGLISH,
) -> str:
    """Return a page with pictures.

    Args:
        pictures: From top to bottom.
        title: A sentence; any text.
        facts: What stands below the title: name → any text.
        language: In which title, facts and pictures are, as browsers call it (BCP 47).
        signs: What numbers in charts are written with.

    Raises:
        ValueError: A component's script does not export exactly one function as its default.
    """
    content = [_picture(picture, number, signs) for number, picture in enumerate(pictures)]
    if any(picture.figure for picture in pictures):
        content.insert(0, f"<script>{library()}</script>")
    return _page(title, facts or {}, "\n".join(content), language)


def _picture(picture: Drawn, number: int, signs: Signs) -> str:
    if picture.chart is not None:
        return f'<div class="chart">{chart_svg(picture.drawn_chart(), signs)}</div>'
    if picture.figure is not None:
        return picture.figure()
    if picture.assets is None or picture.packed is None:
        return picture.html
    return _component(picture.assets, picture.packed(), number)


def _component(assets: Assets, packed: bytes, number: int) -> str:
    mounting = text_of("component/standalone.js").replace("NUMBER", str(number))
    return (
        f'<div id="view-{number}"><template shadowrootmode="open">'
        f"<style>{_inside_style(assets.css)}</style>{assets.html}</template></div>\n"
        f'<script type="text/plain" id="payload-{number}">'
        f"{base64.b64encode(packed).decode()}</script>\n"
        f'<script type="module">{without_tags(with_named_export(assets.js) + mounting)}</script>'
    )


def _page(title: str, facts: Mapping[str, str], content: str, language: str) -> str:
    colours = {"ACCENT_ON_DARK": theme.HEADS[5], "ACCENT": theme.SOURCE}
    style = text_of("component/standalone.css")
    for name, rgb in colours.items():
        style = style.replace(name, theme.colour(rgb))
    named = [
        f'<dt>{html.escape(name)}</dt><dd dir="auto">{html.escape(fact)}</dd>'
        for name, fact in facts.items()
    ]
    return text_of("component/standalone.html").format(
        language=html.escape(language),
        policy=_POLICY,
        title=html.escape(title),
        style=style,
        facts="\n".join(named),
        content=content,
    )


def _inside_style(css: str) -> str:
    r"""Return CSS that cannot end the element that it stands in.

    A backslash changes nothing in the strings and comments in which such signs can stand.

    >>> _inside_style("/* </style> */")
    '/* <\\/style> */'
    """
    return re.sub("</(?=style)", r"<\\/", css, flags=re.IGNORECASE)
