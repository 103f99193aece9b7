"""How far the influence of a token reaches in each variant's encoder, by distance."""

from collections.abc import Iterator

from core.studies.attribution.distance import influence_by_distance
from core.studies.experiments.experiment import BASE
from core.studies.experiments.reach import fall, falls_more
from core.studies.experiments.results import Results
from pages.frame import charts
from pages.frame.language import _, capitalised, n_, number
from pages.frame.listed import joined, listed_apart
from pages.frame.view import Columns, Shown
from pages.views.experiments import question, surprise
from pages.views.experiments.question import Asked
from viz.charts.curves import Quantity, curves

FEWEST = 50
"""A distance at which there are fewer pairs, all seeds counted, is left out of the chart."""
_WHOLE = 10
"""Factors from here on are written without decimals."""
_SQUEEZED = 0.001
"""Below it a gradient norm is drawn as what it is, above it by its magnitude."""


def measured(asked: Asked) -> bool:
    """Say whether distances were measured; older results, and most questions, have none."""
    return all(asked.results.by_distance(each.name) for each in asked.trained)


def draw(asked: Asked) -> Shown | None:
    """Draw each variant's gradient norm over the distance of the token that it is taken of."""
    found = {_(each.label): asked.results.by_distance(each.name) for each in asked.trained}
    # All variants are measured on the same sentences. A position's own token is 1 in all of them.
    first = next(iter(found.values()))
    distances = [distance for distance, (n, _norm) in first.items() if distance and n >= FEWEST]
    series = {
        label: [of_distance[distance][1] for distance in distances]
        for label, of_distance in found.items()
    }
    picture = charts.chart(
        curves(
            series,
            at=distances,
            x=Quantity(_("tokens before the position"), zero=False),
            # Beyond a few tokens all but one would lie on 0.
            y=Quantity(
                _("influence, own token = 100 % (symmetric log)"), share=True, squeezed=_SQUEEZED
            ),
            title=_("How much a token still counts some tokens later (gradient norm)"),
        )
    )
    return Shown(
        name=f"{asked.experiment.name}-distances",
        title=_("{question} By distance").format(question=_(asked.experiment.question)),
        seen=_seen(asked, distances),
        numbers=lambda: _numbers(asked),
        python=_python(asked),
        code=(influence_by_distance, fall, Results, Results.by_distance),
        pictures=[picture],
        about={"task": asked.experiment.task, "command": asked.results.command},
        formula=r"\frac{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_{i-k} \rVert^2}}"
        r"{\sqrt{\mathrm{mean}_i\, \lVert \partial h_i / \partial x_i \rVert^2}}",
        how_to_read=_(
            "h is what the encoder hands to the decoder, x are the vectors of the tokens. The norm "
            "is that of the derivative of h at one position by x at another, k tokens before it: "
            "root mean square over all such pairs of held-out sentences, divided by that of the "
            "position’s own token. Distances with fewer pairs than {n} are left out."
        ).format(n=number(FEWEST)),
    )


def _seen(asked: Asked, distances: list[int]) -> str:
    """Say whether influence fades as is claimed, and by how many times in each variant."""
    near, far = distances[0], distances[-1]
    return joined(
        [
            *_verdict(asked, near, far),
            _falls(asked, near, far),
            surprise.said(asked, with_shares=True),
        ]
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
    if found == {True}:
        yield _("**Borne out.**")
    elif False in found:
        yield _("**Refuted.**")
    else:
        yield _("**Undecided.**")


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


def _layers(asked: Asked, variant: str) -> str:
    """Return how many layers the encoder of a variant has."""
    model = asked.experiment.preset(asked.experiment.variant(variant), 0).model
    text = n_("{n} layer", "{n} layers", model.n_encoder_layers)
    return text.format(n=number(model.n_encoder_layers))


def _numbers(asked: Asked) -> Columns:
    rows = [
        (variant.name, distance, pairs, norm)
        for variant in asked.trained
        for distance, (pairs, norm) in asked.results.by_distance(variant.name).items()
    ]
    names = ("variant", "tokens_before", "pairs", "gradient_norm")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _python(asked: Asked) -> str:
    names = [each.name for each in asked.trained]
    lines = [
        question.reading(asked),
        f"found = [results.by_distance(name) for name in {names}]",
        "numbers = {",
        '    "tokens_before": [distance for each in found for distance in each],',
        '    "pairs": [n for each in found for n, norm in each.values()],',
        '    "gradient_norm": [norm for each in found for n, norm in each.values()],',
        "}",
        "",
    ]
    return "\n".join(lines)
