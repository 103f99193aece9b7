"""One number for each head of the loaded model, with the scaling and without it."""

from collections.abc import Mapping

from core.heads import Head
from core.studies.lessons.scaling import PerHead
from pages.frame.language import _
from viz.charts.curves import Chart, Quantity
from viz.charts.dumbbells import dumbbells


def dots(series: Mapping[str, PerHead], value: Quantity, title: str) -> Chart:
    """Return a column for each head with a dot for each series.

    Args:
        series: What is compared → its numbers.
        value: What they are.
        title: A sentence.
    """
    heads = _heads(next(iter(series.values())))
    return dumbbells(
        {name: _listed(numbers) for name, numbers in series.items()},
        [f"{head.layer}.{head.index}" for head in heads],
        groups=[_(head.kind.label) for head in heads],
        value=value,
        of=_("layer.head"),
        title=title,
    )


def _heads(numbers: PerHead) -> list[Head]:
    return [head for site, of_site in numbers.items() for head in site.heads(len(of_site))]


def _listed(numbers: PerHead) -> list[float]:
    return [each for of_site in numbers.values() for each in of_site]
