"""What the two views that sample vectors of every width have in common."""

from collections.abc import Sequence

from core.studies.lessons.scaling import Spread
from pages.frame import controls
from pages.frame.language import _, number
from pages.frame.view import Columns
from viz.charts.curves import Chart, Quantity, Rule, curves


def ask_seed() -> int:
    """Ask for the seed of what is sampled."""
    return controls.amount(_("Seed"), "sample_seed", 0, limits=(0, 9999))


def ask_count(label: str, name: str, offered: Sequence[int], default: int) -> int:
    """Ask how many there are of something.

    Args:
        label: Of what.
        name: Of the choice, in the URL.
        offered: Some numbers.
        default: One of them.
    """
    numbers = {each: number(each) for each in offered}
    return controls.choice(label, name, numbers, default, labelled=True)


def against_width(
    series: dict[str, list[float]], found: Sequence[Spread], *, y: str, title: str, d_k: int
) -> Chart:
    """Return a chart over d_k, both axes logarithmic, with this model's d_k marked.

    Args:
        series: Name → one value for each width.
        found: What was sampled, width by width.
        y: What the values are.
        title: A sentence.
        d_k: Of this model.
    """
    return curves(
        series,
        x=Quantity("d_k", log=True),
        y=Quantity(y, log=True),
        at=[each.d_k for each in found],
        title=title,
        rules=[Rule(d_k, _("this model: {d_k}").format(d_k=number(d_k)))],
    )


def columns(found: Sequence[Spread]) -> Columns:
    """Return what was sampled, one row for each width."""
    return {
        "d_k": [each.d_k for each in found],
        "unscaled": [each.unscaled for each in found],
        "scaled": [each.scaled for each in found],
    }
