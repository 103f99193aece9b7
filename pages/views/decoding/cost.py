"""What each step of decoding costs, and why training computes all of them at once."""

from core.decoding.timing import DecodingCost, computed_cells, decoding_cost
from pages.frame import charts
from pages.frame.language import _, number
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.charts.computed_cells import computed_cells as cells
from viz.charts.curves import Chart


def draw(opened: Opened) -> Shown:
    """Draw how often each score is computed."""
    computing = Recipe(decoding_cost, opened.path, opened.sentence)
    cost = computing.result()
    return Shown(
        name="decoding-cost",
        title=_("What each step of decoding costs"),
        recipe=computing,
        seen=_seen(cost),
        code=[computed_cells],
        pictures=[charts.chart(_cells_chart(cost), own_width=True)],
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
    """Return how many scores and passes a sentence takes."""
    kept, anew = (sum(map(sum, cost.cells(cached=is_kept))) for is_kept in (True, False))
    text = _(
        "Without a cache a head computes **{anew}** scores for this sentence, with one **{kept}** "
        "({times} times fewer): each score once. Training computes the same {kept}, but in 1 pass "
        "of the decoder instead of {n}."
    )
    return text.format(
        n=number(cost.n_steps),
        kept=number(kept),
        anew=number(anew),
        times=number(anew / kept, significant=2, padded=False),
    )
