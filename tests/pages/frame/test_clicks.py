"""What a click into a picture changes."""

from types import SimpleNamespace

import pytest

from pages.frame import address, clicks, session


@pytest.fixture
def chosen_after(monkeypatch):
    """Return a function that says what a callback chooses where a component reports something."""

    def after(take, **reported):
        chosen = {}
        monkeypatch.setattr(session, "held", lambda _key, _default: SimpleNamespace(**reported))
        for name in ("choose", "choose_above"):
            monkeypatch.setattr(address, name, chosen.update)
        take()
        return chosen

    return after


def test_a_head_that_was_clicked_is_chosen_by_whoever_asks_for_it(chosen_after):
    chosen = {}
    chosen_after(lambda: clicks.take_head(chosen.update), pick={"layer": 1, "head": 2})
    assert chosen == {"layer": 1, "head": 2}


def test_a_click_that_was_taken_back_chooses_nothing(chosen_after):
    for take in (clicks.take_head, lambda: clicks.take_cell("steps"), clicks.take_step):
        assert chosen_after(take, pick=None) == {}


def test_a_cell_is_named_by_panel_row_and_column(chosen_after):
    pick = {"panel": 0, "row": 3, "column": 5}
    assert chosen_after(lambda: clicks.take_cell("steps"), pick=pick) == {"cell": "0,3,5"}


def test_a_zoom_is_kept_until_the_whole_map_is_shown(chosen_after):
    zoom = {"row": 1, "column": 2, "rows": 3, "columns": 4}
    assert chosen_after(clicks.take_zoom, zoom=zoom) == {"zoom": "1,2,3,4"}
    assert chosen_after(clicks.take_zoom, zoom=None) == {"zoom": None}


def test_the_name_of_a_strip_opens_that_head_in_the_maps(chosen_after):
    head = {"kind": "decoder.cross", "layer": 1, "head": 3}
    found = chosen_after(lambda: clicks.take_strip("strips"), strip=head)
    assert found == {**head, "view": "maps"}
