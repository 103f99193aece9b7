from types import SimpleNamespace

import pytest

from pages.frame import clicks, session


@pytest.mark.parametrize(
    ("take", "reported", "chosen"),
    [
        (clicks.take_head, {"pick": {"layer": 1, "head": 2}}, {"layer": 1, "head": 2}),
        (clicks.take_head, {"pick": None}, {}),
        (
            lambda: clicks.take_cell("steps"),
            {"pick": {"panel": 0, "row": 3, "column": 5}},
            {"cell": "0,3,5"},
        ),
        (
            clicks.take_zoom,
            {"zoom": {"row": 1, "column": 2, "rows": 3, "columns": 4}},
            {"zoom": "1,2,3,4"},
        ),
        (clicks.take_zoom, {"zoom": None}, {"zoom": None}),
        (
            lambda: clicks.take_strip("strips"),
            {"strip": {"kind": "decoder.cross", "layer": 1, "head": 3}},
            {"kind": "decoder.cross", "layer": 1, "head": 3, "view": "maps"},
        ),
    ],
)
def test_a_click_into_a_picture_chooses_what_was_clicked(monkeypatch, take, reported, chosen):
    found = {}
    monkeypatch.setattr(session, "component_value", lambda _key: SimpleNamespace(**reported))
    monkeypatch.setattr(session, "choose", found.update)
    monkeypatch.setattr(session, "choose_above", found.update)
    monkeypatch.setattr(clicks.take_head, "__defaults__", (found.update,))
    take()
    assert found == chosen
