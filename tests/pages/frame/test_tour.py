import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import tour_file

TWO_STOPS = """
[[stop]]
title = "A"
link = "/lessons?off=x"
shows = "off=y"
question = "Which?"

[[stop]]
title = "B"
link = "/heads"
question = "Which?"
"""


@pytest.fixture(autouse=True)
def tour_of_two_stops(tmp_path, monkeypatch):
    monkeypatch.setattr(tour_file, "TOURS", tmp_path)
    (tmp_path / "own.toml").write_text(TWO_STOPS)


def _app():
    import streamlit as st

    from pages.frame import address, tour, tour_file

    address.enter("lessons")
    tour.draw()
    st.text(f"kept back {tour.keeps_back()}")
    if not tour.keeps_back():
        tour.answered("**it** looks")
    st.text(f"answers {tour.answers(tour_file.read_tour('own'))}")
    st.text(f"off {address.text_of('off')}")
    address.write()


def opened(**query):
    at = AppTest.from_function(_app)
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


def texts(at):
    return [each.value for each in at.text]


def test_without_a_tour_nothing_is_kept_back_and_nothing_noted():
    assert texts(opened())[:2] == ["kept back False", "answers {}"]


def test_what_is_seen_is_kept_back_noted_when_shown_and_the_task_is_done():
    at = opened(tour="own", off="x")
    assert texts(at) == ["kept back True", "answers {}", "off x"]
    at.button(key="tour_reveal").click().run()
    assert texts(at) == ["kept back False", "answers {0: '**it** looks'}", "off y"]


def test_the_view_of_another_stop_is_no_answer():
    at = opened(tour="own", stop="2")
    assert texts(at)[:2] == ["kept back False", "answers {}"]
    assert [each.key for each in at.button][0] == "tour_here"


@pytest.mark.parametrize("number", ["0", "3", "x", "1.0"])
def test_a_stop_that_is_not_there_is_the_first(number):
    at = opened(tour="own", stop=number)
    assert "Stop 1 of 2" in at.markdown[0].value


def test_a_tour_that_cannot_be_opened_says_why():
    at = opened(tour="other")
    assert "no tour named other" in at.error[0].value.replace("&#32;", " ")
    assert not at.button
