"""Which heads are silenced: clicked in a grid of all heads, and kept in the link.

A cell says whether its head is off, and what silencing it costs where that was measured.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.runs.run import Run
from core.studies.effects.ablation import AblationReport
from core.studies.effects.head_effects import Figure, HeadEffects, effect_maps, end_of, figure_of
from core.studies.heads.question import heads_of
from pages.frame import cached, clicks, measured_on, selection, session
from pages.frame.components import matrices
from pages.frame.language import N_, _, brief, n_, number
from pages.frame.selection import Opened
from viz.component.standalone import Drawn
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

GRID, LAYERS, NOTHING = "silence_grid", "silence_layer", "silence_none"
"""Keys of the grid and of the buttons beside it."""
NONE = "none"
"""In the link: no head is silenced."""
OFF = N_("off")
"""In the cell of a head that is silenced."""
UNSURE = "·"
"""In the cell of a head of which no change was found."""
POINTS = 100
"""Percentage points: what a change of a share is said in."""
_LARGE = 9.95
"""Points from which on a cell has no room for a tenth of one."""
BESIDE = 8
"""A grid of more heads needs the whole width, or there is no room for its marks."""
_ROOMY = frozenset({*range(1, 7), *range(BESIDE + 1, 17)})
"""So many heads leave room for more than `OFF`: up to six beside a sentence, sixteen above it."""
_DRAWER = "silence"


def chosen(opened: Opened) -> tuple[Head, ...]:
    """Return the heads that the link names, in the model's order; at first the telling one."""
    drawer = session.storage(_DRAWER)
    if drawer.setdefault("run", opened.path) != opened.path:
        # Another model has other heads.
        drawer.clear()
        drawer["run"] = opened.path
        session.choose({session.SILENT: None})
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
    st.button(_("None"), key=NOTHING, on_click=session.choose, args=({session.SILENT: NONE},))


def grid(opened: Opened, heads: Iterable[Head], report: AblationReport) -> Drawn:
    """Draw layers × heads of each kind of attention; a click silences a head, or lets it speak."""
    effects, by = report.effects, report.figure
    found = _coloured_by_sharpness(report)
    if effects:
        found = _coloured_by_effects(effects, by)
    texts, details = _said(effects, by, opened.run, frozenset(heads))
    panels = [
        Matrix(
            title=_("{kind}: layers × heads").format(kind=_(kind.label)),
            values=values_LH,
            rows=_numbered(_("layer"), values_LH.shape[0], panel, of_rows=True),
            columns=_numbered(_("head"), values_LH.shape[1], panel, of_rows=False),
            texts=[[texts[head] for head in layer] for layer in _heads(opened.run, kind)],
            details=[[details[head] for head in layer] for layer in _heads(opened.run, kind)],
            **found.scale,
        )
        for panel, (kind, values_LH) in enumerate(found.maps.items())
    ]
    shown = Matrices(
        panels=panels,
        selected=session.storage(_DRAWER).get("cell"),
        texts={
            "cell": _cell(by if effects else None),
            "help.pick": _("Arrow keys move from head to head, Enter silences one."),
        },
    )
    on_pick = partial(_toggle_cell, opened.path, tuple(found.maps))
    return matrices(shown, key=GRID, on_pick=on_pick)


def word(found: Difference | None, by: Figure) -> str:
    """Return what stands in the cell of a head that speaks.

    Args:
        found: What silencing it changes; None where that was not measured.
        by: Of which figure.
    """
    if found is None:
        return ""
    if not found.is_sure:
        return UNSURE
    if by == "loss":
        return brief(found.change)
    points = POINTS * found.change
    return number(points, 0 if abs(points) >= _LARGE else 1)


def width(words: Iterable[str], n_heads: int) -> int:
    """Return how many letters wide cells are whose heads may be silenced: an odd number.

    >>> width(["·", "−9.5"], 4), width(["", ""], 4)
    (9, 5)
    """
    off = len(_(OFF))
    if n_heads not in _ROOMY:
        return off
    return (off + 1 + max(map(len, words), default=0)) | 1


def filled(word: str, width: int, *, off: bool = False) -> str:
    """Return what stands in a cell, as wide as all cells: nothing moves when a head is silenced.

    >>> filled("−9.5", 9, off=True).split(), filled("−9.5", 3, off=True)
    (['off', '−9.5'], 'off')
    """
    if off:
        word = f"{_(OFF)} {word}".rstrip() if len(_(OFF)) < width else _(OFF)
    return f"{word:\u00a0^{width}}"


def detail(found: Difference | None, by: Figure, *, off: bool) -> str:
    """Return how sure the change is, and whether the head is silent, for whoever points there."""
    if found is None:
        return _(OFF) if off else ""
    unit = 1 if by == "loss" else POINTS
    low, high, n = map(number, (unit * found.low, unit * found.high, found.n))
    said = _("95\u00a0% from {low} to {high}, n = {n}").format(low=low, high=high, n=n)
    if not np.isfinite(found.high):
        said = _("one sentence: no interval")
    elif not found.is_sure:
        said = _("{interval}: no change found").format(interval=said)
    return _("{off}; {rest}").format(off=_(OFF), rest=said) if off else said


