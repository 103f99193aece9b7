import pytest
from streamlit.testing.v1 import AppTest


def _run_view(name, path):
    from importlib import import_module
    from pathlib import Path

    import_module(f"pages.views.training.{name}").render(Path(path))


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
