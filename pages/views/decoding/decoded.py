"""The two decodings of a sentence, laid side by side for the stepper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.decoding.step import DecodeStep
from core.evaluate.exposure import divergences, first_difference
from core.heads import Site
from core.inspection import Inspection
from core.runs.run import Run
from pages.frame.maps import labels
from pages.frame.text import _
from viz.component.payload import TokenLabel
from viz.stepper.decoding import (
    DEFAULT_DECODING_TEXTS,
    Alternative,
    DecodingView,
    SideView,
    StepView,
)

SHOWN = 10
"""So many of the most probable tokens are shown for each step."""


def decoding_view(
    run: Run,
    inspection: Inspection,
    free: Sequence[DecodeStep],
    forced: Sequence[DecodeStep],
    overrides: Mapping[int, int],
) -> DecodingView:
    """Return what the stepper shows.

    Args:
        run: Whose tokenizer names the tokens.
        inspection: Of the same sentence; only its source is shown.
        free: The model on its own words.
        forced: The model on the true words; empty where there is no reference.
        overrides: Steps of the free side whose token somebody chose.
    """
    true = [step.chosen for step in forced]
    appended = [step.chosen for step in free]
    left = _side(run, free, appended, true)
    for_free = tuple(
        replace(step, overridden=index in overrides and free[index].rank(overrides[index]) > 0)
        for index, step in enumerate(left.steps)
    )
    return DecodingView(
        source=labels(inspection.source_tokens, inspection.unknown_words),
        free=replace(left, steps=for_free),
        forced=_side(run, forced, [int(step.logits_V.argmax()) for step in forced], true)
        if forced
        else None,
        divergence=divergences(free, forced) if forced else (),
        first_difference=(first_difference(appended, true) if forced else None),
        start=min(max(overrides, default=0), len(free) - 1),
        texts={name: _(text) for name, text in DEFAULT_DECODING_TEXTS.items()},
    )


def _side(
    run: Run, steps: Sequence[DecodeStep], said: Sequence[int], true: Sequence[int]
) -> SideView:
    """Return one side; `said` is what the model says at each step, whatever was appended."""
    sites = sorted(steps[0].attention)
    return SideView(
        fed=labels(run.tokenizer.describe(steps[-1].prefix)),
        steps=tuple(
            _step(run, step, said[index], true[index] if index < len(true) else None)
            for index, step in enumerate(steps)
        ),
        cross=np.stack([_rows(steps, site) for site in sites if not site.attention.is_self]),
        self_=np.stack([_rows(steps, site) for site in sites if site.attention.is_self]),
    )


def _step(run: Run, step: DecodeStep, said: int, true: int | None) -> StepView:
    """Return one step with the most probable tokens, the said and the true one among them."""
    probabilities = step.probabilities.numpy()
    best = np.argsort(-probabilities, kind="stable").tolist()
    wanted = {token for token in (said, true) if token is not None} - set(best[:SHOWN])
    shown = [*best[: SHOWN - len(wanted)], *sorted(wanted, key=lambda i: -probabilities[i])]
    top = tuple(
        Alternative(token, _label(run, token), float(probabilities[token])) for token in shown
    )
    return StepView(
        chosen=_label(run, said),
        chosen_probability=float(probabilities[said]),
        top=top,
        # Rounding must not make the rest negative.
        others=max(0.0, 1.0 - sum(each.probability for each in top)),
        entropy=step.entropy,
        true=None if true is None else _label(run, true),
        true_probability=None if true is None else float(probabilities[true]),
        true_rank=None if true is None else step.rank(true),
    )


def _rows(steps: Sequence[DecodeStep], site: Site) -> NDArray[np.float32]:
    """Return (heads, steps, keys) of a site; a row of self-attention is 0 after its own step."""
    rows = [step.attention[site].numpy() for step in steps]
    n_keys = max(row.shape[1] for row in rows)
    padded = np.zeros((rows[0].shape[0], len(rows), n_keys), np.float32)
    for index, row in enumerate(rows):
        padded[:, index, : row.shape[1]] = row
    return padded


def _label(run: Run, token: int) -> TokenLabel:
    return labels(run.tokenizer.describe([token]))[0]
