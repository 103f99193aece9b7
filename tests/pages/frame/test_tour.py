import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import tour
from pages.frame.links import PAGES
from pages.frame.tour import EXAMPLE, TourError, read_tour

TWO_STOPS = """
[[stop]]
title = "A"
link = "/heads?off=x"
shows = "off=y"
question = "Which?"
answer = "Because."

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


def said(at):
    return " ".join(each.value for each in at.markdown)


@pytest.mark.usefixtures("tour_of_two_stops")
def test_what_is_seen_is_kept_back_until_it_is_shown_with_the_reason_and_the_task_done():
    at = opened(tour="own", stop="1", off="x")
    assert texts(at) == ["kept back True", "off x"]
    assert "Because." not in said(at)
    at.button(key="tour_reveal").click().run()
    assert texts(at) == ["kept back False", "off y"]
    assert "Because." in said(at)


@pytest.mark.usefixtures("tour_of_two_stops")
@pytest.mark.parametrize("query", [{}, {"tour": "own", "stop": "2"}], ids=["no tour", "elsewhere"])
def test_nothing_is_kept_back_but_at_the_stop_itself(query):
    at = opened(**query)
    assert texts(at)[:1] == ["kept back False"]
    assert [each.key for each in at.button][:1] == ["tour_here"] * bool(query)


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
        ("stop = [3]", "Stop 1 of {file} has no title"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\n[[stop]]\nlink = "/"',
            "Stop 2 of {file} has no title",
        ),
        ('[[stop]]\ntitle = "A"\nlink = "/nowhere?x=1"', "there is no page nowhere"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\nhint = "b"',
            "hint is not one of the texts",
        ),
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
