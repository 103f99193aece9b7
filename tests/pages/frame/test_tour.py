import re
from html.parser import HTMLParser

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import layout, tour
from pages.frame.links import PAGES
from pages.frame.tour import EXAMPLE, Stop, Tour, TourError, read_tour, sheet, tour_names

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


@pytest.fixture
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


@pytest.mark.usefixtures("tour_of_two_stops")
def test_what_is_seen_is_kept_back_noted_when_shown_and_the_task_is_done():
    at = opened(tour="own", off="x")
    assert texts(at) == ["kept back True", "answers {}", "off x"]
    at.button(key="tour_reveal").click().run()
    assert texts(at) == ["kept back False", "answers {0: '**it** looks'}", "off y"]


@pytest.mark.usefixtures("tour_of_two_stops")
@pytest.mark.parametrize("query", [{}, {"tour": "own", "stop": "2"}], ids=["no tour", "elsewhere"])
def test_nothing_is_kept_back_or_noted_but_at_the_stop_itself(query):
    at = opened(**query)
    assert texts(at)[:2] == ["kept back False", "answers {}"]
    assert [each.key for each in at.button][:1] == ["tour_here"] * bool(query)


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


@pytest.fixture
def tours(tmp_path, monkeypatch):
    """Return a function that writes a tour of one's own."""
    monkeypatch.setattr(tour, "TOURS", tmp_path)

    def write(text, name="monday"):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        return name

    return write


def test_the_example_is_a_tour(tours):
    tour = read_tour(tours(EXAMPLE))
    assert (tour.name, tour.title, len(tour.stops)) == ("monday", "Monday's lesson", 1)
    [stop] = tour.stops
    assert (stop.title, stop.page) == ("Who is tired?", "attention")
    assert (stop.question, stop.task) == ("Where does “it” look?", "Rest the pointer on “it”.")
    assert stop.query == {"view": "lines", "sentence": "The dog slept because it was tired."}
    assert stop.shows == {"side": "query", "token": "4"}


def test_a_link_may_come_from_another_address_and_from_within_a_tour(tours):
    text = """
[[stop]]
title = "Silence"
link = "https://lab.example/app/heads?trial=silence&tour=paper&stop=4"
"""
    tour = read_tour(tours(text))
    assert tour.title == "monday"
    assert (tour.stops[0].page, dict(tour.stops[0].query)) == ("heads", {"trial": "silence"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "cannot be read"),
        ('title = "Empty"', "no [[stop]]"),
        ("stop = 3", "no [[stop]]"),
        ("stop = [3]", "Stop 1 of {file} has no title"),
        ('[[stop]]\ntitle = "A"', "Stop 1 of {file} has no link"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\n[[stop]]\nlink = "/"',
            "Stop 2 of {file} has no title",
        ),
        ('[[stop]]\ntitle = "A"\nlink = "/nowhere?x=1"', "there is no page nowhere"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\nhint = "b"',
            "hint is not one of the texts title, link",
        ),
        ('[[stop]]\ntitle = "A"\nlink = "/heads"\ntask = 3', "task is not one of the texts"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tours, tmp_path, text, said):
    name = tours(text)
    with pytest.raises(TourError) as error:
        read_tour(name)
    assert said.format(file=tmp_path / "monday.toml") in str(error.value)


@pytest.mark.parametrize("name", ["tuesday", "../monday", "", "a b"])
def test_no_other_file_than_one_of_the_folder_is_read(tours, tmp_path, name):
    (tmp_path.parent / "monday.toml").write_text(EXAMPLE)
    with pytest.raises(TourError, match="There is no tour named"):
        read_tour(name)


def test_tours_are_listed_by_name(tours):
    for name in ("b", "a", "not a name"):
        tours(EXAMPLE, name)
    assert tour_names() == ["a", "b"]


BOMBS = {
    "nested arrays": "a = " + "[" * 50_000,
    "nested tables": "a = " + "{b = " * 30_000,
    "dotted names": "a" + ".a" * 40_000 + " = 1",
    "a dotted table": '["a"' + ' . "a"' * 10_000 + "]",
    "a large text": 'title = "' + "x" * 300_000 + '"',
    "many stops": '[[stop]]\ntitle = "A"\nlink = "/heads"\n' * 200,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_file_that_would_take_more_than_a_tour_may_is_refused(tours, text):
    with pytest.raises(TourError):
        read_tour(tours(text))


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "https://elsewhere.example/", "//[heads", "http://[::1/heads"]
    + ["/../../etc/passwd", "data:text/html,heads", "/sign-out"],
)
def test_a_stop_leads_to_pages_of_the_app_alone(tours, link):
    name = tours(f'[[stop]]\ntitle = "A"\nlink = "{link}"')
    try:
        page = read_tour(name).stops[0].page
    except TourError:
        return
    # The machine that the link names is not asked for.
    assert page in PAGES


def test_what_a_stop_asks_to_click_is_left_in_sight_and_only_while_it_is_presented():
    style = layout.shown_too(("view", layout.STEPS))
    assert ".st-key-view" in style and "--steps: flex" in style
    assert all("[data-presenting]" in rule for rule in style.split("}")[:-1])
    # Not that of a longer key.
    [found] = set(re.findall(r":is\((.*?)\)", layout.shown_too(("off",))))
    assert found == '.st-key-off, [class*="st-key-off--"]'
