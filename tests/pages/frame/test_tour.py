from html.parser import HTMLParser

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import tour
from pages.frame.tour import Stop, Tour, sheet

TWO_STOPS = """
[[stop]]
title = "A"
link = "/heads?off=x"
shows = "off=y"
question = "Which?"

[[stop]]
title = "B"
link = "/decoding"
question = "Which?"
"""


@pytest.fixture(autouse=True)
def tour_of_two_stops(tmp_path, monkeypatch):
    monkeypatch.setattr(tour, "TOURS", tmp_path)
    (tmp_path / "own.toml").write_text(TWO_STOPS)


def _app():
    import streamlit as st

    from pages.frame import session, tour

    session.enter("heads")
    tour.draw()
    st.text(f"kept back {tour.keeps_back()}")
    if not tour.keeps_back():
        tour.answered("**it** looks")
    st.text(f"answers {tour.answers(tour.read_tour('own'))}")
    st.text(f"off {session.text_of('off')}")
    session.write()


def opened(**query):
    at = AppTest.from_function(_app)
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


def texts(at):
    return [each.value for each in at.text]


def test_what_is_seen_is_kept_back_noted_when_shown_and_the_task_is_done():
    at = opened(tour="own", off="x")
    assert texts(at) == ["kept back True", "answers {}", "off x"]
    at.button(key="tour_reveal").click().run()
    assert texts(at) == ["kept back False", "answers {0: '**it** looks'}", "off y"]


@pytest.mark.parametrize("query", [{}, {"tour": "own", "stop": "2"}], ids=["no tour", "elsewhere"])
def test_nothing_is_kept_back_or_noted_but_at_the_stop_itself(query):
    at = opened(**query)
    assert texts(at)[:2] == ["kept back False", "answers {}"]
    assert [each.key for each in at.button][:1] == ["tour_here"] * bool(query)


@pytest.mark.parametrize("number", ["0", "3", "x", "1.0"])
def test_a_stop_that_is_not_there_is_the_first(number):
    assert "Stop 1 of 2" in opened(tour="own", stop=number).markdown[0].value


def test_a_tour_that_cannot_be_opened_says_why():
    at = opened(tour="other")
    assert "no tour named other" in at.error[0].value.replace("&#32;", " ")
    assert not at.button


class Texts(HTMLParser):
    """What a page shows, element by element."""

    def __init__(self):
        super().__init__()
        self.open, self.found = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style" and data.strip():
            self.found.append(data.strip())


def test_the_sheet_has_every_task_and_at_its_end_the_answers_that_were_seen():
    one = Stop(title="One <b>", page="heads", query={}, question="Where?", task="Point at it.")
    two = Stop(title="Two", page="heads", query={}, question="And then?", task="Go on.")
    tour = Tour("lesson", "A lesson", (one, two))
    page, parser = sheet(tour, {0: "**it** looks at &#42;animal&#42;: 1.00"}), Texts()
    parser.feed(page)
    assert parser.found[0] == "A lesson"
    assert {"1. One <b>", "2. Two", "Where?", "Point at it.", "And then?"} <= {*parser.found}
    assert parser.found[-2:] == ["Answers", "1. it looks at *animal*: 1.00"]
    # For each stop, room for a guess and for what came out.
    assert page.count('class="room"') == 4
    assert "Answers" not in sheet(tour, {})
