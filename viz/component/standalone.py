"""A view as one HTML file that works without the app and without a network."""

import base64
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from viz import theme
from viz.charts.curves import Chart
from viz.charts.export import chart_svg
from viz.charts.signs import ENGLISH, Signs
from viz.component.assets import Assets, with_named_export, without_tags

# Streamlit's variables, which the components' colours are mixtures of, are not there in a file;
# the browser's own text and paper follow the light and the dark theme.
_STYLE = """
:root {{
  color-scheme: light dark;
  --st-text-color: CanvasText;
  --st-background-color: Canvas;
  --st-primary-color: {accent};
}}
@media (prefers-color-scheme: dark) {{ :root {{ --st-primary-color: {accent_on_dark}; }} }}
body {{
  margin: 0 auto;
  max-width: 1400px;
  padding: 24px 40px;
  background: Canvas;
  color: CanvasText;
  font: 14px/1.5 sans-serif;
}}
h1 {{ font-size: 22px; font-weight: 600; margin: 0 0 12px; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0 0 24px; }}
dt {{ opacity: 0.75; }}
dd {{ margin: 0; overflow-wrap: anywhere; }}
.chart svg {{ max-width: 100%; height: auto; }}
@media (max-width: 900px) {{ body {{ padding: 12px; }} }}
"""

# What Streamlit does for a component: it hands over bytes and a shadow root. Clicks go nowhere.
_MOUNTING = """
const written = document.getElementById("payload-NUMBER").textContent.trim();
mountComponent({
  data: Uint8Array.from(atob(written), (sign) => sign.charCodeAt(0)),
  parentElement: document.getElementById("view-NUMBER").shadowRoot,
  setTriggerValue() {},
  setStateValue() {},
});
"""

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1 dir="auto">{title}</h1>
<dl>
{facts}
</dl>
{content}
</main>
</body>
</html>
"""

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

    def __post_init__(self) -> None:
        if sum((self.assets is not None, self.chart is not None, bool(self.html))) != 1:
            raise ValueError("a picture is a component, a chart, or HTML")
        if (self.assets is None) != (self.packed is None):
            raise ValueError("a component needs something to draw")

    def drawn_chart(self) -> Chart:
        """Return the chart as it is now.

        Raises:
            ValueError: It is another kind of picture.
        """
        if self.chart is None:
            raise ValueError("this picture is no chart")
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
    return _page(title, facts or {}, "\n".join(content), language)


def _picture(picture: Drawn, number: int, signs: Signs) -> str:
    if picture.chart is not None:
        return f'<div class="chart">{chart_svg(picture.drawn_chart(), signs)}</div>'
    if picture.assets is None or picture.packed is None:
        return picture.html
    return _component(picture.assets, picture.packed(), number)


def _component(assets: Assets, packed: bytes, number: int) -> str:
    mounting = _MOUNTING.replace("NUMBER", str(number))
    return (
        f'<div id="view-{number}"><template shadowrootmode="open">'
        f"<style>{_inside_style(assets.css)}</style>{assets.html}</template></div>\n"
        f'<script type="text/plain" id="payload-{number}">'
        f"{base64.b64encode(packed).decode()}</script>\n"
        f'<script type="module">{without_tags(with_named_export(assets.js) + mounting)}</script>'
    )


def _page(title: str, facts: Mapping[str, str], content: str, language: str) -> str:
    style = _STYLE.format(
        accent=theme.colour(theme.SOURCE), accent_on_dark=theme.colour(theme.HEADS[5])
    )
    named = [
        f'<dt>{html.escape(name)}</dt><dd dir="auto">{html.escape(fact)}</dd>'
        for name, fact in facts.items()
    ]
    return _PAGE.format(
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
