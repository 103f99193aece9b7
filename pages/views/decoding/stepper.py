"""Two decodings of a sentence as the stepper draws them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.decoding.step import weights_of_steps
from core.evaluate.side_by_side import Side, StepFigures, TwoDecodings
from core.heads import Kind, Site
from core.runs.run import Run
from core.tokenizer.tokenizer import Token
from pages.frame.language import labelled, translated
from pages.frame.maps import fed_labels, labels, side_labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened, default_head
from viz.stepper.decoding import (
    OWN_REFERENCE_TEXTS,
    Alternative,
    DecodingView,
    SideView,
    StepView,
)


def stepper_of(  # noqa: PLR0913
    opened: Opened,
    decoding: Recipe[TwoDecodings],
    overrides: Mapping[int, int],
    start: int,
    arrival: int,
    *,
    is_own: bool,
    beside: bool,
) -> DecodingView:
    """Return what the stepper shows.

    Args:
        opened: The run and the sentence.
        decoding: Computes both sides.
        overrides: Step → id that was put into the free decoding.
        start: The step that it opens on.
        arrival: Which arrival of the visitor it is drawn for.
        is_own: Whether the reference is what the model writes itself.
        beside: Whether teacher forcing is drawn; else each step writes the true word.
    """
    decodings, inspection = decoding.result(), opened.inspection
    sides = Recipe(_sides, opened.path, decoding).result()
    steps = tuple(
        replace(step, overridden=at in overrides and decodings.free[at].rank(overrides[at]) > 0)
        for at, step in enumerate(sides["free"].steps)
    )
    if not beside:
        steps = tuple(replace(step, true=None) for step in steps)
    kind = Kind.DECODER_SELF if sides["free"].cross is None else Kind.CROSS
    return DecodingView(
        source=side_labels(inspection, "source"),
        free=replace(sides["free"], steps=steps),
        forced=sides.get("forced") if beside else None,
        first_difference=decodings.first_difference,
        look=default_head(opened.run, kind),
        start=start,
        arrival=arrival,
        texts=translated(OWN_REFERENCE_TEXTS) if is_own else {},
        about=labelled(opened.run.name, opened.sentence),
    )


def _sides(run: Run, decodings: TwoDecodings) -> dict[str, SideView]:
    free = decodings.sides["free"]
    drawn = _side(run, free)
    return {
        name: drawn if side is free else _side(run, side) for name, side in decodings.sides.items()
    }


def _side(run: Run, side: Side) -> SideView:
    def weights(sites: list[Site]) -> NDArray[np.float32] | None:
        if not sites:
            return None
        return np.stack([weights_of_steps(side.steps, site).numpy() for site in sorted(sites)])

    first = side.steps[0]
    of_self = [site for site in first.attention if site.attention.is_self]
    alone = run.settings.model.is_decoder_only
    return SideView(
        fed=fed_labels(side.fed, len(first.prefix) if alone else 0),
        steps=tuple(map(_step, [run] * len(side.steps), side.figures, side.named)),
        cross=weights([site for site in first.attention if site not in of_self]),
        self_=weights(of_self),
    )


def _step(run: Run, figures: StepFigures, named: Sequence[Token]) -> StepView:
    # Of two tokens that read alike one shows its space.
    both = [figures.predicted] if figures.true is None else [figures.predicted, figures.true]
    chosen, true = (
        labels([token])[0] for token in run.target_tokenizer.describe_alone([both[0], both[-1]])
    )
    return StepView(
        chosen=chosen,
        chosen_probability=figures.predicted_probability,
        top=tuple(
            Alternative(token, labels([text])[0], probability)
            for token, text, probability in zip(
                figures.tokens, named, figures.probabilities, strict=True
            )
        ),
        others=figures.others,
        true=None if figures.true is None else true,
        true_probability=figures.true_probability,
        true_rank=figures.true_rank,
        chosen_token=figures.predicted,
        true_token=figures.true,
    )
