import pytest

from core.runs.run import load_run
from tests.pages.conftest import ROOT
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
OTHERS = "The cat slept.\nThe dog did not see the house."
KINDS = {"encoder self": "encoder", "decoder self": "decoder", "cross": "decoder"}


@pytest.fixture
def open_masks(open_page):
    return lambda **query_params: open_page("masks", others=OTHERS, **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


TEXTS = "it was\nThe animal did not cross the street because it was too tired."
FACT = "The capital of France is"


@pytest.fixture
def open_alone(open_page, opened_path, elsewhere):
    """Return a function that opens the lesson on a model of one stack, and loads the run."""

    def opener(kind, view, **query):
        path = opened_path(kind)
        elsewhere("OWN", path.parent)
        asked = {"model": f"runs/{kind}", "sentence": FACT, "others": TEXTS} | query
        return open_page("masks", masks=view, **asked), load_run(path)

    return opener


def panels(at):
    [component] = at.get("bidi_component")
    return unpack(component.proto.bytes).panels


def texts(axis):
    return [label.text for label in axis.labels]
