import html

import pytest

from pages.views.attention.seen import share
from tests.pages.conftest import MODEL


def seen(at):
    """Return the line that says what there is to see, as people read it."""
    mark = "**What you see:**]"
    [line] = [each.value for each in at.markdown if mark in each.value]
    return html.unescape(line.partition(mark)[2].strip()).replace("\u00a0", " ")


def written(weight):
    """Return a weight as that line writes it."""
    return share(float(weight)).replace("\u00a0", " ")


@pytest.fixture
def open_view(open_app, taken):
    """Return a function that opens a view as a link does, and gives the page and its `Shown`."""

    def opener(view, **query_params):
        at = open_app(view=view, **({"model": MODEL} | query_params))
        return at, taken[-1] if taken else None

    return opener
