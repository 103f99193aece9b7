"""Two decodings of a sentence as the stepper draws them, and all their numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.decoding.methods import Forced, Method
from core.decoding.step import DecodeStep, weights_of_steps
from core.evaluate.side_by_side import SideBySide, StepFigures, side_by_side
from core.heads import Site
from core.runs.run import Run
from pages.frame import cached
from pages.frame.language import translated
from pages.frame.listed import labelled
from pages.frame.maps import fed_labels, labels
from pages.frame.opening import Opened
from pages.frame.view import Columns
from pages.views.decoding.branches import Overrides
from viz.component.payload import TokenLabel
from viz.stepper.decoding import (
    DEFAULT_DECODING_TEXTS,
    OWN_REFERENCE_TEXTS,
    Alternative,
    DecodingView,
    SideView,
    StepView,
)

COLUMNS = ("side", "step", "number", "site", "head", "position", "token", "value")


@dataclass(frozen=True, slots=True)
class TwoDecodings:
    """A sentence decoded on the model's own words and, where there is a reference, on the true."""

    opened: Opened
    free: Sequence[DecodeStep]
    forced: Sequence[DecodeStep]
    """Empty without a reference."""
    figures: SideBySide
    sides: Mapping[str, SideView]
    """Name → what is drawn of it."""
    overrides: Overrides
    """What somebody put into the free decoding."""

    @property
    def by_name(self) -> dict[str, tuple[Sequence[DecodeStep], tuple[StepFigures, ...]]]:
        """Those that are shown: name → steps, and what they say."""
        found = {"free": (self.free, self.figures.free)}
        return found | ({"forced": (self.forced, self.figures.forced)} if self.forced else {})


def decode_both(
    run: Run,
    sentence: str,
    method: Method,
    overrides: tuple[tuple[int, int], ...],
    target: tuple[int, ...],
    goes_on: bool,
) -> tuple[list[DecodeStep], list[DecodeStep], SideBySide, dict[str, SideView]]:
    """Decode a sentence on the model's own words and on the true, and compare them.

    Args:
        run: The model's.
        sentence: As it was typed.
        method: How the model writes.
        overrides: Pairs of a step and the token that somebody put there.
        target: The true words; empty where there are none.
        goes_on: Whether they are a text that has no end.
    """
    free = cached.decoded(run.path, sentence, method, dict(overrides))
    config = run.model.config
    ends = () if config.is_decoder_only else config.eos_ids[:1]
    # Fed what the model writes by itself, teacher forcing takes the very same steps.
    is_own = [step.chosen for step in free] == [*target, *ends]
    forced: list[DecodeStep] = []
    if target:
        forced = free if is_own else cached.decoded(run.path, sentence, Forced(target), {})
    figures = side_by_side(free, forced, goes_on=goes_on)
    sides = {"free": _side(run, free, figures.free)}
    if forced:
        is_same = is_own and figures.forced == figures.free
        sides["forced"] = sides["free"] if is_same else _side(run, forced, figures.forced)
    return free, forced, figures, sides


def stepper_of(
    decodings: TwoDecodings, start: int, arrival: int = 0, *, is_own: bool = False
) -> DecodingView:
    """Return what the stepper shows.

    Args:
        decodings: Both sides.
        start: The step that it opens on.
        arrival: Which arrival of the visitor it is drawn for.
        is_own: Whether the reference is what the model writes itself.
    """
    opened, overrides, figures = decodings.opened, decodings.overrides, decodings.figures
    sides = decodings.sides
    steps = tuple(
        replace(
            step,
            overridden=index in overrides and decodings.free[index].rank(overrides[index]) > 0,
        )
        for index, step in enumerate(sides["free"].steps)
    )
    inspection = opened.inspection
    return DecodingView(
        source=labels(inspection.source_tokens, inspection.unknown_words),
        free=replace(sides["free"], steps=steps),
        forced=sides.get("forced"),
        divergence=figures.divergence,
        first_difference=figures.first_difference,
        start=start,
        arrival=arrival,
        texts=translated(DEFAULT_DECODING_TEXTS)
        | (translated(OWN_REFERENCE_TEXTS) if is_own else {}),
        about=labelled(opened.run.name, opened.sentence),
    )


