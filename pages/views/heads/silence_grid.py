"""Which heads are silenced: clicked in a grid of all heads, and kept in the link.

A cell says that its head is off, or what silencing it costs where that was measured.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from core.evaluate.intervals import Difference
from core.heads import Head, Kind, Site
from core.runs.run import Run
from core.studies.effects.ablation import AblationReport
from core.studies.effects.head_effects import Figure, HeadEffects, effect_maps, end_of, figure_of
from core.studies.heads.question import heads_of
from pages.frame import cached, clicks, components, measured_on, selection, session
from pages.frame.language import N_, _, brief, number
from pages.frame.selection import Opened
from viz.component.standalone import Drawn
from viz.plane.matrices import Matrices, Matrix, numbered

GRID, LAYERS, NOTHING = "silence_grid", "silence_layer", "silence_none"
"""Keys of the grid and of the buttons beside it."""
NONE = "none"
"""In the link: no head is silenced."""
OFF = "✕"
"""In the cell of a head that is silenced, before its cost."""
UNSURE = "·"
"""In the cell of a head without a measurable change."""
BESIDE = 8
"""A grid of more heads needs the whole width, or there is no room for its numbers."""
_UNITS: Mapping[Figure, float] = {"exact_match": -100, "pronoun": -100, "loss": 1}
"""What a change is multiplied with, to be a cost: percentage points that are lost, or nats more."""
_ENDS: Mapping[Figure, float] = {"exact_match": 10, "pronoun": 10, "loss": 0}
"""Where the scale ends at the earliest, so that half a point, which may be chance, stays dark."""
_COSTS: Mapping[Figure, str] = {
    "exact_match": N_("points of exact match lost"),
    "pronoun": N_("points of correct pronouns lost"),
    "loss": N_("nats per token by which the loss rises"),
}


def chosen(opened: Opened) -> tuple[Head, ...]:
    """Return the heads that the link names, in the model's order; at first the telling one."""
    session.belongs_to(session.SILENT, str(opened.path))
    return _linked(opened.run)


def all_on() -> None:
    """Offer to let all heads speak again."""
    silent = {session.SILENT: NONE}
    st.button(_("All heads on"), key=NOTHING, on_click=session.choose, args=(silent,))


def layers(opened: Opened) -> None:
    """Offer to silence all heads of a layer, or to let all of them speak again."""
    st.menu_button(
        _("Whole layer on or off"),
        [str(site) for site in opened.run.model.sites()],
        format_func=lambda text: _layer_name(Site.parse(text)),
        key=LAYERS,
        on_click=_toggle_layer,
        args=(opened.path,),
    )


def grid(opened: Opened, heads: Iterable[Head], report: AblationReport) -> Drawn:
    """Draw layers × heads of each kind of attention; a click silences a head, or lets it speak."""
    run, effects, by = opened.run, report.effects, report.figure
    changes = {each.head: figure_of(each, by) for each in effects.heads} if effects else {}
    texts = _texts(run, changes, by, frozenset(heads))
    details = {head: detail(changes.get(head), by) for head in texts}
    maps, name = report.sharpness, _("largest weight of a row on this sentence, mean")
    cell = _("layer {row}, head {column}: {value}")
    panel = partial(Matrix, value_name=name)
    if effects:
        changed, name = effect_maps(effects, by), _(_COSTS[by])
        maps = {
            kind: (_UNITS[by] * values_LH).astype(np.float32) for kind, values_LH in changed.items()
        }
        limit = max(abs(_UNITS[by]) * end_of(changed), _ENDS[by])
        # Blue, a gain, has a place on the scale only where silencing a head surely is one.
        gains = any(
            found and found.is_sure and _UNITS[by] * found.change < 0 for found in changes.values()
        )
        panel = partial(Matrix, value_name=name, scale="signed" if gains else "weight", limit=limit)
    panels = [
        panel(
            title=_(kind.label),
            values=values_LH,
            # Head 2 of one layer has nothing to do with head 2 of another.
            rows=numbered(_("layer"), values_LH.shape[0], 2 * at + 1),
            columns=numbered(_("head"), values_LH.shape[1], 2 * at),
            texts=[[texts[head] for head in layer] for layer in _heads(run, kind)],
            details=[[details[head] for head in layer] for layer in _heads(run, kind)],
        )
        for at, (kind, values_LH) in enumerate(maps.items())
    ]
    shown = Matrices(
        panels=panels,
        selected=session.storage(GRID).get(run.path),
        texts={
            "cell": cell,
            "help.pick": _("Arrow keys move from head to head, Enter silences one."),
        },
    )
    return components.show(shown, key=GRID, on_pick=partial(_toggle_cell, opened.path, tuple(maps)))


