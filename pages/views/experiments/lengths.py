"""What came out of an experiment by the length of the sentences, or by the distance of words."""

from collections.abc import Iterator, Mapping, Sequence

from core.studies.attribution.encoder_gradients import influence_by_distance
from core.studies.experiments.experiment import BASE
from core.studies.experiments.tables import of_distances, of_lengths
from core.studies.experiments.verdicts import fall, falls_more, right_though_fading
from pages.frame import charts, controls
from pages.frame.language import _, capitalised, joined, listed_apart, n_, number, percent
from pages.frame.texts import view_text
from pages.frame.view import Shown
from pages.views.experiments import question
from pages.views.experiments.claims import of_claim
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
    lengths = next(iter(places.values()))
    alike = all(each == lengths for each in places.values())
    seen = _seen_apart(series, places)
    if alike:
        seen = _seen(series, lengths, asked.experiment.beyond)
    picture = charts.chart(
        curves(
            series,
            at=lengths if alike else places,
            x=Quantity(_("tokens of the source"), zero=False),
            # There is room for words above what is right throughout.
            y=Quantity(_("sentences right"), share=True, domain=(0.0, 1.09)),
            title=_("Held-out sentences without a mistake, by their length"),
            rules=_ends(asked, lengths),
        )
    )
    question.say_caution(asked)
    return Shown(
        name=f"{asked.experiment.name}-lengths",
        title=_("{question} By length").format(question=_(asked.experiment.question)),
        seen=joined(seen),
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


def _seen(
    series: Mapping[str, Sequence[float]], lengths: Sequence[int], beyond: Sequence[int]
) -> Iterator[str]:
    """Return which variants have most and least right of the longest sources, and of others.

    Args:
        series: Label → share of right sentences, by length.
        lengths: Tokens of a source.
        beyond: The lengths that training never draws.
    """
    last = max(at for at, length in enumerate(lengths) if length not in beyond)
    text = _(
        "At length {length}, the longest in training, **{best}** gets most right ({most}), "
        "**{worst}** least ({least})."
    )
    other = _(
        "At {length}, longer than any in training, it is {best} ({most}) and {worst} ({least})."
    )
    further = len(lengths) - 1
    if last == further:
        text = _(
            "At length {length}, that of the longest sources, **{best}** gets most right ({most}), "
            "**{worst}** least ({least})."
        )
        other = _("At {length}, the shortest, it is {best} ({most}) and {worst} ({least}).")
        further = 0
    for each, at in ((text, last), (other, further)):
        shares = {name: values[at] for name, values in series.items()}
        best, worst = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
        yield each.format(
            length=lengths[at],
            best=best,
            most=percent(shares[best]),
            worst=worst,
            least=percent(shares[worst]),
        )


def _seen_apart(
    series: Mapping[str, Sequence[float]], places: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """Say the same where each variant has tokens of its own."""
    text = _("Each variant cuts the same sentences into other tokens. {changes}.")
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
    yield text.format(changes=changes)


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
        seen=joined([*_verdict(asked, near, far), _falls(asked, near, far), said_of_fading(asked)]),
        recipe=asked.recipe(of_distances),
        code=(influence_by_distance, fall),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_{i-k} \rVert^2}}"
        r"{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_i \rVert^2}}",
        how_to_read=view_text("experiments", "lengths").sections["By distance"],
    )


def _verdict(asked: Asked, near: int, far: int) -> Iterator[str]:
    """Say whether the influence falls more than the base's where that is claimed."""
    trained = {each.name for each in asked.trained}
    claimed = [each for each in asked.experiment.fading if each in trained]
    if not claimed or BASE not in trained:
        return
    if asked.experiment.untested:
        yield _("**Not judged.** {why}").format(why=_(asked.experiment.untested))
        return
    found = {falls_more(asked.results, each, BASE, near, far) for each in claimed}
    if found == {True} or False in found:
        yield of_claim(asked.experiment, holds=found == {True})
    else:
        yield _("**Undecided.**")


def _layers(asked: Asked, variant: str) -> str:
    n = asked.experiment.preset(asked.experiment.variant(variant), 0).model.n_encoder_layers
    return n_("{n} layer", "{n} layers", n).format(n=number(n))


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
    text = _("From {near} token back to {far}, the influence of a token falls: {factors}.")
    said = [text.format(near=number(near), far=number(far), factors=factors)] if left else []
    said += [
        n_(
            "{variant} reaches {n} token back with {layers}, no farther.",
            "{variant} reaches {n} tokens back with {layers}, no farther.",
            each.reach,
        ).format(
            variant=capitalised(labels[each.variant]),
            n=number(each.reach),
            layers=_layers(asked, each.variant),
        )
        for each in falls.values()
        if not each.far
    ]
    return joined(said)


def said_of_fading(asked: Asked) -> str:
    """Say how many variants have more right than the one that is claimed to reach farthest."""
    trained = {each.name: _(each.label) for each in asked.trained}
    if not asked.experiment.fading or BASE not in trained:
        return ""
    if not (found := right_though_fading(asked.results, BASE, list(trained))):
        return ""
    text = n_(
        "Yet {n} variant has more sentences right than {base}, which reaches farthest.",
        "Yet {n} variants have more sentences right than {base}, which reaches farthest.",
        len(found),
    )
    return text.format(n=number(len(found)), base=trained[BASE])
