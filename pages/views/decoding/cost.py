"""What each step of decoding costs, and why training computes all of them at once."""

import numpy as np
import streamlit as st

from core.decoding.timing import DecodingCost, computed_cells, decoding_cost
from pages.frame import components
from pages.frame.language import _, joined, number
from pages.frame.maps import side_labels
from pages.frame.recipe import Recipe
from pages.frame.selection import Opened
from pages.frame.view import Shown
from viz.plane.matrices import Axis, Matrices, Matrix


def draw(opened: Opened) -> Shown:
    """Draw how often each score is computed."""
    computing = Recipe(decoding_cost, opened.writer, opened.sentence)
    cost = computing.result()
    pictures = [components.show(_cells(opened, cost), key="computed_cells")]
    st.caption(_passes(cost, opened.run.settings.model.max_positions))
    return Shown(
        name="decoding-cost",
        title=_("What each step of decoding costs"),
        recipe=computing,
        seen=_seen(cost),
        code=[computed_cells],
        pictures=pictures,
    )


def _cells(opened: Opened, cost: DecodingCost) -> Matrices:
    """Return a map for each way of computing; darker cells are computed less often."""
    anew, kept, n = cost.cells(cached=False), cost.cells(cached=True), cost.n_steps
    # What was written last, at the limit, is fed to no step.
    words, panels = side_labels(opened.inspection, "target")[: cost.n_fed], []
    for name, counts, passes in (
        (_("decoding, no cache"), anew, n),
        (_("decoding, KV cache"), kept, n),
        (_("training"), kept, 1),
    ):
        values = np.array(counts, np.float32)
        size = _("scores: {cells}, passes: {n}").format(
            cells=number(sum(map(sum, counts))), n=number(passes)
        )
        panels.append(
            Matrix(
                title=name,
                values=values,
                visible=values > 0,
                rows=Axis(name=_("query"), labels=words, side="target"),
                columns=Axis(name=_("key"), labels=words, side="target"),
                # Once is the same colour in each of them.
                limit=float(np.max(anew)),
                details=[[f"{number(times)} ×" for times in row] for row in counts],
                value_name=_("times computed"),
                note=size,
            )
        )
    # How often, the details say: whole numbers.
    return Matrices(panels=panels, texts={"cell": "{row} → {column}"})


def _passes(cost: DecodingCost, n_positions: int) -> str:
    """Say how often each stack runs for a sentence, and where decoding would stop."""
    text = _("Passes for this text: decoder **{n}**, the first over the whole prompt.")
    if cost.n_source:
        text = _(
            "Passes for this sentence: encoder **1**, decoder **{n}**, one for each token that it "
            "writes."
        )
    limit = _("Tokens written at most: {limit} here; positions of the model: {positions}.")
    return joined(
        [
            text.format(n=number(cost.n_steps)),
            limit.format(limit=number(cost.limit), positions=number(n_positions)),
        ]
    )


def _seen(cost: DecodingCost) -> str:
    """Return how many scores and passes a sentence takes."""
    kept, anew = (sum(map(sum, cost.cells(cached=is_kept))) for is_kept in (True, False))
    text = _(
        "Without a cache a head computes **{anew}** scores for this sentence. With a cache, which "
        "keeps the keys and values of earlier words, it computes each score once: **{kept}**. "
        "Training computes the same {kept} in 1 pass of the decoder instead of {n}."
    )
    return text.format(
        n=number(cost.n_steps),
        kept=number(kept),
        anew=number(anew),
    )