def cost(found: Difference | None, by: Figure) -> str:
    """Return what stands in the cell of a head that speaks.

    Args:
        found: What silencing it changes; None where that was not measured.
        by: Of which figure.
    """
    if found is None:
        return ""
    if not found.is_sure:
        return UNSURE
    lost = _UNITS[by] * found.change
    return brief(lost) if by == "loss" else number(lost, 0 if abs(lost) >= 9.95 else 1)


def detail(found: Difference | None, by: Figure) -> str:
    """Return how sure the cost is, for the tooltip of a cell."""
    if found is None:
        return ""
    if not np.isfinite(found.high):
        return _("one sentence: no interval")
    low, high = sorted((_UNITS[by] * found.low, _UNITS[by] * found.high))
    text = _("95\u00a0% interval {low} to {high}; n = {n}")
    if not found.is_sure:
        text = _("95\u00a0% interval {low} to {high}; n = {n}: may be chance")
    return text.format(low=number(low), high=number(high), n=number(found.n))


def how_to_read(run: Run, effects: HeadEffects | None, by: Figure | None) -> str:
    """Return what a click does, and what the numbers of the cells mean."""
    click = _("**Click a head to switch it off** (✕).")
    if effects is None or by is None:
        return " ".join([click, _("The colour is how sharply it looks on this sentence.")])
    text = _("The number: {cost} on {sentences}; “{unsure}”: none measurable.")
    n = next((found.n for each in effects.heads if (found := figure_of(each, by))), effects.n)
    on = measured_on.pronouns(n) if by == "pronoun" else measured_on.sentences(run, n)
    return " ".join([click, text.format(cost=_(_COSTS[by]), sentences=on, unsure=UNSURE)])


def telling_head(run: Run) -> Head:
    """Return the head that the other views open on."""
    kind = selection.default_kind(run)
    layer, head = selection.default_head(run, kind)
    return Head(kind.site(layer), head)


def _texts(
    run: Run, changes: Mapping[Head, Difference | None], by: Figure, silent: frozenset[Head]
) -> dict[Head, str]:
    """Return what stands in the cells: all as wide, so that nothing moves when a head is off."""
    costs = {head: cost(changes.get(head), by) for head in heads_of(run.model)}
    off = {head: f"{OFF} {text}".strip() for head, text in costs.items()}
    width = max(map(len, off.values()))
    texts = {head: off[head] if head in silent else text for head, text in costs.items()}
    return {head: f"{text:\u00a0^{width}}" for head, text in texts.items()}


def _linked(run: Run) -> tuple[Head, ...]:
    text = session.linked(session.SILENT)
    if text == NONE:
        return ()
    named = set()
    for each in (text or "").split(","):
        with suppress(ValueError):
            named.add(Head.parse(each))
    found = tuple(head for head in heads_of(run.model) if head in named)
    return found or (telling_head(run),)


def _toggle_cell(path: Path, kinds: tuple[Kind, ...]) -> None:
    if pick := clicks.picked(GRID):
        run = cached.loaded(path)
        session.storage(GRID)[path] = (pick["panel"], pick["row"], pick["column"])
        head = _heads(run, kinds[pick["panel"]])[pick["row"]][pick["column"]]
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


def _heads(run: Run, kind: Kind) -> list[tuple[Head, ...]]:
    sites = [site for site in run.model.sites() if site.attention is kind]
    return [site.heads(run.settings.model.n_heads) for site in sites]


def _layer_name(site: Site) -> str:
    return _("{kind}, layer {layer}").format(kind=_(site.attention.label), layer=site.layer)
