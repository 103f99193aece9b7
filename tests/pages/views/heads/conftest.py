import pytest

from core.runs.run import load_run

OPENED = ("bert", "gpt2", "t5")


@pytest.fixture(scope="module", params=OPENED)
def opened_kind(request):
    """A kind of model that learned elsewhere."""
    return request.param


@pytest.fixture(scope="module")
def opened_folder(opened_kind, opened_path):
    """A folder with a small random model of the kind, opened."""
    return opened_path(opened_kind).parent


@pytest.fixture
def open_text_roles(open_page, elsewhere, opened_folder, opened_kind):
    """Return a function that opens the roles of its heads."""
    elsewhere("OWN", opened_folder)
    query = {"trial": "roles", "model": f"runs/{opened_kind}"}
    return lambda **more: open_page("heads", **query, **more)


@pytest.fixture(scope="module")
def opened_run(opened_folder, opened_kind):
    """The model."""
    return load_run(opened_folder / opened_kind)
