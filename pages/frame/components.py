"""Our own components as elements of a page; each returns its picture to take away.

Each is named by its key, under which `session.component_value` finds what was asked for while one
of its callbacks runs, before the page runs again. The page answers a click by drawing the component
with what was clicked selected:

- `on_pick`: another head, cell, step or part was chosen; `pick` holds it by its coordinates.
- `on_pin`: a word was pinned; `pin` holds `{"side": …, "index": …}`, the index None where it was
  unpinned.

Without a callback the component does not offer it. Texts that a page does not replace are
translated.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeVar

import streamlit as st

from pages.frame import language, session
from viz.architecture import architecture as architectures
from viz.charts.plotly_figures import PLOTLY_TEXTS, pack_tools, tools_assets
from viz.component.assets import Assets, assets_of, lending, lent, part_assets, without_tags
from viz.component.standalone import Drawn
from viz.lines.lines import DEFAULT_LINES_TEXTS, Lines
from viz.lines.lines import pack as pack_lines
from viz.plane import maps
from viz.plane import matrices as labelled
from viz.plane import strips as of_one_word
from viz.plane.maps import DEFAULT_MAPS_TEXTS, AttentionMaps
from viz.plane.matrices import DEFAULT_MATRICES_TEXTS, Matrices
from viz.plane.strips import DEFAULT_STRIPS_TEXTS, Strips
from viz.stepper.decoding import DecodingView, pack_decoding
from viz.whole import whole as wholes
from viz.whole.whole import DEFAULT_WHOLE_TEXTS, Whole

Shown = TypeVar("Shown", AttentionMaps, Matrices, Strips, Lines, Whole)
Callback = Callable[[], None]
_scripts: dict[str, str] = {}


def _mounted(name: str, assets: Assets, script: str = "") -> Callable[..., Any]:
    """Make an element of a component.

    Args:
        name: Streamlit's name for it.
        assets: What it is made of.
        script: Name under which the page lends it its script; empty if it brings its own.
    """
    if script:
        _scripts.setdefault(script, assets.js)
        assets = lent(assets, script)
    return st.components.v2.component(name, html=assets.html, css=assets.css, js=assets.js)


_maps, _matrices, _strips = (
    _mounted(f"plane_{layout}", assets_of("plane"), "plane")
    for layout in ("maps", "matrices", "strips")
)
_part = _mounted("plane_part", part_assets())
_lines = _mounted("lines", assets_of("lines"), "lines")
_stepper = _mounted("decoding", assets_of("stepper"), "stepper")
_whole = _mounted("whole", assets_of("whole"), "whole")
_architecture = _mounted("architecture", assets_of("architecture"), "architecture")
_plotly_tools = _mounted("plotly_tools", tools_assets())


def lend_scripts() -> None:
    """Give the page the scripts of all components, once: what a page has, it keeps.

    To be called in a container of its own, as its place is empty afterwards.
    """
    if not session.storage("scripts").setdefault("lent", False):
        st.html(_lending(), unsafe_allow_javascript=True)
        session.storage("scripts")["lent"] = True


def _lend_again() -> None:
    """Answer a component to which no script came: a connection may break at any moment."""
    session.storage("scripts")["lent"] = False


@cache
def _lending() -> str:
    return f"<script>{without_tags(lending(_scripts))}</script>"


def translated(shown: Shown, texts: Mapping[str, str]) -> Shown:
    """Return what is shown with all texts in the reader's language; its own ones stay."""
    return replace(shown, texts=language.translated(texts) | {**shown.texts})


def _show(
    component: Callable[..., Any], key: str, data: bytes, **callbacks: Callback | None
) -> None:
    """Mount a component with those callbacks that the page has."""
    if session.storage("scripts").get("lent") is False:
        # A part of the page asks, and only the whole page can answer.
        st.rerun(scope="app")
    offered = {name: each for name, each in callbacks.items() if each}
    component(key=key, data=data, on_script_change=_lend_again, **offered)


def attention_maps(
    shown: AttentionMaps,
    *,
    key: str,
    on_pick: Callback,
    on_zoom: Callback | None = None,
    on_pin: Callback | None = None,
) -> Drawn:
    """Show all heads of one kind of attention, with the sentence and its translation above them.

    A head that is chosen after the maps have come is sent alone, in an element of its own: then its
    exact weights are shown.

    Args:
        shown: The maps.
        key: The element's name.
        on_pick: `pick` holds `{"layer": …, "head": …}`.
        on_zoom: The visitor has zoomed or moved: `zoom` holds `{"row": …, "column": …, "rows": …,
            "columns": …}`, or None for the whole map.
        on_pin: See above.
    """
    shown = translated(shown, DEFAULT_MAPS_TEXTS)
    shared = maps.shared(
        shown, zooms=on_zoom is not None, pins=on_pin is not None, key=key, locale=language.tag()
    )
    came = _as_it_came(shown, shared.content, key)
    chosen_since = _chosen(came) != _chosen(shown)
    with st.container(key=f"{key}-place", gap=None):
        packed = shared.packed(came)
        _show(
            _maps, key, packed, on_pick_change=on_pick, on_zoom_change=on_zoom, on_pin_change=on_pin
        )
        if chosen_since:
            _show(_part, f"{key}-head", maps.pack_head(shown, shared.content, key=key))
    whole = partial(maps.pack, shown, whole=True, locale=language.tag())
    return Drawn(assets_of("plane"), whole)