def how_to_read(run: Run, effects: HeadEffects, by: Figure) -> str:
    """Return what the cells are about, on how many samples, and what their marks mean."""
    unit = _("in nats per token") if by == "loss" else _("in points")
    on = measured_on.drawn(run, effects.n, effects.seed)
    if by == "pronoun" and (pronoun := effects.heads[0].pronoun) is not None:
        text = n_(
            "{n} ambiguous pronoun of held-out sentences, seed {seed}",
            "{n} ambiguous pronouns of held-out sentences, seed {seed}",
            pronoun.n,
        )
        on = text.format(n=number(pronoun.n), seed=effects.seed)
    return _(
        "What silencing a head changes, {unit}, on {on}. “{unsure}”: its 95\u00a0% "
        "interval includes 0. A click changes a head ({off})."
    ).format(unit=unit, on=on, unsure=UNSURE, off=_(OFF))


@dataclass(frozen=True, slots=True)
class _Coloured:
    """What the cells of the grid are coloured by."""

    maps: Mapping[Kind, NDArray[np.float32]]
    """Kind of attention → value_LH."""
    scale: dict[str, Any]


def _said(
    effects: HeadEffects | None, by: Figure, run: Run, silent: Set[Head]
) -> tuple[dict[Head, str], dict[Head, str]]:
    """Return what stands in the cell of each head, and what is said where it is pointed at."""
    measured = effects.heads if effects else ()
    changes = {each.head: figure_of(each, by) for each in measured}
    words = {head: word(changes.get(head), by) for head in heads_of(run.model)}
    cells = width(words.values(), run.settings.model.n_heads)
    texts = {head: filled(said, cells, off=head in silent) for head, said in words.items()}
    return texts, {head: detail(changes.get(head), by, off=head in silent) for head in words}


def _numbered(name: str, count: int, panel: int, *, of_rows: bool) -> Axis:
    # Linked to nothing: head 2 of one layer has nothing to do with head 2 of another.
    start = count * (2 * panel + of_rows)
    return replace(numbered(name, count), links=range(start, start + count))


def _coloured_by_effects(effects: HeadEffects, by: Figure) -> _Coloured:
    maps = effect_maps(effects, by)
    names = {
        "exact_match": _("change of exact match, points"),
        "pronoun": _("change of right pronouns, points"),
        "loss": _("change of the loss, nats per token"),
    }
    unit = 1 if by == "loss" else POINTS
    return _Coloured(
        {kind: unit * changes_LH for kind, changes_LH in maps.items()},
        {"scale": "signed", "limit": unit * end_of(maps), "value_name": names[by]},
    )


def _coloured_by_sharpness(report: AblationReport) -> _Coloured:
    name = _("largest weight of a row on this sentence, mean")
    return _Coloured(report.sharpness, {"value_name": name})


def _cell(by: Figure | None) -> str:
    """Return the line that names a cell and its value, to be filled in."""
    if by is None:
        return _("layer {row}, head {column}: {value}")
    if by == "loss":
        return _("layer {row}, head {column}: {value} nats per token")
    return _("layer {row}, head {column}: {value} points")


def _linked(run: Run) -> tuple[Head, ...]:
    text = session.linked(session.SILENT)
    if text == NONE:
        return ()
    named = set(_parsed(text or ""))
    found = tuple(head for head in heads_of(run.model) if head in named)
    return found or (telling_head(run),)


def telling_head(run: Run) -> Head:
    """Return the head that is to be seen first of the kind that is."""
    kind = selection.default_kind(run)
    layer, head = selection.default_head(run, kind)
    return Head(kind.site(layer), head)


def _parsed(text: str) -> Iterator[Head]:
    for each in text.split(","):
        with suppress(ValueError):
            yield Head.parse(each)


def _toggle_cell(path: Path, kinds: tuple[Kind, ...]) -> None:
    if pick := clicks.picked(GRID):
        run = cached.loaded(path)
        site = _sites(run, kinds[pick["panel"]])[pick["row"]]
        session.storage(_DRAWER)["cell"] = (pick["panel"], pick["row"], pick["column"])
        head = Head(site, int(pick["column"]))
        _change(run, lambda before: before ^ {head})


def _toggle_layer(path: Path) -> None:
    run = cached.loaded(path)
    site = Site.parse(str(session.component_value(LAYERS)))
    layer = set(site.heads(run.settings.model.n_heads))
    _change(run, lambda before: before - layer if layer <= before else before | layer)


def _change(run: Run, change: Callable[[frozenset[Head]], Iterable[Head]]) -> None:
    after = frozenset(change(frozenset(_linked(run))))
    names = [str(head) for head in heads_of(run.model) if head in after]
    session.choose({session.SILENT: ",".join(names) or NONE})


def _sites(run: Run, kind: Kind) -> list[Site]:
    return [site for site in run.model.sites() if site.attention is kind]


def _heads(run: Run, kind: Kind) -> list[tuple[Head, ...]]:
    return [site.heads(run.settings.model.n_heads) for site in _sites(run, kind)]


def _layer_name(site: Site) -> str:
    return _("{kind}, layer {layer}").format(kind=_(site.attention.label), layer=site.layer)
