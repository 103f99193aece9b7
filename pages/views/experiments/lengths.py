"""What came out of an experiment by the length of the sentences, or by the distance of words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from core.studies.attribution.encoder_gradients import influence_by_distance
from core.studies.experiments.findings import fall
from core.studies.experiments.results import of_distances, of_lengths
from pages.frame import charts, controls
from pages.frame.language import _, capitalised, joined, listed, n_, number, percent
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.experiments import claims, question
from pages.views.experiments.question import Asked
from viz.charts.curves import Level, Quantity, Rule, curves

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
    """Say whether a question opens on this view: its claim is about lengths."""
    return bool(asked.experiment.beyond)


def draw(asked: Asked) -> Shown | None:
    """Draw each variant over the length of the source, or over the distance of a token."""
    by = LENGTH
    if _has_distances(asked):
        offered = {LENGTH: _("by length"), DISTANCE: _("by distance")}
        by = controls.choice(_("Horizontal axis"), BY, offered, LENGTH)
    return draw_distances(asked) if by == DISTANCE else _draw_lengths(asked)


def _has_distances(asked: Asked) -> bool:
    return all(asked.results.by_distance(each.name) for each in asked.trained)


def is_about_distances(asked: Asked) -> bool:
    """Say whether the answer to a question is how far the influence of a token reaches."""
    return asked.experiment.by_distance and _has_distances(asked)


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
    rules: list[Rule | Level] = [Level(HALF, percent(HALF))]
    if learned:
        rules.append(Rule(learned, _("not in training")))
    title = _("Correct sentences by length, after {steps} steps (at least {n} of each)")
    picture = charts.chart(
        curves(
            series,
            at=places,
            x=Quantity(_("tokens of the source"), zero=False),
            # There is room for words above what is right throughout.
            y=Quantity(_("correct sentences"), share=True, domain=(0.0, 1.09)),
            title=title.format(steps=number(asked.steps), n=number(FEWEST_SENTENCES)),
            rules=rules,
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-lengths",
        title=_("{question} By length").format(question=_(asked.experiment.question)),
        seen=_seen(asked, series, places),
        recipe=asked.recipe(of_lengths),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
    )


def _longest_learned(asked: Asked, places: Places) -> int | None:
    """Return the greatest length that training draws, where longer sentences are measured, too."""
    beyond = asked.experiment.beyond
    return max(n for n in next(iter(places.values())) if n not in beyond) if beyond else None


def _seen(asked: Asked, series: Series, places: Places) -> str:
    """Return whether lengths tell the variants apart, and how far the first and the last get."""
    reaches = {name: _reach(places[name], shares) for name, shares in series.items() if shares}
    answer = claims.answer_in_words(asked) if opens(asked) else ""
    lines = [answer, *_far(reaches, answer)]
    if learned := _longest_learned(asked, places):
        text = _("Training has no sentence longer than {n} tokens.")
        lines.append(text.format(n=number(learned)))
    presets = (asked.experiment.preset(each, 0) for each in asked.trained)
    if len({each.model.vocab_size for each in presets}) > 1:
        lines.append(_("Each vocabulary has tokens of its own, so these lengths do not compare."))
    return joined(lines)


def _far(reaches: Mapping[str, int], answer: str) -> Iterator[str]:
    """Say with which variants short sentences fail, and with which of the others long ones first.

    A length more or less is chance.
    """
    if never := _that_reach(0, reaches):
        text = _("**Even short sentences are lost with {variants}**.")
        yield text.format(variants=question.names(never, reaches))
    reached = [reach for reach in reaches.values() if reach] or [0]
    short, long = min(reached), max(reached)
    if long - short > 1:
        text = _(
            "**Long sentences are lost first with {few}**: at least half are correct up to {short} "
            "tokens; with {many}, up to {long}."
        )
        if answer:
            text = _(
                "At least half of the sentences are correct up to {short} tokens with {few}, up to "
                "{long} with {many}."
            )
        few, many = (question.names(_that_reach(at, reaches), reaches) for at in (short, long))
        yield text.format(short=number(short), few=few, long=number(long), many=many)
    elif not never and not answer:
        yield _("**Length does not tell the variants apart**.")


def _that_reach(length: int, reaches: Mapping[str, int]) -> list[str]:
    return [name for name, reach in reaches.items() if reach == length]


def _reach(lengths: Sequence[int], shares: Sequence[float]) -> int:
    """Return the length up to which at least half is right; 0 if not even at the shortest."""
    enough = takewhile(lambda each: each[1] >= HALF, zip(lengths, shares, strict=True))
    return max((length for length, _share in enough), default=0)


def draw_distances(asked: Asked) -> Shown:
    """Draw each variant's gradient norm over the distance of the token that it is taken of."""
    found = {_(each.label): asked.results.by_distance(each.name) for each in asked.trained}
    # All variants are measured on the same sentences. A position's own token is 1 in all of them.
    first = next(iter(found.values()))
    # As far as the longest sentences reach, only their first token and the end of sentence meet.
    distances = [
        distance
        for distance, (n, _norm) in first.items()
        if 0 < distance < max(first) and n >= FEWEST_PAIRS
    ]
    picture = charts.chart(
        curves(
            {
                label: [of_distance[distance][1] for distance in distances]
                for label, of_distance in found.items()
            },
            at=distances,
            x=Quantity(_("tokens away from the position"), zero=False),
            # Beyond a few tokens all but one would lie on 0.
            y=Quantity(_("influence (own token = 100 %)"), share=True, squeezed=_SQUEEZED),
            title=_("Influence of a token on the encoder’s output some tokens away"),
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
        formula=r"\frac{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i"
        r" / \partial x_{i \pm k} \rVert^2}}"
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
            "**It fades least with “{variant}”:** from {near} token away to {far} the influence "
            "falls {factors}."
        )
        least = labels[left[0].variant]
        lines.append(
            text.format(variant=least, near=number(near), far=number(far), factors=factors)
        )
    lines += [
        n_(
            "{variant} reaches {n} token away, no farther.",
            "{variant} reaches {n} tokens away, no farther.",
            each.reach,
        ).format(variant=capitalised(labels[each.variant]))
        for each in falls
        if not each.far
    ]
    return joined(lines)
