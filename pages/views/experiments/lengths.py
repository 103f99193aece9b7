"""What came out of an experiment, by the length of the sentences."""

from collections.abc import Iterator, Mapping, Sequence

from core.studies.experiments.results import Results
from pages.frame import charts
from pages.frame.language import _, number, percent
from pages.frame.listed import listed_apart
from pages.frame.view import Columns, Shown
from pages.views.experiments import question
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, Rule, curves

FEWEST = 20
"""A length of which there are fewer sentences, all seeds counted, is left out of the chart."""


def draw(asked: Asked) -> Shown | None:
    """Draw each variant's share of right sentences over the length of the source."""
    found = {_(each.label): asked.results.by_length(each.name) for each in asked.trained}
    # All variants are measured on the same sentences, which may be cut into other tokens.
    places = {
        label: [length for length, (n, _right) in of_length.items() if n >= FEWEST]
        for label, of_length in found.items()
    }
    series = {
        label: [found[label][length][1] / found[label][length][0] for length in lengths]
        for label, lengths in places.items()
    }
    lengths = next(iter(places.values()))
    alike = all(each == lengths for each in places.values())
    said = _seen_apart(series, places)
    if alike:
        first = next(iter(found.values()))
        sentences = [first[length][0] for length in lengths]
        said = _seen(series, lengths, sentences, asked.experiment.beyond)
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
        seen=" ".join(said),
        numbers=lambda: _numbers(asked),
        python=_python(asked),
        code=(Results, Results.by_length),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
        how_to_read=_(
            "All seeds of a variant are counted together. Lengths with fewer sentences than {n} "
            "are left out."
        ).format(n=FEWEST),
    )


def _ends(asked: Asked, lengths: Sequence[int]) -> list[Rule]:
    """Mark where the lengths end that training draws."""
    learned = [length for length in lengths if length not in asked.experiment.beyond]
    if len(learned) == len(lengths):
        return []
    return [Rule(learned[-1], _("longer: never learned"))]


def _seen(
    series: Mapping[str, Sequence[float]],
    lengths: Sequence[int],
    sentences: Sequence[int],
    beyond: Sequence[int],
) -> Iterator[str]:
    """Say what each variant has right of the longest sources, and of others.

    Args:
        series: Label → share of right sentences, by length.
        lengths: Tokens of a source.
        sentences: How many of that length each variant has translated, all seeds together.
        beyond: The lengths that training never draws.
    """

    def shares(at: int) -> str:
        one = _("{variant} **{share}**")
        return " · ".join(
            one.format(variant=name, share=percent(values[at])) for name, values in series.items()
        )

    last = max(at for at, length in enumerate(lengths) if length not in beyond)
    text = _(
        "Right of the longest sources that were learned (tokens: {length}, n = {n}): {shares}."
    )
    other = _("Of longer ones ({length}, n = {n}): {shares}.")
    further = len(lengths) - 1
    if last == further:
        text = _("Right of the longest sources (tokens: {length}, n = {n}): {shares}.")
        other, further = _("Of the shortest ({length}, n = {n}): {shares}."), 0
    for each, at in ((text, last), (other, further)):
        yield each.format(length=lengths[at], n=number(sentences[at]), shares=shares(at))


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


def _numbers(asked: Asked) -> Columns:
    rows = [
        (variant.name, length, n, right)
        for variant in asked.trained
        for length, (n, right) in asked.results.by_length(variant.name).items()
    ]
    names = ("variant", "source_tokens", "sentences", "right")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _python(asked: Asked) -> str:
    names = [each.name for each in asked.trained]
    lines = [
        question.reading(asked),
        f"found = [results.by_length(name) for name in {names}]",
        "numbers = {",
        '    "source_tokens": [length for each in found for length in each],',
        '    "sentences": [n for each in found for n, right in each.values()],',
        '    "right": [right for each in found for n, right in each.values()],',
        "}",
        "",
    ]
    return "\n".join(lines)