def numbers(decodings: TwoDecodings) -> Columns:
    """Return a row for each number that the stepper shows.

    `others` is the probability of all tokens that are not named, `true_rank` how many tokens are
    more probable than the true one, `divergence` how far free running is from teacher forcing. A
    `weight` says how much a head of `site` looks at a token; `position` counts the tokens that it
    can look at.
    """
    rows = [*_of_distributions(decodings), *_of_heads(decodings)]
    return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))


Row = tuple[str, int, str, str | None, int | None, int | None, str | None, float]


def _of_distributions(decodings: TwoDecodings) -> list[Row]:
    sides = {name: figures for name, (_steps, figures) in decodings.by_name.items()}

    def rows(number: str) -> list[Row]:
        return [
            (name, step, number, None, None, None, None, held)
            for name, figures in sides.items()
            for step, each in enumerate(figures)
            if (held := getattr(each, number)) is not None
        ]

    return [
        *(
            (name, step, "probability", None, None, None, label.text, probability)
            for name, figures in sides.items()
            for step, each in enumerate(figures)
            for label, probability in zip(
                _labels_alone(decodings.opened.run, each), each.probabilities, strict=True
            )
        ),
        *rows("others"),
        *rows("entropy"),
        *rows("true_rank"),
        *(
            ("forced", step, "divergence", None, None, None, None, divergence)
            for step, divergence in enumerate(decodings.figures.divergence)
        ),
    ]


def _of_heads(decodings: TwoDecodings) -> list[Row]:
    source = [token.text for token in decodings.opened.inspection.source_tokens]
    tokenizer = decodings.opened.run.target_tokenizer
    return [
        (name, index, "weight", str(site), head, position, keys[position], weight)
        for name, (steps, _figures) in decodings.by_name.items()
        for fed in [[token.text for token in tokenizer.describe(steps[-1].prefix)]]
        for index, step in enumerate(steps)
        for site, weights_HK in step.attention.items()
        for keys in [fed if site.attention.is_self else source]
        for head, row in enumerate(weights_HK.tolist())
        for position, weight in enumerate(row)
    ]


def _side(run: Run, steps: Sequence[DecodeStep], figures: Sequence[StepFigures]) -> SideView:
    def weights(sites: list[Site]) -> NDArray[np.float32] | None:
        if not sites:
            return None
        return np.stack([weights_of_steps(steps, site).numpy() for site in sorted(sites)])

    of_self = [site for site in steps[0].attention if site.attention.is_self]
    fed = run.target_tokenizer.describe(steps[-1].prefix)
    alone = run.settings.model.is_decoder_only
    return SideView(
        fed=fed_labels(fed, len(steps[0].prefix) if alone else 0),
        steps=tuple(_step(run, each) for each in figures),
        cross=weights([site for site in steps[0].attention if site not in of_self]),
        self_=weights(of_self),
    )


def _step(run: Run, figures: StepFigures) -> StepView:
    return StepView(
        chosen=_label(run, figures.predicted),
        chosen_probability=figures.predicted_probability,
        top=tuple(
            Alternative(token, label, probability)
            for token, label, probability in zip(
                figures.tokens, _labels_alone(run, figures), figures.probabilities, strict=True
            )
        ),
        others=figures.others,
        entropy=figures.entropy,
        true=None if figures.true is None else _label(run, figures.true),
        true_probability=figures.true_probability,
        true_rank=figures.true_rank,
        chosen_token=figures.predicted,
        true_token=figures.true,
    )


def _labels_alone(run: Run, figures: StepFigures) -> list[TokenLabel]:
    """Return the labels of the most probable tokens, none of which continues another."""
    tokens = run.target_tokenizer.describe_alone(figures.tokens)
    return [labels([token])[0] for token in tokens]


def _label(run: Run, token: int) -> TokenLabel:
    return labels(run.target_tokenizer.describe_alone([token]))[0]
