import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import WidgetList

from core.inspection import inspect_sentence
from core.model import build
from core.runs.archive import archive_run
from core.runs.checkpoint import save_weights
from core.runs.run import load_run, read_settings
from core.training import process
from pages.frame import cached, language, view
from pages.locales import catalogues
from tests.viz.unpacked import unframed
from tests.viz.unpacked import unpack_maps as unpack

ROOT = Path(__file__).resolve().parents[2]
MODEL = "translate-guided"
"""What most pages are tested on, whichever the app opens on."""
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.fixture(autouse=True)
def _caches_of_what_is_replaced(request):
    """Forget what a test computed with something replaced, and what it would not compute anew.

    All else stays for the next test, as for the next visitor: the keys of what is cached carry the
    run's folder and when its files were written.
    """
    replaces = "monkeypatch" in request.fixturenames
    if replaces:
        clear_caches()
    yield
    if replaces:
        clear_caches()


def clear_caches():
    """Forget all that was computed."""
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def elsewhere():
    """Return a function that says where runs are; what is cached stays, as its keys name them."""
    with pytest.MonkeyPatch.context() as patch:
        yield partial(patch.setattr, cached)


@pytest.fixture(scope="session", autouse=True)
def _packages_looked_through_once():
    """Every page that is opened would look through all installed packages for components."""
    with pytest.MonkeyPatch.context() as patch:
        found = manifest_scanner.scan_component_manifests()
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: list(found))
        yield


def name_of(widget):
    """Return the name of the choice that a widget asks for; see `session.widget_key`."""
    return (widget.key or "").split("--")[0]


@pytest.fixture(scope="session", autouse=True)
def _widgets_by_name():
    """A test asks for a widget by the choice's name, however often others took its place."""

    def of_name(widgets, key):
        found = [each for each in widgets if each.key == key or name_of(each) == key]
        if not found:
            raise KeyError(key)
        return found[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WidgetList, "__call__", of_name)
        yield


@pytest.fixture
def own_runs(tmp_path, elsewhere):
    """An empty folder in the place of runs/."""
    folder = tmp_path / "runs"
    folder.mkdir()
    elsewhere("OWN", folder)
    return folder


UNMEASURED = shutil.ignore_patterns("heads.*")
"""Left out of a copy of a run, for what is shown where no head's silencing was measured."""


@pytest.fixture
def own_copy(own_runs):
    """A run of one's own: the gallery's copy run under another name, its heads not measured."""
    return Path(shutil.copytree(ROOT / "gallery" / "copy", own_runs / "mine", ignore=UNMEASURED))


def unfold(at, name):
    """Open what is folded below a picture, as a click on its title does."""
    at.session_state[f"folded_{name}"] = True
    return at.run()


@pytest.fixture(scope="session")
def run_of_kind(tmp_path_factory, opened_path):
    """Return a function that returns a run of one of `KINDS`, called `run`, made once.

    It is everybody's: whoever changes it copies it.
    """
    # Imported here: most tests need none.
    from tests.pages.kinds_of_model import KINDS, OPENED, make

    folders = tmp_path_factory.mktemp("kinds")

    def run(kind):
        runs = folders / str(KINDS.index(kind))
        if kind in OPENED and not runs.exists():
            shutil.copytree(opened_path(kind), runs / "run")
        elif not runs.exists():
            with pytest.MonkeyPatch.context() as patch:
                make(kind, runs, patch)
        return runs / "run"

    return run


@pytest.fixture
def open_app():
    """Return a function that opens the app as a link with these parameters does."""

    def opener(**query_params):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        # The bare address opens the pass.
        at.query_params.update({"view": "maps"} | query_params)
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


@pytest.fixture
def taken():
    """What views offer while they are drawn: one `Shown` each time, the newest last."""
    found = []
    offer = view.offer

    def noted(shown, *arguments):
        found.append(shown)
        offer(shown, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "offer", noted)
        yield found


def _run_page(name):
    from importlib import import_module

    from pages.frame import session

    session.enter(name)
    import_module(f"pages.{name}").render()
    session.write()


@pytest.fixture
def another(own_runs):
    """Return a function that makes a run of one's own from one of the gallery."""

    def make(name, of="copy"):
        return Path(shutil.copytree(ROOT / "gallery" / of, own_runs / name))

    return make


@pytest.fixture
def archive(tmp_path):
    """A run that somebody gave away."""
    shutil.copytree(ROOT / "gallery" / "copy", tmp_path / "given" / "gift")
    archive_run(tmp_path / "given" / "gift", tmp_path / "gift.zip")
    return (tmp_path / "gift.zip").read_bytes()


