import contextlib

import pytest

from pages.frame import view
from tests.pages.conftest import ROOT
from tests.pages.views.attention.conftest import own_random  # noqa: F401


@pytest.fixture
def offered():
    """What the page offers while it is drawn: one `Shown` for each time, the newest last."""
    found = []
    offer = view.offer

    def noted(shown, *arguments):
        found.append(shown)
        offer(shown, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "offer", noted)
        yield found


@pytest.fixture
def computes_its_numbers_again(offered):
    """Return a function that runs the Python of the newest `Shown` and compares the numbers."""

    def check(root=ROOT):
        shown, found = offered[-1], {}
        with contextlib.chdir(root):
            exec(compile(shown.python, "python", "exec"), found)
        columns = shown.numbers()
        assert len({len(values) for values in columns.values()}) == 1
        for name, values in found["numbers"].items():
            expected = [value for value in columns[name] if value is not None]
            assert values == pytest.approx(expected, rel=1e-5, abs=1e-6), name
        assert view.page(shown, {"title": shown.title}).startswith("<!")
        return shown

    return check
