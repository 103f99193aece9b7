"""What each step of decoding costs, and why training computes all of them at once."""

from core.decoding.timing import (
    DecodingCost,
    DecodingTimes,
    computed_cells,
    decoding_cost,
    measure_times,
)
from pages.frame import charts, controls
from pages.frame.language import _, joined, n_, number
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.computed_cells import computed_cells as cells
from viz.charts.curves import Chart, Quantity, curves
from viz.component.standalone import Drawn

MEASURED = "measure_times"


def draw(opened: Opened) -> Shown:
    """Draw how often each cell is computed and, on request, how long each step takes."""
    measured = controls.toggle(_("Measure the time"), MEASURED)
    computing = Recipe(decoding_cost, opened.path, opened.sentence, *([True] if measured else []))
    cost = computing.result()
    pictures: list[Drawn] = []
    if cost.times is not None:
        pictures.append(charts.chart(_times_chart(cost.times)))
    pictures.append(charts.chart(_cells_chart(cost), own_width=True))
    return Shown(
        name="decoding-cost",
        title=_("What each step of decoding costs"),
        recipe=computing,
        seen=_seen(cost),
        code=[computed_cells, measure_times],
        pictures=pictures,
    )


def _times_chart(times: DecodingTimes) -> Chart:
    series = {
        _("KV cache"): [1000 * each for each in times.cached],
        _("no cache"): [1000 * each for each in times.recomputed],
    }
    return curves(
        series,
        x=Quantity(_("step")),
        y=Quantity(_("milliseconds")),
        title=_("How long each step takes"),
    )


def _cells_chart(cost: DecodingCost) -> Chart:
    anew, kept, n = cost.cells(cached=False), cost.cells(cached=True), cost.n_steps
    pictures = {}
    for name, counts, passes in (
        (_("decoding, no cache"), anew, n),
        (_("decoding, KV cache"), kept, n),
        (_("training"), kept, 1),
    ):
        size = _("scores: {cells}, passes: {n}").format(
            cells=number(sum(map(sum, counts))), n=number(passes)
        )
        pictures[f"{name}\n{size}"] = counts
    return cells(
        pictures,
        x=_("key"),
        y=_("query"),
        count=_("times computed"),
        title=_("How often each score of decoder self-attention is computed"),
    )


def _seen(cost: DecodingCost) -> str:
    """Return how many scores and passes a sentence takes, and the time where it was measured."""
    kept, anew = (sum(map(sum, cost.cells(cached=is_kept))) for is_kept in (True, False))
    told = [
        n_(
            "Without a cache each map of this sentence takes **{anew}** attention scores, with a "
            "KV cache **{kept}**: {times} × fewer. Decoding needs {n} pass of the decoder, one "
            "for each token; training computes the same {kept} scores in **1**.",
            "Without a cache each map of this sentence takes **{anew}** attention scores, with a "
            "KV cache **{kept}**: {times} × fewer. Decoding needs {n} passes of the decoder, one "
            "for each token; training computes the same {kept} scores in **1**.",
            cost.n_steps,
        ).format(
            n=number(cost.n_steps),
            kept=number(kept),
            anew=number(anew),
            times=number(anew / kept, 1),
        )
    ]
    if (times := cost.times) is not None:
        told.append(
            _(
                "Decoding took {cached} ms with the cache and {anew} ms without; the one pass of "
                "training took {one} ms. The first step runs the encoder, too."
            ).format(
                cached=number(1000 * sum(times.cached), 1),
                anew=number(1000 * sum(times.recomputed), 1),
                one=number(1000 * times.one_pass, 1),
            )
        )
    return joined(told)
