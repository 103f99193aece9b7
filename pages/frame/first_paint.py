"""The start, on the screen before torch is imported: what the gallery stores of it.

A server that was just started needs seconds for torch, the model and its pass. Until then the page
shows the same picture in the same place; the live one takes over the component, whose step stays.
Nothing that imports torch may be imported here. `python -m docs.first_paint` stores what is shown.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs

import numpy as np
import streamlit as st

from pages.frame import APP_NAME, streamlit_internals
from viz.component.assets import assets_of, lending, lent, without_tags
from viz.component.payload import framed

RUN = Path(__file__).resolve().parents[2] / "gallery" / "everyday"
FILE = "first_paint.json"
PICTURE, TOUR, MODEL, SENTENCE = "pass", "start_tour", "model", "sentence"
"""Keys of the elements, which the live page has, too."""
_STYLE = Path(__file__).with_name("layout.css")


@dataclass(frozen=True, slots=True)
class Start:
    """What the start shows."""

    run: Path
    sentence: str


def draw() -> Start | None:
    """Draw the start if it is the first page that the server is asked for; None otherwise."""
    run = streamlit_internals.current_run()
    if "torch" in sys.modules or run is None or streamlit_internals.page_name(run):
        return None
    query = parse_qs(run.query_string)
    file = RUN / FILE
    if query.keys() - {"lang"} or not file.is_file():
        return None
    stored = json.loads(file.read_text("utf-8"))
    asked = [*query.get("lang", ()), st.context.locale or "", "en"]
    words = next(found for each in asked if (found := _in_language(stored["languages"], each)))

    # Streamlit takes the elements of a page of another name for others.
    def render() -> None:
        _draw(stored, words)

    st.set_page_config(page_title=APP_NAME, page_icon="🔎", layout="wide")
    st.navigation([st.Page(render, title=APP_NAME, default=True)], position="hidden").run()
    return Start(RUN, stored["sentence"])


def _in_language(languages: dict[str, Any], asked: str) -> dict[str, Any] | None:
    """Return the words of a language by its name or tag, as `language.spoken` finds it."""
    general = {name.partition("_")[0]: words for name, words in languages.items()}
    return general.get(asked.replace("-", "_").partition("_")[0].lower())


def _draw(stored: dict[str, Any], words: dict[str, Any]) -> None:
    """Draw what the live page draws, each element in the place that it has there."""
    st.html(f"<style>{_STYLE.read_text('utf-8')}</style>")
    assets = assets_of("whole")
    with st.container(key="scripts"):
        script = without_tags(lending({"whole": assets.js}))
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
    st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch", key="introduction"):
            st.markdown(words["introduction"])
        st.button(words["tour"], key=TOUR, type="primary", icon=":material/tour:")
    st.container()
    _draw_boxes(stored["sentence"], words)
    st.container()
    with st.container(key="view_pass"), st.container():
        with st.container(), st.container(key="seen", horizontal=True, vertical_alignment="center"):
            st.markdown(words["seen"], width="stretch")
        assets = lent(assets, "whole")
        mount = st.components.v2.component("whole", html=assets.html, css=assets.css, js=assets.js)
        arrays = [np.array(each, "<u2") for each in stored["arrays"]]
        mount(key=PICTURE, data=framed(words["header"], arrays))


def _draw_boxes(sentence: str, words: dict[str, Any]) -> None:
    """Draw what asks for a model and a sentence; nothing takes over a choice yet."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="opening"):
        st.selectbox(
            words["model"],
            [RUN.name],
            format_func=lambda _name: words["name"],
            width=250,
            key=MODEL,
            disabled=True,
        )
        st.text_input(words["sentence"], sentence, key=SENTENCE, disabled=True)
        with st.container(horizontal=True, gap="small", width="content"):
            for index, name in enumerate(words["examples"]):
                kind: Literal["secondary", "tertiary"] = "tertiary" if index else "secondary"
                st.button(name, key=f"example_{index}", type=kind, disabled=True)
