import pytest

from pages.frame import session
from pages.views.heads import cells


@pytest.mark.parametrize(
    ("written", "found"),
    [("1,2", (1, 2)), ("3,0", None), ("0,4", None), ("1", None), ("", None), ("a,b", None)],
)
def test_only_a_cell_that_there_is_is_found(monkeypatch, written, found):
    monkeypatch.setattr(session, "linked", {"cell": written}.get)
    assert cells.linked("cell", 3, 4) == found
