"""The whole sentence at once: many heads' maps as one."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind
from core.inspection import inspect_sentence, merged
from core.runs.run import Run
from core.studies.heads.aggregate import heads_of_all_layers, largest_of_heads, mean_of_heads
from core.studies.heads.largest_weights import largest_weight
from pages.frame import cached, components, controls, notes, selection, session
from pages.frame.language import N_, _, capitalised, n_, number
from pages.frame.opening import Opened
from pages.frame.selection import Selection, key_axis, query_axis
from pages.frame.view import Column, Shown
from pages.views.attention import seen, weights
from viz.plane.matrices import Matrices, Matrix

MEAN, LARGEST = "mean", "largest"
LAYERS, ALL = "layers", "all"
ALL_LAYERS = "all"
SENTENCE_MAPS = "sentence_maps"
MOST_DETAILS = 10_000
"""A map of more cells does not say of each which head looks there most."""

_HOW: Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    MEAN: mean_of_heads,
    LARGEST: largest_of_heads,
}


def draw(opened: Opened) -> Shown:
    """Draw one map for all heads, or one for each layer."""
    with selection.row():
        selected = selection.choose(opened, head=False)
        ways = {LARGEST: _("largest"), MEAN: _("mean")}
        how = controls.choice(_("How"), session.HOW, ways, LARGEST)
        heads = {ALL: _("all heads of all layers"), LAYERS: _("heads of each layer")}
        older = {"heads of each layer": LAYERS, "all heads of all layers": ALL}
        over = controls.choice(_("Over"), session.OVER_WHAT, heads, ALL, older=older)
    asked = (opened.sentence, selected.whole_words, selected.kind, how, over)
    maps = cached.of_run(_aggregated, opened.path, *asked)
    panels = [_panel(selected, name, weights_QK, how) for name, weights_QK in maps.items()]
    picture = components.matrices(Matrices(panels=panels), key=SENTENCE_MAPS)
    return Shown(
        name=f"{selected.kind}.{how}" + (".all" if over == ALL else ""),
        title=panels[0].title if len(maps) == 1 else _title_of_all(selected, how),
        numbers=lambda: _numbers(selected, maps),
        python=weights.inspecting(selected, _import(how, over)) + _python(selected, how, over),
        code=[
            _HOW[how],
            *([heads_of_all_layers] if over == ALL else []),
            inspect_sentence,
            *([merged] if selected.whole_words else []),
        ],
        seen=_seen(selected, maps, how),
        pictures=[picture],
        how_to_read=_(_HOW_TO_READ),
        formula=_FORMULAS[how],
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


def _heads(selected: Selection, name: str) -> tuple[list[Head], NDArray[np.float32]]:
    """Return the heads of a map with their weights_HQK."""
    layers = enumerate(selected.sites)
    sites = [site for layer, site in layers if name in (ALL_LAYERS, str(layer))]
    maps = [selected.inspection.attention[site].weights_HQK for site in sites]
    heads = [head for site, each in zip(sites, maps, strict=True) for head in site.heads(len(each))]
    return heads, heads_of_all_layers(maps)


def _details(selected: Selection, name: str) -> list[list[str]] | None:
    """Return for each cell the head that looks there most; nothing where there are too many."""
    heads, weights_HQK = _heads(selected, name)
    if weights_HQK[0].size > MOST_DETAILS:
        return None
    text = _("layer {layer} head {head}")
    names = [text.format(layer=number(h.layer), head=number(h.index)) for h in heads]
    return [[names[at] for at in row] for row in weights_HQK.argmax(axis=0)]


def _seen(selected: Selection, maps: Mapping[str, NDArray[np.float32]], how: str) -> str:
    """Say where a word looks most, on average and in one head alone."""
    query = seen.query_of(selected, np.maximum.reduce(list(maps.values())))
    name = max(maps, key=lambda each: float(maps[each][query].max()))
    found = largest_weight(maps[name], selected.attention.even_QK, query)
    heads, weights_HQK = _heads(selected, name)
    if len(heads) == 1 or found.n_visible == 1 or len(found.keys) > 1:
        return seen.of_row(selected, found)
    [key] = found.keys
    weights_H = weights_HQK[:, query, key]
    text = {
        MEAN: n_(
            "{query} looks most at **{key}**: **{mean}** on average over {n} head. "
            "One of them alone, {head}, gives it **{largest}**.",
            "{query} looks most at **{key}**: **{mean}** on average over {n} heads. "
            "One of them alone, {head}, gives it **{largest}**.",
            len(heads),
        ),
        LARGEST: n_(
            "{query} looks most at **{key}**: **{largest}** in {head}. "
            "On average over {n} head it is **{mean}**.",
            "{query} looks most at **{key}**: **{largest}** in {head}. "
            "On average over {n} heads it is **{mean}**.",
            len(heads),
        ),
    }[how]
    return text.format(
        query=seen.query_name(selected, query),
        key=seen.key_name(selected, query, key),
        mean=seen.weight(float(weights_H.mean())),
        largest=seen.weight(float(weights_H.max())),
        head=notes.within_sentence(heads[int(weights_H.argmax())]),
        n=number(len(heads)),
    )


def _panel(selected: Selection, name: str, weights_QK: NDArray[np.float32], how: str) -> Matrix:
    heads = len(selected.attention.weights_HQK)
    if name == ALL_LAYERS:
        heads *= len(selected.sites)
        title = {
            MEAN: n_(
                "{kind}, all layers together: mean over the {n} head",
                "{kind}, all layers together: mean over all {n} heads",
                heads,
            ),
            LARGEST: n_(
                "{kind}, all layers together: largest of the {n} head",
                "{kind}, all layers together: largest of all {n} heads",
                heads,
            ),
        }[how]
    else:
        title = {
            MEAN: n_(
                "{kind} layer {layer}: mean over its {n} head",
                "{kind} layer {layer}: mean over its {n} heads",
                heads,
            ),
            LARGEST: n_(
                "{kind} layer {layer}: largest of its {n} head",
                "{kind} layer {layer}: largest of its {n} heads",
                heads,
            ),
        }[how]
    note = {
        MEAN: n_(
            "the mean of {n} head: rows sum to 1", "the mean of {n} heads: rows sum to 1", heads
        ),
        LARGEST: n_(
            "the largest of {n} head: rows sum to 1",
            "the largest of {n} heads: rows need not sum to 1",
            heads,
        ),
    }[how]
    if heads == 1:
        title, note = _("{kind} layer {layer}: its only head"), _("one head alone: rows sum to 1")
    kind, layer = selected.kind, 0 if name == ALL_LAYERS else name
    return Matrix(
        title=capitalised(title.format(kind=_(kind.full_label), layer=layer, n=heads)),
        values=weights_QK,
        rows=query_axis(selected.inspection, kind),
        columns=key_axis(selected.inspection, kind),
        visible=selected.attention.visible_QK,
        note=note.format(n=heads),
        details=_details(selected, name) if how == LARGEST and heads > 1 else None,
        value_name={MEAN: _("mean weight"), LARGEST: _("largest weight")}[how],
    )


def _title_of_all(selected: Selection, how: str) -> str:
    text = {
        MEAN: _("{kind}, layer by layer: mean over the heads"),
        LARGEST: _("{kind}, layer by layer: largest of the heads"),
    }[how]
    return capitalised(text.format(kind=_(selected.kind.full_label)))


def _numbers(selected: Selection, maps: Mapping[str, NDArray[np.float32]]) -> Mapping[str, Column]:
    columns = dict(weights.numbers(selected, maps))
    layers = columns.pop("head")
    return {"layer": [at if at == ALL_LAYERS else int(str(at)) for at in layers], **columns}


def _import(how: str, over: str) -> str:
    function = _HOW[how].__name__
    names = f"heads_of_all_layers, {function}" if over == ALL else function
    return f"from core.studies.heads.aggregate import {names}"


def _python(selected: Selection, how: str, over: str) -> str:
    function = _HOW[how].__name__
    each = "numbers = [" + function + "(weights_HQK) for weights_HQK in layers]"
    return "\n".join(
        [
            "layers = [",
            "    inspection.attention[site].weights_HQK",
            "    for site in inspection.attention",
            f'    if site.attention == "{selected.kind}"',
            "]",
            f"numbers = {function}(heads_of_all_layers(layers))" if over == ALL else each,
            "",
        ]
    )


_HOW_TO_READ = N_(
    """
- Each **row** is a token that looks (a *query*), each **column** a token that is looked at (a
  *key*); a cell puts many heads into one number.
- **Mean**: what the heads give a cell on average. Rows of a mean sum to 1, as rows of a head do.
  Many heads that each do something else look like one head that looks everywhere.
- **Largest**: the weight of the head that looks there most; rest the pointer on a cell to see which
  head that is. No head is lost among the others, but rows need not sum to 1: each cell may come
  from another head.
- Averages hide what single heads do: see them in the views *maps* and *word*. And the layers build
  on each other: a mean over layers is a summary of what was looked at, not the path of what was
  found there.
- Hatched cells are hidden by the look-ahead mask, for every head alike.
"""
)

_FORMULAS = {
    MEAN: r"\bar A_{ij} = \frac{1}{n} \sum_{h=1}^{n} A^{(h)}_{ij}, \qquad \sum_j \bar A_{ij} = 1",
    LARGEST: r"\hat A_{ij} = \max_{h=1,\dots,n} A^{(h)}_{ij}, \qquad \sum_j \hat A_{ij} \ge 1",
}
