import numpy as np
import pyarrow as pa
import pytest

from tests.core.studies.lessons.test_positions import formula, with_learned_positions
from tests.pages.conftest import ROOT
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture
def open_positions(open_page):
    return lambda view, **query_params: open_page("positions", positions=view, **query_params)


@pytest.fixture
def learned_run(tmp_path, elsewhere):
    """The only run there is whose positions were learned."""
    run = with_learned_positions(tmp_path / "copy-learned", trained=17)
    paths = {name: ROOT / "gallery" / name for name in ("translate", "copy")}
    elsewhere("run_paths", lambda: paths | {"mine": run})
    return run


@pytest.fixture
def only_learned(tmp_path, elsewhere):
    """Return a function that makes the only run there is whose positions were learned."""

    def make(trained=17, **settings):
        run = with_learned_positions(tmp_path / "mine", trained, **settings)
        paths = {"copy": ROOT / "gallery" / "copy", "mine": run}
        elsewhere("run_paths", lambda: paths)
        return run

    return make


def panels(at):
    return [
        panel
        for component in at.get("bidi_component")
        for panel in unpack(component.proto.bytes).panels
    ]


def charted(at):
    """The rows of the chart: the values of y by series."""
    [chart] = at.get("vega_lite_chart")
    names = [dataset.name for dataset in chart.proto.datasets]
    assert names
    rows = pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pylist()
    series = {}
    for row in rows:
        series.setdefault(row["series"], []).append(row["y" if "y" in row else "value"])
    return series


def set_number(at, key, value):
    at.number_input(key=key).set_value(value).run()
    assert not at.exception, at.exception
    return at


def complaint(at):
    [error] = at.error
    signs = {f"&#{ord(sign)};": sign for sign in "()_.,=:|-+;"}
    text = error.value
    for code, sign in signs.items():
        text = text.replace(code, sign)
    return text


def table(n_positions, d_model, base=10_000.0):
    return np.stack([formula(position, d_model, base) for position in range(n_positions)])
