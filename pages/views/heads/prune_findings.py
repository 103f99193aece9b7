"""What pruning finds, in words: how many heads the task needs, and which."""

from collections.abc import Mapping, Sequence

from core.studies.effects.pruning import PruningPoint, heads_needed
from pages.frame import notes
from pages.frame.language import N_, _, n_, number, percent
from pages.frame.listed import joined, listed_apart

TOLERANCE = 0.01
ORDERS = {"greedy": N_("cheapest head each time"), "by_score": N_("fixed order, by cost alone")}
"""In which heads go → what people call it."""
ORDERS_SAID = {
    "greedy": N_("Cheapest head each time"),
    "by_score": N_("Fixed order"),
}
"""In which heads go, at the beginning of a sentence."""

Points = Mapping[str, Sequence[PruningPoint]]
"""Name of an order → what is measured of its curve."""


def seen(points: Points) -> str:
    """Say in Markdown how many heads the task needs, as far as that is known."""
    if not any(points.values()):
        return _("Nothing is measured yet: press “{button}”.").format(button=_("Prune"))
    whole = [
        needed(name, found) for name, found in points.items() if found and found[-1].n_left == 0
    ]
    if whole:
        return joined(whole)
    name, found = next((name, found) for name, found in points.items() if found)
    text = _(
        "In the order “{name}”, exact match is **{share}** with {left} of {of} heads left; with "
        "all it is {all}."
    )
    return text.format(
        name=_(ORDERS[name]),
        share=percent(found[-1].exact_match),
        left=number(found[-1].n_left),
        of=number(found[0].n_left),
        all=percent(found[0].exact_match),
    )


def needed(name: str, found: Sequence[PruningPoint]) -> str:
    """Say in Markdown how many heads the task needs in an order.

    Args:
        name: Of the order.
        found: All points of its curve.
    """
    n_needed = heads_needed(found, TOLERANCE)
    if n_needed is None:
        text = _("All heads together get **{all}** right: there is too little to lose.")
        return text.format(all=percent(found[0].exact_match))
    text = n_(
        "{name}: **{gone}** of {of} head can go, and {share} of {n} sentences are still right "
        "(with all {all}).",
        "{name}: **{gone}** of {of} heads can go, and {share} of {n} sentences are still right "
        "(with all {all}).",
        found[0].n_left,
    )
    [at] = [point for point in found if point.n_left == n_needed]
    return text.format(
        name=_(ORDERS_SAID[name]),
        gone=number(found[0].n_left - n_needed),
        of=number(found[0].n_left),
        share=percent(at.exact_match),
        all=percent(found[0].exact_match),
        n=number(found[0].n),
    )


def last_to_go(name: str, found: Sequence[PruningPoint]) -> str:
    """Say which heads stay longest, and when a head counts as needed."""
    last = [notes.site_and_head(point.removed) for point in found[-3:] if point.removed is not None]
    text = _(
        "Order “{name}”, the last heads to go: {last}. A head is needed where exact match falls "
        "by more than {points} without it."
    )
    points = n_("{n} point", "{n} points", round(100 * TOLERANCE))
    return text.format(
        name=_(ORDERS[name]),
        last=listed_apart(last),
        points=points.format(n=number(100 * TOLERANCE, 0)),
    )
