"""The pictures of the lesson on scaling that show the loaded model's own heads."""

from collections.abc import Mapping, Sequence

from core.analysis.lessons.rescaled import PerHead, Rescaled, ScoreSpread
from pages.frame.charts import chart
from pages.frame.text import ATTENTIONS, _
from viz.charts.curves import Quantity
from viz.charts.dumbbells import dumbbells


def variances(spread: ScoreSpread) -> None:
    """Draw the variance of every head's scores, before and after the division."""
    _draw(
        {_("q·k"): spread.unscaled, _("q·k / √d_k"): spread.scaled},
        Quantity(_("variance"), log=True),
        _("The model’s own heads, on this sentence"),
    )


def evenness(found: Rescaled) -> None:
    """Draw how even the rows of every head are, with and without the scaling."""
    _draw(
        {_("as the model learned it"): found.scaled, _("scaling taken away"): found.unscaled},
        Quantity(_("entropy, share of the largest"), share=True),
        _("How evenly each head looks around, with and without the scaling"),
    )


def _draw(series: Mapping[str, PerHead], value: Quantity, title: str) -> None:
    heads = next(iter(series.values()))
    kinds = [ATTENTIONS[site.attention] for site, numbers in heads.items() for _head in numbers]
    chart(
        dumbbells(
            {name: _listed(numbers) for name, numbers in series.items()},
            _names(heads),
            groups=kinds,
            value=value,
            of=_("layer.head"),
            title=title,
        ),
    )


def columns(unscaled: PerHead, scaled: PerHead) -> Mapping[str, Sequence[object]]:
    """Return one row for each head, for a file."""
    heads = [(site, head) for site, numbers in scaled.items() for head in range(len(numbers))]
    return {
        "site": [str(site) for site, _head in heads],
        "head": [head for _site, head in heads],
        "not divided": _listed(unscaled),
        "divided by √d_k": _listed(scaled),
    }


def _listed(heads: PerHead) -> list[float]:
    return [each for numbers in heads.values() for each in numbers]


def _names(heads: PerHead) -> list[str]:
    return [
        f"{site.layer}.{head}" for site, numbers in heads.items() for head in range(len(numbers))
    ]
