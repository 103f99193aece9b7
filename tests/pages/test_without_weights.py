"""A page that shows nothing that weights compute does not wait for them."""

import pytest

from pages.frame import cached


@pytest.fixture
def kind(monkeypatch, opened_path):
    """An opened model among the runs, of which no weight can be read."""
    path = opened_path("gpt2")
    monkeypatch.setattr(cached, "OWN", path.parent)

    def read(path, _step=None):
        raise AssertionError(f"the weights of {path.name} were read")

    monkeypatch.setattr(cached, "load_run", read)
    return path.name


@pytest.mark.parametrize(
    "page", ["training", "experiments", "tour", "quiz", "glossary", "languages"]
)
def test_a_page_that_needs_no_weights_reads_none(page, kind, open_page):
    at = open_page(page, model=kind)
    assert not at.exception and not at.error


def test_a_page_that_needs_them_does(kind, open_page):
    with pytest.raises(AssertionError, match="Exception"):
        open_page("attention", model=kind, view="maps")
