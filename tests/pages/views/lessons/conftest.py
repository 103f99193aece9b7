import numpy as np
import pyarrow as pa
import pytest
import torch

from core.decoding.sentence import translate
from core.model import Record, Step
from core.runs.run import load_run
from tests.pages.conftest import ROOT
from tests.viz.unpacked import unpack_matrices

TIRED = "The animal didn't cross the street because it was too tired."
OTHERS = "The cat slept.\nThe dog did not see the house."
FACT = "The capital of France is"
TEXTS = "it was\nThe animal did not cross the street because it was too tired."


@pytest.fixture
def open_lesson(open_page, taken):
    """Return a function that opens a lesson by its link, and gives the page and its `Shown`."""

    def opener(view, **query_params):
        del taken[:]
        at = open_page("lessons", lessons=view, **query_params)
        return at, taken[-1] if taken else None

    return opener


@pytest.fixture
def open_alone(open_lesson, opened_path, elsewhere):
    """Return a function that opens a lesson on a model of one stack; it gives the run, too."""

    def opener(kind, view, **query):
        path = opened_path(kind)
        elsewhere("OWN", path.parent)
        asked = {"model": f"runs/{kind}", "sentence": FACT, "others": TEXTS} | query
        return *open_lesson(view, **asked), load_run(path)

    return opener


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.fixture(scope="module")
def tensors(run):
    """Every step of every sublayer for the sentence that the page opens on."""
    translation, record = translate(run, TIRED), Record(frozenset(Step))
    with torch.inference_mode():
        run.model(
            torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids]), record
        )
    return {key: tensor[0].double().numpy() for key, tensor in record.tensors.items()}


def panels(at):
    """Return the matrices of a page."""
    return [
        panel
        for component in at.get("bidi_component")
        for panel in unpack_matrices(component.proto.bytes).panels
    ]


def texts(axis):
    return [label.text for label in axis.labels]


def charts(at):
    """Return each chart of a page: series → values."""
    found = []
    for chart in at.get("vega_lite_chart"):
        frames = [pa.ipc.open_stream(data.data.data).read_pandas() for data in chart.proto.datasets]
        frame = next(frame for frame in frames if "series" in frame)
        value = "y" if "y" in frame else "value"
        rows = frame.groupby("series", sort=False)
        found.append({name: values[value].tolist() for name, values in rows})
    return found


def row_names(at):
    """Return what the rows of the first chart of a page are called."""
    frames = [
        pa.ipc.open_stream(data.data.data).read_pandas()
        for data in at.get("vega_lite_chart")[0].proto.datasets
    ]
    return next(frame for frame in frames if "name" in frame)["name"].tolist()


def exact(scores):
    """Return the softmax of scores."""
    exponentials = np.exp(np.array(scores, float) - max(scores))
    return exponentials / exponentials.sum()
