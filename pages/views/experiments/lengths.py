"""What came out of an experiment by the length of the sentences, or by the distance of words."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from core.studies.attribution.encoder_gradients import influence_by_distance
from core.studies.experiments.tables import of_distances, of_lengths
from core.studies.experiments.verdicts import fall
from pages.frame import charts, controls
from pages.frame.language import _, capitalised, joined, listed, listed_apart, number
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, Rule, curves

BY = "lengths_by"
"""In the URL: what the horizontal axis is."""
LENGTH, DISTANCE = "length", "distance"
FEWEST_SENTENCES, FEWEST_PAIRS = 20, 50
"""A length, or a distance, with fewer in all seeds together is left out of the chart."""
Series = Mapping[str, Sequence[float]]
Places = Mapping[str, Sequence[int]]
_WHOLE = 10
"""Factors from here on are written without decimals."""
HALF = 0.5
_SQUEEZED = 0.001
"""Below it a gradient norm is drawn as what it is, above it by its magnitude."""


def opens(asked: Asked) -> bool:
    """Say whether a question opens on this view: its claim is about distances."""
    return asked.experiment.by_distance and _has_distances(asked)


def draw(asked: Asked) -> Shown | None:
    """Draw each variant over the length of the source, or over the distance of a token."""
    by = LENGTH
    if _has_distances(asked):
        offered = {LENGTH: _("by length"), DISTANCE: _("by distance")}
        by = controls.choice(
            _("Horizontal axis"), BY, offered, DISTANCE if opens(asked) else LENGTH
        )
    return _draw_distances(asked) if by == DISTANCE else _draw_lengths(asked)


def _has_distances(asked: Asked) -> bool:
    return all(asked.results.by_distance(each.name) for each in asked.trained)


def _draw_lengths(asked: Asked) -> Shown:
    """Draw each variant's share of right sentences over the length of the source."""
    found = {_(each.label): asked.results.by_length(each.name) for each in asked.trained}
    # All variants are measured on the same sentences, which may be cut into other tokens.
    places = {
        label: [length for length, (n, _right) in of_length.items() if n >= FEWEST_SENTENCES]
        for label, of_length in found.items()
    }
    series = {
        label: [found[label][length][1] / found[label][length][0] for length in lengths]
        for label, lengths in places.items()
    }
    learned = _longest_learned(asked, places)
    picture = charts.chart(
        curves(
            series,
            at=places,
            x=Quantity(_("tokens of the source"), zero=False),
            # There is room for words above what is right throughout.
            y=Quantity(_("sentences right"), share=True, domain=(0.0, 1.09)),
            title=_("Held-out sentences without a mistake, by their length"),
            rules=[Rule(learned, _("not in training"))] if learned else [],
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-lengths",
        title=_("{question} By length").format(question=_(asked.experiment.question)),
        seen=_seen(asked, question.compared(asked, series), places),
        recipe=asked.recipe(of_lengths),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _longest_learned(asked: Asked, places: Places) -> int | None:
    """Return the greatest length that training draws, where longer sentences are measured, too."""
    beyond = asked.experiment.beyond
    return max(n for n in next(iter(places.values())) if n not in beyond) if beyond else None


def _seen(asked: Asked, series: Series, places: Places) -> str:
    """Return up to which length at least half of the sentences are right with each variant.

    Variants whose lengths differ by one only are named together: that is chance.
    """
    reaches = {name: _reach(places[name], shares) for name, shares in series.items() if shares}
    groups: list[list[str]] = []
    for name in sorted(reaches, key=lambda each: -reaches[each]):
        if not groups or reaches[groups[-1][-1]] - reaches[name] > 1:
            groups.append([])
        groups[-1].append(name)
    one = _("{lengths} with {variants}")
    found = listed_apart(
        one.format(
            lengths=_lengths([reaches[name] for name in group], places[group[0]]),
            variants=question.names(group, reaches),
        )
        for group in groups
    )
    lines = [_("At least half of the sentences are right {groups}.").format(groups=found)]
    if learned := _longest_learned(asked, places):
        text = _("The longest sentence of training, in tokens: {n}.")
        lines.append(text.format(n=number(learned)))
    experiment = asked.experiment
    if len({experiment.preset(each, 0).model.vocab_size for each in asked.trained}) > 1:
        lines.append(_("Each vocabulary has tokens of its own, so these lengths do not compare."))
    return joined(lines)


def _reach(lengths: Sequence[int], shares: Sequence[float]) -> int:
    """Return the length up to which at least half is right; 0 if not even at the shortest."""
    enough = takewhile(lambda each: each[1] >= HALF, zip(lengths, shares, strict=True))
    return max((length for length, _share in enough), default=0)


def _lengths(reaches: Sequence[int], measured: Sequence[int]) -> str:
    """Return the lengths up to which a group of variants gets half right."""
    least, most = min(reaches), max(reaches)
    if not most:
        return _("**not even at the shortest length**")
    if least == measured[-1]:
        return _("**at every length, up to {n},**").format(n=number(most))
    if least == most:
        return _("**up to a length of {n}**").format(n=number(most))
    return _("**up to a length of {first}–{last}**").format(first=number(least), last=number(most))


def _draw_distances(asked: Asked) -> Shown:
    """Draw each variant's gradient norm over the distance of the token that it is taken of."""
    found = {_(each.label): asked.results.by_distance(each.name) for each in asked.trained}
    # All variants are measured on the same sentences. A position's own token is 1 in all of them.
    first = next(iter(found.values()))
    distances = [
        distance for distance, (n, _norm) in first.items() if distance and n >= FEWEST_PAIRS
    ]
    picture = charts.chart(
        curves(
            {
                label: [of_distance[distance][1] for distance in distances]
                for label, of_distance in found.items()
            },
            at=distances,
            x=Quantity(_("tokens before the position"), zero=False),
            # Beyond a few tokens all but one would lie on 0.
            y=Quantity(
                _("influence, own token = 100 % (symmetric log)"), share=True, squeezed=_SQUEEZED
            ),
            title=_("How much a token still counts some tokens later (gradient norm)"),
        )
    )
    question.say_caution(asked)
    near, far = distances[0], distances[-1]
    return Shown(
        name=f"{asked.experiment.name}-distances",
        title=_("{question} By distance").format(question=_(asked.experiment.question)),
        seen=_falls(asked, near, far),
        recipe=asked.recipe(of_distances),
        code=(influence_by_distance, fall),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_{i-k} \rVert^2}}"
        r"{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_i \rVert^2}}",
        how_to_read=view_text("experiments", "lengths").sections["By distance"],
    )


def _falls(asked: Asked, near: int, far: int) -> str:
    """Say by how many times a token does less at the farthest, those that lose least first."""
    falls = [fall(asked.results, each.name, near, far) for each in asked.trained]
    labels = {each.name: _(each.label) for each in asked.trained}
    left = sorted((each for each in falls if each.far), key=lambda each: each.times)
    lines = []
    if left:
        factors = listed(
            _("{times}-fold ({variant})").format(
                variant=labels[each.variant],
                times=number(each.times, 0 if each.times >= _WHOLE else 1),
            )
            for each in left
        )
        text = _(
            "**It fades least with “{variant}”:** from {near} token back to {far} the influence "
            "falls {factors}."
        )
        least = labels[left[0].variant]
        lines.append(
            text.format(variant=least, near=number(near), far=number(far), factors=factors)
        )
    lines += [
        _("{variant} reaches back this far and no farther, in tokens: {n}.").format(
            variant=capitalised(labels[each.variant]), n=number(each.reach)
        )
        for each in falls
        if not each.far
    ]
    return joined(lines)