@pytest.fixture
def started(own_runs):
    """The runs whose training would have been started."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "start", found.append)
        yield found


@pytest.fixture
def open_page():
    """Return a function that runs one page on its own, without the others.

    It is run on a small model; None for the one that the page opens on.
    """

    def opener(name, **query_params):
        at = AppTest.from_function(_run_page, kwargs={"name": name}, default_timeout=60)
        asked = {"model": MODEL} | query_params
        at.query_params.update({name: text for name, text in asked.items() if text is not None})
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


@pytest.fixture
def german(tmp_path, monkeypatch):
    """German is a language of the app, with English texts and German numbers."""
    catalogues.begin(tmp_path, "de")
    file = tmp_path / "de" / "LC_MESSAGES" / "app.po"
    catalogues.compile_texts(file.with_suffix(".mo"), catalogues.read(file))
    monkeypatch.setattr(language, "LOCALES", tmp_path)


def texts(labels):
    """Return what labels read, or those of an axis."""
    return [label.text for label in getattr(labels, "labels", labels)]


def inspected(model=MODEL, sentence=TIRED):
    """Return the weights of a run of the gallery on a sentence."""
    return inspect_sentence(load_run(ROOT / "gallery" / model), sentence)


def shown(at):
    """Return the maps that the page shows, as the component reads them."""
    return unpack(component(at, "attention_maps").bytes, chosen_since(at))


def chosen_since(at):
    """Return what was chosen of the maps since they came, as the component reads it, or None."""
    found = [each.proto for each in at.get("bidi_component")]
    parts = [proto.bytes for proto in found if proto.component_name == "plane_part"]
    return parts[0] if parts else None


def said(at):
    """Return all that stands on the page beside the maps."""
    elements = [*at.caption, *at.info, *at.error, *at.text, *at.markdown]
    return "\n".join(element.value for element in elements)


def chart_rows(at, place=0):
    """Return the rows of a chart of the page."""
    chart = at.get("vega_lite_chart")[place]
    return pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pylist()


def pick(at, layer, head):
    """Click a head in the maps."""
    send(at, "pick", {"layer": layer, "head": head})


def send(at, event, value):
    """Let the page's component report an event."""
    protos = [each.proto for each in at.get("bidi_component")]
    [first, *_] = [proto for proto in protos if kind_of(proto) != "plane_part"]
    send_from(at, first, event, value)


def send_from(at, proto, event, value):
    """Let a component report an event."""
    widget_states = type(at._tree).get_widget_states

    def with_event():
        states = widget_states(at._tree)
        state = states.widgets.add()
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
        state.json_trigger_value = json.dumps([{"event": event, "value": value}])
        return states

    at._tree.get_widget_states = with_event
    at.run()
    assert not at.exception, at.exception


def tick_rows(at, table, *rows):
    """Tick rows of a table, or none, as a click in the browser does."""
    widget_states = type(at._tree).get_widget_states

    def with_ticks():
        states = widget_states(at._tree)
        # What was ticked before stands in the session already.
        kept = [state for state in states.widgets if state.id != table.proto.id]
        del states.widgets[:]
        states.widgets.extend(kept)
        state = states.widgets.add()
        state.id = table.proto.id
        selection = {"rows": list(rows), "columns": [], "cells": []}
        state.string_value = json.dumps({"selection": selection})
        return states

    at._tree.get_widget_states = with_ticks
    at.run()
    assert not at.exception, at.exception


def ticked_rows(at, name):
    """Return the rows that are ticked in a table, by the name of its choice."""
    [table] = [each for each in at.dataframe if name_of(each) == name]
    return at.session_state[table.key]["selection"]["rows"]


def component(at, name):
    """Return the one element of a component, or of one layout of the plane of cells."""
    protos = [each.proto for each in at.get("bidi_component")]
    [found] = [proto for proto in protos if kind_of(proto) == name]
    return found


def kind_of(proto):
    """Return the name of a component; of the plane of cells, that of its layout."""
    if proto.component_name not in ("plane_maps", "plane_matrices", "plane_strips"):
        return proto.component_name
    layout = unframed(proto.bytes)[0]["layout"]
    return "attention_maps" if layout == "maps" else layout


@pytest.fixture
def own_random(own_runs):
    """Return a function that makes a run of one's own with random weights, of any size.

    `own_random(n_encoder_layers=12, n_decoder_layers=12, n_heads=16)` makes `runs/random`; it reads
    letters as the gallery's copy run does, and has 512 positions.
    """

    def maker(name="random", **sizes):
        copy, path = ROOT / "gallery" / "copy", own_runs / name
        (path / "checkpoints").mkdir(parents=True)
        for file in ("tokenizer.json", "words.txt"):
            (path / file).write_bytes((copy / file).read_bytes())
        settings = read_settings(copy)
        config = replace(settings.model, d_k=0, d_v=0, **sizes)
        written = replace(settings, model=config).to_dict()
        (path / "run.json").write_text(json.dumps(written))
        step = settings.training.steps
        save_weights(build(config), path / "checkpoints" / f"step-{step:08}.safetensors")
        return path

    return maker
