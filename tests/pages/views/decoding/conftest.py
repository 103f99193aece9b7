import pytest

from core.runs.run import load_run
from tests.viz.unpacked import unpack_decoding
from tests.viz.unpacked import unpack_matrices as unpack


def stepper(at):
    """Return what the page's stepper shows."""
    [component, *_others] = at.get("bidi_component")
    return unpack_decoding(component.proto.bytes)


def panels(at):
    """Return the matrices that the page shows."""
    [component] = at.get("bidi_component")
    return unpack(component.proto.bytes).panels


def texts(labels):
    return [label.text for label in labels]


@pytest.fixture
def open_view(open_page, taken):
    """Return a function that opens a view by its link, and gives the page and its `Shown`."""

    def opener(view, **query_params):
        at = open_page("decoding", decoding=view, **query_params)
        return at, taken[-1] if taken else None

    return opener


@pytest.fixture
def decoders(opened_path, elsewhere):
    """Return a function that puts an opened decoder among the visitor's runs, and loads it."""

    def put(kind):
        path = opened_path(kind)
        elsewhere("OWN", path.parent)
        return load_run(path)

    return put
