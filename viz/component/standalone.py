"""A view as one HTML file that works without the app and without a network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..charts.curves import Chart
from ..charts.export import chart_svg
from ..charts.plotly_figures import library
from ..charts.signs import ENGLISH, Signs
from .assets import Assets
from .page import component_html, page_html


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
    return page_html(title, facts or {}, "\n".join(content), language)


def _picture(picture: Drawn, number: int, signs: Signs) -> str:
    if picture.chart is not None:
        return f'<div class="chart">{chart_svg(picture.drawn_chart(), signs)}</div>'
    if picture.figure is not None:
        return picture.figure()
    if picture.assets is None or picture.packed is None:
        return picture.html
    return component_html(picture.assets, picture.packed(), number)
