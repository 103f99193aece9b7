"""The whole sentence at once: many heads' maps as one."""

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.heads.aggregate import heads_of_all_layers, largest_of_heads, mean_of_heads
from core.heads import Kind
from core.inspection import inspect_sentence, merged
from core.runs.run import Run
from pages.frame import cached, components, controls, session
from pages.frame.export import Column, Taking
from pages.frame.selection import Looked, key_axis, query_axis
from pages.frame.text import _
from pages.views.attention import lines_of
from viz.plane.matrices import Matrices, Matrix, component_assets, pack

MEAN, LARGEST = "mean", "largest"
EACH, ALL = "heads of each layer", "all heads of all layers"
ALL_LAYERS = "all"
SENTENCE_MAPS = "sentence_maps"

_HOW: Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    MEAN: mean_of_heads,
    LARGEST: largest_of_heads,
}
_KINDS = {
    Kind.ENCODER_SELF: _("Encoder"),
    Kind.DECODER_SELF: _("Decoder self-attention"),
    Kind.CROSS: _("Cross-attention"),
}

HOW_TO_READ = _(
    """
- Each **row** is a token that looks (a *query*), each **column** a token that is looked at (a
  *key*); a cell puts many heads into one number.
- **Mean**: what the heads give a cell on average. Rows of a mean sum to 1, as rows of a head do.
  Many heads that each do something else look like one head that looks everywhere.
- **Largest**: the weight of the head that looks there most. No head is lost among the others, but
  rows need not sum to 1: each cell may come from another head.
- Averages hide what single heads do: see them in the views *maps* and *word*. And the layers build
  on each other: a mean over layers is a summary of what was looked at, not the path of what was
  found there.
- Hatched cells are hidden by the look-ahead mask, for every head alike.
"""
)

FORMULAS = {
    MEAN: r"\bar A_{ij} = \frac{1}{n} \sum_{h=1}^{n} A^{(h)}_{ij}, \qquad \sum_j \bar A_{ij} = 1",
    LARGEST: r"\hat A_{ij} = \max_{h=1,\dots,n} A^{(h)}_{ij}, \qquad \sum_j \hat A_{ij} \ge 1",
}


def draw(looked: Looked) -> Taking:
    """Draw one map for each layer, or one for all."""
    with st.container(horizontal=True, vertical_alignment="center"):
        how = controls.choice(_("How"), session.HOW, controls.words([MEAN, LARGEST]), MEAN)
        over = controls.choice(_("Over"), session.OVER_WHAT, controls.words([EACH, ALL]), EACH)
    maps = cached.of_run(
        _aggregated,
        looked.opened.path,
        looked.opened.sentence,
        looked.whole_words,
        looked.kind,
        how,
        over,
    )
    shown = Matrices(panels=tuple(_panel(looked, name, maps[name], how) for name in maps))
    components.matrices(shown, key=SENTENCE_MAPS)
    return Taking(
        name=f"{looked.kind}.{how}" + (".all" if over == ALL else ""),
        title=shown.panels[0].title if len(maps) == 1 else _title_of_all(looked, how),
        numbers=lambda: _numbers(looked, maps),
        lines=lines_of.inspecting(looked, _import(how, over)) + _lines(looked, how, over),
        code=[
            _HOW[how],
            *([heads_of_all_layers] if over == ALL else []),
            inspect_sentence,
            *([merged] if looked.whole_words else []),
        ],
        component=(component_assets(), lambda: pack(shown)),
        how_to_read=HOW_TO_READ,
        formula=FORMULAS[how],
    )


def _aggregated(
    run: Run, sentence: str, whole_words: bool, kind: Kind, how: str, over: str
) -> dict[str, NDArray[np.float32]]:
    """Return layer, or ALL_LAYERS → weights_QK."""
    inspection = cached.inspected(run.path, sentence, whole_words)
    layers = [inspection.attention[site].weights_HQK for site in inspection.sites_of(kind)]
    if over == ALL:
        return {ALL_LAYERS: _HOW[how](heads_of_all_layers(layers))}
    return {str(layer): _HOW[how](weights_HQK) for layer, weights_HQK in enumerate(layers)}


def _panel(looked: Looked, name: str, weights_QK: NDArray[np.float32], how: str) -> Matrix:
    heads = len(looked.attention.weights_HQK)
    if name == ALL_LAYERS:
        heads *= len(looked.sites)
        title = {
            MEAN: _("{kind}, all layers together: mean over all {n} heads"),
            LARGEST: _("{kind}, all layers together: largest of all {n} heads"),
        }[how]
    else:
        title = {
            MEAN: _("{kind} layer {layer}: mean over its {n} heads"),
            LARGEST: _("{kind} layer {layer}: largest of its {n} heads"),
        }[how]
    note = {
        MEAN: _("the mean of {n} heads: rows sum to 1"),
        LARGEST: _("the largest of {n} heads: rows need not sum to 1"),
    }[how]
    if heads == 1:
        title, note = _("{kind} layer {layer}: its only head"), _("one head alone: rows sum to 1")
    kind = looked.kind
    return Matrix(
        title=title.format(kind=_KINDS[kind], layer=0 if name == ALL_LAYERS else name, n=heads),
        values=weights_QK,
        rows=query_axis(looked.inspection, kind),
        columns=key_axis(looked.inspection, kind),
        visible=looked.attention.visible_QK,
        note=note.format(n=heads),
        value_name={MEAN: _("mean weight"), LARGEST: _("largest weight")}[how],
    )


def _title_of_all(looked: Looked, how: str) -> str:
    text = {
        MEAN: _("{kind}, layer by layer: mean over the heads"),
        LARGEST: _("{kind}, layer by layer: largest of the heads"),
    }[how]
    return text.format(kind=_KINDS[looked.kind])


def _numbers(looked: Looked, maps: Mapping[str, NDArray[np.float32]]) -> Mapping[str, Column]:
    columns = dict(lines_of.weights(looked, maps))
    layers = columns.pop("head")
    return {"layer": [at if at == ALL_LAYERS else int(str(at)) for at in layers], **columns}


def _import(how: str, over: str) -> str:
    function = _HOW[how].__name__
    names = f"heads_of_all_layers, {function}" if over == ALL else function
    return f"from core.analysis.heads.aggregate import {names}"


def _lines(looked: Looked, how: str, over: str) -> str:
    function = _HOW[how].__name__
    each = "numbers = [" + function + "(weights_HQK) for weights_HQK in layers]"
    return "\n".join(
        [
            "layers = [",
            "    inspection.attention[site].weights_HQK",
            "    for site in inspection.attention",
            f'    if site.attention == "{looked.kind}"',
            "]",
            f"numbers = {function}(heads_of_all_layers(layers))" if over == ALL else each,
            "",
        ]
    )
