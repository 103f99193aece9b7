"""The pictures of the lesson on scaling that show the loaded model's own heads."""

from collections.abc import Mapping, Sequence

from core.analysis.rescaled import PerHead, Rescaled, ScoreSpread
from core.model import Site
from pages.shared.charts import chart
from pages.shared.text import _
from viz.curves import Quantity
from viz.dumbbells import dumbbells


def variances(spread: ScoreSpread) -> None:
    """Draw the variance of every head's scores, before and after the division."""
    chart(
        dumbbells(
            {
                _("q·k"): _listed(spread.unscaled),
                _("q·k / √d_k"): _listed(spread.scaled),
            },
            _names(spread.scaled),
            groups=_groups(spread.scaled),
            value=Quantity(_("variance"), log=True),
            of=_("layer.head"),
            title=_("The model’s own heads, on this sentence"),
        ),
    )


def evenness(found: Rescaled) -> None:
    """Draw how even the rows of every head are, with and without the scaling."""
    chart(
        dumbbells(
            {
                _("as the model learned it"): _listed(found.scaled),
                _("scaling taken away"): _listed(found.unscaled),
            },
            _names(found.scaled),
            groups=_groups(found.scaled),
            value=Quantity(_("entropy, share of the largest"), share=True),
            of=_("layer.head"),
            title=_("How evenly each head looks around, with and without the scaling"),
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


def _groups(heads: PerHead) -> list[str]:
    return [_group(site) for site, numbers in heads.items() for _head in numbers]


def _group(site: Site) -> str:
    names = {
        "encoder.self": _("encoder self"),
        "decoder.self": _("decoder self"),
        "decoder.cross": _("cross"),
    }
    return names[site.attention]
