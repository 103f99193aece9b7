"""Which heads are silenced: clicked in a grid of all heads, and kept in the link."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.effects.effect_maps import Figure, effect_maps, end_of, figure_of
from core.analysis.effects.head_effects import HeadEffects
from core.analysis.effects.silencing import every_head
from core.analysis.heads.summary_maps import confidence_map
from core.heads import Head, Kind, Site
from core.runs.run import Run
from pages.frame import address, cached, opening, session
from pages.frame.components import matrices
from pages.frame.opening import Opened
from pages.frame.text import ATTENTIONS, _
from pages.views.heads import silence_cells
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

GRID, LAYERS, NOTHING = "silence_grid", "silence_layer", "silence_none"
"""Keys of the grid and of the buttons beside it."""
NONE = "none"
"""In the link: no head is silenced."""
_DRAWER = "silence"


def chosen(opened: Opened) -> tuple[Head, ...]:
    """Return the heads that the link names, in the model's order; at first the telling one."""
    drawer = session.drawer(_DRAWER)
    if drawer.setdefault("run", opened.path) != opened.path:
        # Another model has other heads.
        drawer.clear()
        drawer["run"] = opened.path
        address.choose({session.SILENT: None})
    return _linked(opened.run)


def buttons(opened: Opened) -> None:
    """Offer what takes more than one click in the grid."""
    sites = opened.run.model.sites()
    st.menu_button(
        _("Whole layer"),
        [str(site) for site in sites],
        format_func=lambda text: _layer_name(Site.parse(text)),
        key=LAYERS,
        on_click=_toggle_layer,
        args=(opened.path,),
        help=_("Silences all heads of a layer, or lets all of them speak again."),
    )
    st.button(_("None"), key=NOTHING, on_click=address.choose, args=({session.SILENT: NONE},))


@dataclass(frozen=True, slots=True)
class _Coloured:
    """What the cells of the grid are coloured by."""

    maps: Mapping[Kind, NDArray[np.float32]]
    """Kind of attention → value_LH."""
    scale: dict[str, Any]


def grid(opened: Opened, heads: Iterable[Head], effects: HeadEffects | None, by: Figure) -> None:
    """Draw layers × heads of each kind of attention; a click silences a head, or lets it speak."""
    found = _effects(effects, by) if effects else _sharpness(opened)
    texts, details = _said(effects, by, opened.run, frozenset(heads))
    panels = [
        Matrix(
            title=_("{kind}: layers × heads").format(kind=ATTENTIONS[kind]),
            values=values_LH,
            rows=_numbered(_("layer"), values_LH.shape[0], panel, of_rows=True),
            columns=_numbered(_("head"), values_LH.shape[1], panel, of_rows=False),
            texts=[[texts[head] for head in layer] for layer in _heads(opened.run, kind)],
            details=[[details[head] for head in layer] for layer in _heads(opened.run, kind)],
            **found.scale,
        )
        for panel, (kind, values_LH) in enumerate(found.maps.items())
    ]
    at = session.drawer(_DRAWER).get("cell")
    matrices(
        Matrices(
            panels=panels,
            selected=at,
            texts={
                "cell": silence_cells.cell(by if effects else None),
                "help.pick": _("Arrow keys move from head to head, Enter silences one."),
            },
        ),
        key=GRID,
        on_pick=partial(_toggle_cell, opened.path, tuple(found.maps)),
    )


def _said(
    effects: HeadEffects | None, by: Figure, run: Run, silent: Set[Head]
) -> tuple[dict[Head, str], dict[Head, str]]:
    """Return what stands in the cell of each head, and what is said where it is pointed at."""
    measured = effects.heads if effects else ()
    changes = {each.head: figure_of(each, by) for each in measured}
    words = {head: silence_cells.word(changes.get(head), by) for head in every_head(run.model)}
    width = silence_cells.width(words.values(), run.settings.model.n_heads)
    texts = {
        head: silence_cells.filled(silence_cells.OFF if head in silent else word, width)
        for head, word in words.items()
    }
    details = {
        head: silence_cells.detail(changes.get(head), by, off=head in silent) for head in words
    }
    return texts, details


def _numbered(name: str, count: int, panel: int, *, of_rows: bool) -> Axis:
    # Linked to nothing: head 2 of one layer has nothing to do with head 2 of another.
    start = count * (2 * panel + of_rows)
    return replace(numbered(name, count), links=range(start, start + count))


def _effects(effects: HeadEffects, by: Figure) -> _Coloured:
    maps = effect_maps(effects, by)
    names = {
        "exact match": _("change of exact match, points"),
        "pronoun": _("change of right pronouns, points"),
        "loss": _("change of the loss, nats per token"),
    }
    unit = 1 if by == "loss" else silence_cells.POINTS
    return _Coloured(
        {kind: unit * changes_LH for kind, changes_LH in maps.items()},
        {"scale": "signed", "limit": unit * end_of(maps), "value_name": names[by]},
    )


def _sharpness(opened: Opened) -> _Coloured:
    maps: dict[Kind, NDArray[np.float32]] = {
        kind: cached.of_run(_confidence, opened.path, opened.sentence, kind)
        for kind in ATTENTIONS
        if _sites(opened.run, kind)
    }
    return _Coloured(maps, {"value_name": _("largest weight of a row on this sentence, mean")})


def _confidence(run: Run, sentence: str, kind: Kind) -> NDArray[np.float32]:
    return confidence_map(cached.inspected(run.path, sentence, whole_words=False), kind)


def _linked(run: Run) -> tuple[Head, ...]:
    text = address.linked(session.SILENT)
    if text == NONE:
        return ()
    wanted = set(_parsed(text or ""))
    found = tuple(head for head in every_head(run.model) if head in wanted)
    return found or (_telling(run),)


def _telling(run: Run) -> Head:
    """Return the head that finds antecedents best, or else the first of cross-attention."""
    kind = opening.default_kind(run)
    layer, head = opening.default_head(run, kind)
    return Head(kind.site(layer), head)


def _parsed(text: str) -> Iterator[Head]:
    for each in text.split(","):
        with suppress(ValueError):
            yield Head.parse(each)


def _toggle_cell(path: Path, kinds: tuple[Kind, ...]) -> None:
    component: Any = session.held(GRID, None)
    if pick := component.pick:
        run = cached.loaded(path)
        site = _sites(run, kinds[pick["panel"]])[pick["row"]]
        session.drawer(_DRAWER)["cell"] = (pick["panel"], pick["row"], pick["column"])
        head = Head(site, int(pick["column"]))
        _change(run, lambda before: before ^ {head})


def _toggle_layer(path: Path) -> None:
    run = cached.loaded(path)
    site = Site.parse(session.chosen(LAYERS))
    layer = set(site.heads(run.settings.model.n_heads))
    _change(run, lambda before: before - layer if layer <= before else before | layer)


def _change(run: Run, change: Callable[[frozenset[Head]], Iterable[Head]]) -> None:
    after = frozenset(change(frozenset(_linked(run))))
    names = [str(head) for head in every_head(run.model) if head in after]
    address.choose({session.SILENT: ",".join(names) or NONE})


def _sites(run: Run, kind: Kind) -> list[Site]:
    return [site for site in run.model.sites() if site.attention is kind]


def _heads(run: Run, kind: Kind) -> list[tuple[Head, ...]]:
    return [site.heads(run.settings.model.n_heads) for site in _sites(run, kind)]


def _layer_name(site: Site) -> str:
    return _("{kind}, layer {layer}").format(kind=ATTENTIONS[site.attention], layer=site.layer)
