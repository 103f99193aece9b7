from contextlib import contextmanager
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.frame import interrupts
from pages.frame.turns import TURNS

APP = Path(__file__).resolve().parents[1] / "app.py"


def test_a_page_is_drawn_when_it_is_its_turn(monkeypatch):
    held, drawn, take, draw = [], [], TURNS.taken, interrupts.interruptible

    @contextmanager
    def taken():
        with take():
            held.append(1)
            yield
        held.pop()

    @contextmanager
    def interruptible():
        drawn.append(len(held))
        with draw():
            yield

    monkeypatch.setattr(TURNS, "taken", taken)
    monkeypatch.setattr(interrupts, "interruptible", interruptible)
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.query_params["view"] = "word"
    at.run()
    assert not at.exception, at.exception
    # The page, and its view, which is drawn in a part of its own.
    assert drawn == [1, 2]
    assert not held
