import shutil

import pytest
from streamlit.testing.v1 import AppTest

from core.model import build
from core.runs.folder import RunFolder
from core.runs.run import read_settings
from tests.pages.conftest import unfold

KEPT = (1, 10, 200)


@pytest.fixture
def kept(own_copy):
    """A run with three snapshots, each of other weights."""
    model = read_settings(own_copy).model
    shutil.rmtree(own_copy / "snapshots", ignore_errors=True)
    for step in KEPT:
        RunFolder(own_copy).snapshot(build(model, seed=step), step, {"a", "b"})
    return own_copy


def _run_view(name, path):
    from importlib import import_module
    from pathlib import Path

    from pages.frame import session
    from pages.frame.view import View, show

    session.enter("training")
    draw = import_module(f"pages.views.training.{name}").draw
    show(View("training", name, draw), Path(path), {})
    session.write()


@pytest.fixture
def open_view():
    """Return a function that shows one view of a run's training, without the page around it."""

    def opener(name, path, **query_params):
        kwargs = {"name": name, "path": str(path)}
        at = AppTest.from_function(_run_view, kwargs=kwargs, default_timeout=60)
        at.query_params.update(query_params)
        at.run()
        assert not at.exception, at.exception
        return at

    return opener


@pytest.fixture
def open_runs(open_page):
    """Return a function that opens the view of all runs, with its table unfolded."""

    def opener(**query_params):
        return unfold(open_page("training", training="runs", **query_params), "runs")

    return opener


@pytest.fixture
def content_of():
    """Return a function that says what is in a folder: the files by their paths."""

    def content(folder):
        files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    return content
