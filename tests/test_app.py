from contextlib import contextmanager
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.turns import TURNS
from pages.frame import places

APP = Path(__file__).resolve().parents[1] / "app.py"


def test_a_page_is_drawn_when_it_is_its_turn(monkeypatch):
    held, drawn, take, draw = [], [], TURNS.taken, places.place

    @contextmanager
    def taken():
        with take():
            held.append(1)
            yield
        held.pop()

    @contextmanager
    def place(part):
        drawn.append((part, len(held)))
        with draw(part):
            yield

    monkeypatch.setattr(TURNS, "taken", taken)
    monkeypatch.setattr(places, "place", place)
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.query_params["view"] = "word"
    at.run()
    assert not at.exception, at.exception
    assert drawn[:2] == [("page", 1), ("sentence", 1)]
    assert ("/view", 2) in drawn
    assert not held
