import pytest
from streamlit.testing.v1 import AppTest

from pages.frame.tour import Stop, Tour


def stop(title, **more):
    return Stop(
        **(
            {"title": title, "page": "masks", "query": {}, "text": "", "question": "", "task": ""}
            | more
        )
    )


def _app():
    import streamlit as st

    from pages.frame import address, tour
    from pages.frame.tour import Stop, Tour, TourError

    def missing(name):
        raise TourError(f"no {name}")

    asked = {"text": "", "question": "Which?", "task": ""}
    stops = (
        Stop(title="A", page="masks", query={"off": "x"}, shows={"off": "y"}, **asked),
        Stop(title="B", page="heads", query={}, **asked),
    )
    own = Tour("own", "A tour", stops)
    address.enter("masks")
    tour.draw(own, missing)
    st.text(f"kept back {tour.keeps_back()}")
    if not tour.keeps_back():
        tour.answered("**it** looks")
    st.text(f"answers {tour.answers(own)}")
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


def test_it_takes_a_minute_a_stop():
    assert Tour("x", "X", (stop("A"), stop("B"))).minutes == 2


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
    assert "no other" in at.error[0].value.replace("&#32;", " ")
    assert not at.button
