from dataclasses import replace

import pytest
import torch

from core.decoding.sentence import translate
from core.model import Record, Step
from core.runs.run import load_run
from tests.core.describe.invented import gated
from tests.pages.conftest import ROOT
from viz.plane import matrices

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture
def open_layers(open_page):
    return lambda **query_params: open_page("layers", **query_params)


@pytest.fixture
def open_gated(open_layers, own_copy, elsewhere):
    """As `open_layers`, of a run whose model has a sublayer that the project does not know."""

    def load(path, step=None):
        run = load_run(path, step)
        return replace(run, model=gated(run.settings.model))

    elsewhere("load_run", load)
    return lambda **query_params: open_layers(model="runs/mine", **query_params)


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


def panels(at, index=0):
    return matrices.unpack(at.get("bidi_component")[index].proto.bytes).panels


def table(at, index=0):
    return at.table[index].value
