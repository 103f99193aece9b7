"""What came out of an experiment by the length of the sentences, or by the distance of words."""

from collections.abc import Mapping, Sequence

from core.studies.attribution.encoder_gradients import influence_by_distance
from core.studies.experiments.tables import of_distances, of_lengths
from core.studies.experiments.verdicts import fall
from pages.frame import charts, controls
from pages.frame.language import _, capitalised, joined, listed_apart, number, percent
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
_WHOLE = 10
"""Factors from here on are written without decimals."""
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
    picture = charts.chart(
        curves(
            series,
            at=places,
            x=Quantity(_("tokens of the source"), zero=False),
            # There is room for words above what is right throughout.
            y=Quantity(_("sentences right"), share=True, domain=(0.0, 1.09)),
            title=_("Held-out sentences without a mistake, by their length"),
            rules=_ends(asked, next(iter(places.values()))),
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-lengths",
        title=_("{question} By length").format(question=_(asked.experiment.question)),
        seen=_seen(series, places),
        recipe=asked.recipe(of_lengths),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _ends(asked: Asked, lengths: Sequence[int]) -> list[Rule]:
    """Mark where the lengths end that training draws."""
    learned = [length for length in lengths if length not in asked.experiment.beyond]
    if len(learned) == len(lengths):
        return []
    return [Rule(learned[-1], _("longer: never learned"))]


def _seen(series: Mapping[str, Sequence[float]], places: Mapping[str, Sequence[int]]) -> str:
    """Say how much each variant has right of the shortest sentences, and of the longest."""
    one = _("{variant} {first} (tokens: {short}) → **{last}** ({long})")
    changes = listed_apart(
        one.format(
            variant=name,
            first=percent(values[0]),
            last=percent(values[-1]),
            short=places[name][0],
            long=places[name][-1],
        )
        for name, values in series.items()
        if values
    )
    return _("From the shortest sentences to the longest: {changes}.").format(changes=changes)


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
    near, far = distances[0], distances[-1]
    return Shown(
        name=f"{asked.experiment.name}-distances",
        title=_("{question} By distance").format(question=_(asked.experiment.question)),
        seen=joined([_not_judged(asked), _falls(asked, near, far)]),
        recipe=asked.recipe(of_distances),
        code=(influence_by_distance, fall),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_{i-k} \rVert^2}}"
        r"{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_i \rVert^2}}",
        how_to_read=view_text("experiments", "lengths").sections["By distance"],
    )


def _not_judged(asked: Asked) -> str:
    """Say why these trainings do not decide the claim, where they do not."""
    if not asked.experiment.untested:
        return ""
    return _("**Not judged.** {why}").format(why=_(asked.experiment.untested))


def _falls(asked: Asked, near: int, far: int) -> str:
    """Say by how many times a token does less at the farthest, those that lose most first."""
    falls = {each.name: fall(asked.results, each.name, near, far) for each in asked.trained}
    labels = {each.name: _(each.label) for each in asked.trained}
    left = sorted((each for each in falls.values() if each.far), key=lambda each: -each.times)
    factors = listed_apart(
        _("{variant} **{times}-fold**").format(
            variant=labels[each.variant],
            times=number(each.times, 0 if each.times >= _WHOLE else 1),
        )
        for each in left
    )
    lines = []
    if left:
        text = _("From {near} token back to {far}, the influence of a token falls: {factors}.")
        lines.append(text.format(near=number(near), far=number(far), factors=factors))
    lines += [
        _("{variant} reaches no farther back than {n} tokens.").format(
            variant=capitalised(labels[each.variant]), n=number(each.reach)
        )
        for each in falls.values()
        if not each.far
    ]
    return joined(lines)