def _as_it_came(shown: AttentionMaps, content: str, key: str) -> AttentionMaps:
    """Return maps with the head that they came with, so as not to send them again."""
    came = session.storage("maps_as_they_came")
    if came.get(key, ("",))[0] != content:
        came[key] = content, _chosen(shown)
    _content, chosen = came[key]
    return replace(shown, **chosen)


def _chosen(shown: AttentionMaps) -> dict[str, Any]:
    names = ("selected", "zoom", "pin", "spoken")
    return {name: getattr(shown, name) for name in names}


def matrices(
    shown: Matrices, *, key: str, on_pick: Callback | None = None, on_pin: Callback | None = None
) -> Drawn:
    """Show one or several matrices side by side; `pick` holds panel, row and column of a cell."""
    packed = partial(
        labelled.pack, translated(shown, DEFAULT_MATRICES_TEXTS), key=key, locale=language.tag()
    )
    data = packed(picks=on_pick is not None, pins=on_pin is not None)
    _show(_matrices, key, data, on_pick_change=on_pick, on_pin_change=on_pin)
    return Drawn(assets_of("plane"), packed)


def strips(shown: Strips, *, key: str, on_pin: Callback, on_strip: Callback) -> Drawn:
    """Show a word's strips below the sentences in which other words can be chosen.

    Args:
        shown: The strips.
        key: The element's name.
        on_pin: See above.
        on_strip: A strip's name was clicked: `strip` holds `{"kind": …, "layer": …, "head": …}`.
    """
    packed = partial(
        of_one_word.pack, translated(shown, DEFAULT_STRIPS_TEXTS), key=key, locale=language.tag()
    )
    _show(_strips, key, packed(picks=True), on_pin_change=on_pin, on_strip_change=on_strip)
    return Drawn(assets_of("plane"), packed)


def lines(
    shown: Lines, *, key: str, on_pin: Callback, on_threshold: Callback, on_heads: Callback
) -> Drawn:
    """Show two columns of tokens with a line for each weight.

    Args:
        shown: The lines.
        key: The element's name.
        on_pin: See above; a side is "query" or "key".
        on_threshold: The slider came to rest: `threshold` holds the smallest weight.
        on_heads: A head was switched off or on: `heads` holds `{"hidden": […]}`.
    """
    packed = partial(
        pack_lines, translated(shown, DEFAULT_LINES_TEXTS), key=key, locale=language.tag()
    )
    callbacks = {"on_threshold_change": on_threshold, "on_heads_change": on_heads}
    _show(_lines, key, packed(), on_pin_change=on_pin, **callbacks)
    return Drawn(assets_of("lines"), packed)


def decoding(
    view: DecodingView,
    *,
    key: str,
    on_step: Callback,
    on_force: Callback,
) -> Drawn:
    """Show a sentence being decoded; moving from step to step needs no server.

    Args:
        view: All steps.
        key: The element's name.
        on_step: The visitor rests at another step: `step` holds `{"step": …}`.
        on_force: Another token was chosen: `force` holds `{"step": …, "token": …}`, the token's id.
    """
    data = pack_decoding(view, key=key, locale=language.tag())
    _show(_stepper, key, data, on_force_change=on_force, on_step_change=on_step)
    return Drawn(assets_of("stepper"), lambda: data)


def whole(
    shown: Whole,
    *,
    key: str,
    on_step: Callback,
    on_pick: Callback,
    on_silence: Callback | None = None,
) -> Drawn:
    """Show a sentence on its way through a model; all motion is the browser's.

    Args:
        shown: The pass.
        key: The element's name.
        on_step: The visitor rests at another step: `step` holds `{"step": …}`.
        on_pick: A head was chosen: `pick` holds `{"site": …, "head": …}`.
        on_silence: Heads were silenced or not any more: `silence` holds `{"heads": […]}`.
    """
    packed = partial(
        wholes.pack, translated(shown, DEFAULT_WHOLE_TEXTS), key=key, locale=language.tag()
    )
    data = packed(silences=on_silence is not None)
    callbacks = {"on_pick_change": on_pick, "on_silence_change": on_silence}
    _show(_whole, key, data, on_step_change=on_step, **callbacks)
    return Drawn(assets_of("whole"), packed)


def architecture(shown: architectures.Architecture, *, key: str, on_pick: Callback) -> Drawn:
    """Show a model's parts and how data flows through them; `pick` holds the id of a part."""
    data = architectures.pack(shown)
    _show(_architecture, key, data, on_pick_change=on_pick)
    return Drawn(assets_of("architecture"), lambda: data)


def plotly_tools(title: str, *, key: str) -> None:
    """Show the buttons that save a figure of Plotly, which has this title and this key."""
    texts = language.translated(PLOTLY_TEXTS)
    data = pack_tools(title, texts, key=key, locale=language.tag())
    _plotly_tools(key=f"{key}-tools", data=data)
