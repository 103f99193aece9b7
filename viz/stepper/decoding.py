"""The decoding stepper: all steps of one sentence, packed for the component that draws them.

Weights are 16-bit integers, 0 to 65535: enough for the three digits that the pointer shows, at half
of the size of floats. Each side names its arrays, cross-attention and self-attention, by place.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from viz.component.assets import Assets, assets_of
from viz.component.payload import (
    Array,
    content_of,
    framed,
    read_label,
    unframed,
    written_label,
)
from viz.component.payload import TokenLabel as TokenLabel
from viz.stepper.decoding_view import DEFAULT_DECODING_TEXTS as DEFAULT_DECODING_TEXTS
from viz.stepper.decoding_view import OWN_REFERENCE_TEXTS as OWN_REFERENCE_TEXTS
from viz.stepper.decoding_view import Alternative as Alternative
from viz.stepper.decoding_view import DecodingView as DecodingView
from viz.stepper.decoding_view import SideView as SideView
from viz.stepper.decoding_view import StepView as StepView

_FULL = 65535

_Number = Callable[[TokenLabel], int]
_Weights = npt.NDArray[np.float32]


def pack_decoding(view: DecodingView, *, key: str = "", locale: str = "en") -> bytes:
    """Write a view as the one block of bytes that the component reads.

    Each label is written once, since most come back at every step.

    Args:
        view: All steps.
        key: The element's name; empty where there is but one.
        locale: The reader's language.
    """
    labels: dict[TokenLabel, int] = {}

    def number(label: TokenLabel) -> int:
        return labels.setdefault(label, len(labels))

    sides = [side for side in (view.free, view.forced) if side]
    arrays: list[Array] = []
    header: dict[str, Any] = {
        "key": key,
        "locale": locale,
        "source": [number(label) for label in view.source],
        "sides": [_written_side(side, number, arrays) for side in sides],
        "shape": view.free.n_heads,
        "divergence": view.divergence,
        "difference": view.first_difference,
        "texts": {**DEFAULT_DECODING_TEXTS, **view.texts},
        "about": view.about,
    }
    header["labels"] = [written_label(label) for label in labels]
    # Lets the component see that only the step to open on has changed, and keep what it has drawn.
    content = content_of(header, arrays)
    header |= {"start": view.start, "arrival": view.arrival, "content": content}
    return framed(header, arrays)


def unpack_decoding(payload: bytes) -> DecodingView:
    """Read a packed block again, as the component does.

    Returns:
        The view; every weight is within 1/65535, and 0 only where it was 0.
    """
    header, arrays = unframed(payload)
    labels = [read_label(written) for written in header["labels"]]
    sides = [_read_side(written, header, labels, arrays) for written in header["sides"]]
    return DecodingView(
        source=tuple(labels[i] for i in header["source"]),
        free=sides[0],
        forced=sides[1] if len(sides) > 1 else None,
        divergence=tuple(header["divergence"]),
        first_difference=header["difference"],
        start=header["start"],
        arrival=header["arrival"],
        texts=header["texts"],
        about=header["about"],
    )


def _written_side(side: SideView, number: _Number, arrays: list[Array]) -> dict[str, Any]:
    places: dict[str, int | None] = {}
    for name, weights in (("source", side.cross), ("target", side.self_)):
        places[name] = None if weights is None else len(arrays)
        arrays += [] if weights is None else [_written_weights(weights)]
    return {
        "fed": [number(label) for label in side.fed],
        "steps": [_written_step(step, number) for step in side.steps],
        **places,
    }


def _read_side(
    written: dict[str, Any], header: dict[str, Any], labels: list[TokenLabel], arrays: list[Array]
) -> SideView:
    shape = (*header["shape"], len(written["steps"]))

    def read(name: str) -> _Weights | None:
        if written[name] is None:
            return None
        return (arrays[written[name]].reshape(*shape, -1) / np.float32(_FULL)).astype(np.float32)

    return SideView(
        fed=tuple(labels[i] for i in written["fed"]),
        steps=tuple(_read_step(step, labels) for step in written["steps"]),
        cross=read("source"),
        self_=read("target"),
    )


def _written_step(step: StepView, number: _Number) -> dict[str, Any]:
    return {
        "chosen": [number(step.chosen), step.chosen_probability],
        "chosenAt": _place(step.chosen_token, step.chosen, step.chosen_probability, step.top),
        "top": [[each.token, number(each.label), each.probability] for each in step.top],
        "others": step.others,
        "entropy": step.entropy,
        "true": step.true and [number(step.true), step.true_probability, step.true_rank],
        "trueAt": -1
        if step.true is None or step.true_probability is None
        else _place(step.true_token, step.true, step.true_probability, step.top),
        "overridden": step.overridden,
    }


def _place(
    token: int | None, label: TokenLabel, probability: float, top: tuple[Alternative, ...]
) -> int:
    """Return which alternative a token is, -1 if none.

    Two tokens may read the same ("le" within a word and as a word), and one token may read
    otherwise in a list ("␣le"), hence its id; where that is not known, the probability helps.
    """

    def is_it(each: Alternative) -> bool:
        if token is not None:
            return each.token == token
        return each.label == label and math.isclose(each.probability, probability, abs_tol=1e-6)

    return next((i for i, each in enumerate(top) if is_it(each)), -1)


def _read_step(written: dict[str, Any], labels: list[TokenLabel]) -> StepView:
    chosen, chosen_probability = written["chosen"]
    true, true_probability, true_rank = written["true"] or (None, None, None)
    return StepView(
        chosen=labels[chosen],
        chosen_probability=chosen_probability,
        top=tuple(Alternative(token, labels[i], p) for token, i, p in written["top"]),
        others=written["others"],
        entropy=written["entropy"],
        true=None if true is None else labels[true],
        true_probability=true_probability,
        true_rank=true_rank,
        overridden=written["overridden"],
    )


def _written_weights(weights: _Weights) -> npt.NDArray[np.uint16]:
    # A weight that is not 0 stays so, that a zero on the screen means what it says.
    scaled = np.maximum(np.rint(weights * np.float32(_FULL)), weights > 0)
    return np.minimum(scaled, _FULL).astype(np.uint16)


@cache
def decoding_assets() -> Assets:
    """Return the component's HTML, CSS and JS."""
    return assets_of("stepper/stepper", ["stepper/controls"])
