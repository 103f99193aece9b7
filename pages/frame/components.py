"""Our own components as elements of a page; each returns its picture to take away.

Each is named by its key, under which `session.component_value` finds what was asked for while one
of its callbacks runs, before the page runs again. The page answers a click by drawing the component
with what was clicked selected. Without a callback a component does not offer what it answers:

- `on_pick`: another head, cell or part was chosen: `pick` holds `{"layer": …, "head": …}` of maps,
  panel, row and column of matrices, `{"site": …, "head": …}` of a pass.
- `on_pin`: a word was pinned: `pin` holds `{"side": …, "index": …}`, the index None where it was
  unpinned. The sides of lines are "query" and "key".
- `on_zoom`: `zoom` holds `{"row": …, "column": …, "rows": …, "columns": …}` of a map, or None.
- `on_strip`: a strip's name was clicked: `strip` holds `{"kind": …, "layer": …, "head": …}`.
- `on_threshold`, `on_heads`, of lines: `threshold` holds the smallest weight, `heads` holds
  `{"hidden": […]}`.
- `on_step`: the visitor rests at another step of a decoding or a pass: `step` holds `{"step": …}`.
- `on_force`, `on_corrupt`, `on_undo`, of a decoding: another token was chosen, a wrong one is asked
  for, or one put in by hand shall go; each holds `{"step": …}`, `force` the token's id as well.
- `on_silence`: heads of a pass were silenced or not any more: `silence` holds `{"heads": […]}`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import streamlit as st

from pages.frame import language, session
from viz.charts.plotly_figures import PLOTLY_TEXTS, pack_tools, tools_assets
from viz.component.assets import Assets, assets_of, lending, lent, part_assets, without_tags
from viz.component.standalone import Drawn
from viz.descent import descent
from viz.descent.descent import DEFAULT_DESCENT_TEXTS, Descent
from viz.lines import lines
from viz.lines.lines import DEFAULT_LINES_TEXTS, Lines
from viz.plane import maps, matrices, strips
from viz.plane.maps import DEFAULT_MAPS_TEXTS, AttentionMaps
from viz.plane.matrices import DEFAULT_MATRICES_TEXTS, Matrices
from viz.plane.strips import DEFAULT_STRIPS_TEXTS, Strips
from viz.stepper.decoding import DEFAULT_DECODING_TEXTS, DecodingView, pack_decoding
from viz.whole import whole
from viz.whole.whole import DEFAULT_WHOLE_TEXTS, Whole

Callback = Callable[[], None]
_scripts: dict[str, str] = {}


def lend_scripts() -> None:
    """Give the page the scripts of all components, once: what a page has, it keeps.

    To be called in a container of its own, as its place is empty afterwards.
    """
    scripts = session.storage("scripts")
    scripts["in_this_run"] = not scripts.get("lent", False)
    if scripts["in_this_run"]:
        st.html(_lending(), unsafe_allow_javascript=True)
        scripts["lent"] = True


def _lend_again() -> None:
    """Answer a component to which no script came: a connection may break at any moment."""
    session.storage("scripts", in_callback=True)["lent"] = False
    # A part of the page asks, and only the whole page can answer.
    st.rerun()


@cache
def _lending() -> str:
    return f"<script>{without_tags(lending(_scripts))}</script>"


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
    mount = st.components.v2.component(name, html=assets.html, css=assets.css, js=assets.js)
    return partial(mount, on_script_change=_lend_again)


@dataclass(frozen=True, slots=True)
class _Component:
    """What shows one kind of picture."""

    mount: Callable[..., Any]
    assets: str
    """Name of the assets, of a picture that is taken away, too."""
    pack: Callable[..., bytes]
    texts: Mapping[str, str]
    """To be translated."""
    offers: Mapping[str, str]
    """Callback → what the packed picture calls the offer that it answers."""


def _component(
    name: str, assets: str, pack: Callable[..., bytes], texts: Mapping[str, str], **offers: str
) -> _Component:
    return _Component(_mounted(name, assets_of(assets), assets), assets, pack, texts, offers)


_maps = _mounted("plane_maps", assets_of("plane"), "plane")
_part = _mounted("plane_part", part_assets())
_plotly_tools = _mounted("plotly_tools", tools_assets())
_COMPONENTS: dict[type, _Component] = {
    Matrices: _component(
        "plane_matrices",
        "plane",
        matrices.pack,
        DEFAULT_MATRICES_TEXTS,
        on_pick="picks",
        on_pin="pins",
    ),
    Strips: _component("plane_strips", "plane", strips.pack, DEFAULT_STRIPS_TEXTS, on_pin="picks"),
    Lines: _component("lines", "lines", lines.pack, DEFAULT_LINES_TEXTS),
    DecodingView: _component("decoding", "stepper", pack_decoding, DEFAULT_DECODING_TEXTS),
    Whole: _component(
        "whole",
        "whole",
        whole.pack,
        DEFAULT_WHOLE_TEXTS,
        on_pick="leads",
        on_silence="silences",
    ),
    Descent: _component("descent", "descent", descent.pack, DEFAULT_DESCENT_TEXTS),
}


def show(
    shown: Matrices | Strips | Lines | DecodingView | Whole | Descent,
    key: str,
    **callbacks: Callback | None,
) -> Drawn:
    """Show a picture, with those callbacks that the page has.

    Args:
        shown: The picture.
        key: The element's name.
        callbacks: Name → what is called; see above.
    """
    component = _COMPONENTS[type(shown)]
    texts = language.translated(component.texts) | {**shown.texts}
    shown = replace(shown, texts=texts)
    packed = partial(component.pack, shown, key=key, locale=language.tag())
    data = packed(**{offer: bool(callbacks.get(on)) for on, offer in component.offers.items()})
    component.mount(key=key, data=data, **{f"{on}_change": do for on, do in callbacks.items()})
    return Drawn(assets_of(component.assets), packed)


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
    """
    texts = language.translated(DEFAULT_MAPS_TEXTS) | {**shown.texts}
    shown = replace(shown, texts=texts)
    shared = maps.shared(
        shown, zooms=on_zoom is not None, pins=on_pin is not None, key=key, locale=language.tag()
    )
    content, chosen = shared.content, {name: getattr(shown, name) for name in _CHOSEN}
    as_they_came = session.storage("maps_as_they_came")
    if as_they_came.get(key, ("",))[0] != content:
        as_they_came[key] = content, chosen
    came = as_they_came[key][1]
    with st.container(key=f"{key}-place", gap=None):
        _maps(
            key=key,
            data=shared.packed(replace(shown, **came)),
            on_pick_change=on_pick,
            on_zoom_change=on_zoom,
            on_pin_change=on_pin,
        )
        if came != chosen:
            _part(key=f"{key}-head", data=maps.pack_head(shown, content, key=key))
    return Drawn(assets_of("plane"), partial(maps.pack, shown, whole=True, locale=language.tag()))


_CHOSEN = ("selected", "zoom", "pin", "spoken")
"""What a visitor chooses in maps, without which all else of them stays."""


def plotly_tools(title: str, *, key: str) -> None:
    """Show the buttons that save a figure of Plotly, which has this title and this key."""
    texts = language.translated(PLOTLY_TEXTS)
    data = pack_tools(title, texts, key=key, locale=language.tag())
    _plotly_tools(key=f"{key}-tools", data=data)
