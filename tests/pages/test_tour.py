import pytest
from streamlit.testing.v1 import AppTest

from core.runs.run import load_run
from core.tasks import TASKS
from pages.frame import links, tour
from pages.frame.language import plain
from pages.frame.tour import EXAMPLE, OWN, REVEAL, REVEALED, STOP, TOUR, own_tour
from tests.pages.conftest import ROOT
from tests.pages.views.lessons.conftest import panels

# Sentences whose words and maps can be read from the back of a room.
SHORT = {
    "The dog fell because it was tired.",
    "The cow fell because it was old.",
    "Tom was late.",
    "She is tired.",
}
STOPS = own_tour().stops
EVERYDAY = ROOT / "gallery" / "everyday"


def _stop(name):
    from importlib import import_module

    from pages.frame import session, tour

    session.enter(name)
    tour.draw()
    import_module(f"pages.{name}").render()
    session.write()


@pytest.fixture(scope="module")
def open_stop():
    """Return a function that opens a stop as `tour.go` does."""

    def opener(at, page_name=None, **more):
        stop = STOPS[at]
        app = AppTest.from_function(
            _stop, kwargs={"name": page_name or stop.page}, default_timeout=120
        )
        app.query_params.update({**stop.query, TOUR: OWN, STOP: str(at + 1)} | more)
        app.run()
        assert not app.exception, app.exception
        return app

    return opener


def said(at):
    return [each.value for each in at.markdown]


def test_every_stop_of_the_paper_asks_and_its_sentence_is_one_of_the_examples():
    sentences = {each.source for each in TASKS["everyday"].examples} | SHORT
    assert all(stop.title and stop.text and stop.question and stop.task for stop in STOPS)
    asked = {stop.query["sentence"] for stop in STOPS if "sentence" in stop.query}
    assert asked <= sentences


@pytest.mark.parametrize(
    "at", [0, *(pytest.param(at, marks=pytest.mark.slow) for at in range(1, len(STOPS)))]
)
def test_a_stop_keeps_its_answer_back_until_somebody_asks(open_stop, at):
    app = open_stop(at)
    assert any(STOPS[at].question in text for text in said(app))
    assert not any("What you see" in text for text in said(app))
    assert any("Predict first" in each.value for each in app.caption)
    app.button(key=REVEAL).click().run()
    assert not app.exception, app.exception
    assert any("**What you see:**" in text for text in said(app))
    assert app.button(key=REVEAL).label == "Hide the answer"
    # What the task comes to is a choice that the page has, and not left out as unknown.
    shown = app.query_params
    for name, text in STOPS[at].shows.items():
        assert name not in shown or shown[name] in (text, [text])
    app.button(key=REVEAL).click().run()
    assert not app.exception, app.exception
    assert any("Predict first" in each.value for each in app.caption)
    assert REVEALED not in app.query_params


def test_the_stop_about_layers_hides_the_column_that_it_asks_about(open_stop):
    at = next(i for i, stop in enumerate(STOPS) if stop.query.get("lessons") == "layers")
    app = open_stop(at)
    assert app.segmented_control(key="lessons").value == "layers"
    assert app.segmented_control(key="lens_stack").value == "decoder"
    asked = int(STOPS[at].query["lens_position"])

    def column():
        [panel] = panels(app)
        return [row[asked] for row in panel.texts]

    hidden = column()
    assert set(hidden[:-1]) == {"?"}
    assert hidden[-1] == "elle"
    assert not app.table
    app.button(key=REVEAL).click().run()
    assert any("first to guess “elle”" in text for text in said(app))
    assert "?" not in column()


def test_the_sentence_is_said_where_no_picture_holds_it(open_stop):
    for at, stop in enumerate(STOPS):
        if stop.query.get("trial") == "silence":
            assert any(plain(stop.query["sentence"]) in text for text in said(open_stop(at)))


def test_the_token_that_is_put_into_its_mouth_is_elle():
    [put] = {stop.shows["overrides"] for stop in STOPS if "overrides" in stop.shows}
    assert load_run(EVERYDAY).tokenizer.describe([int(put.split(":")[1])])[0].text == "elle"


@pytest.mark.parametrize("revealed", [False, True])
def test_the_way_back_to_a_stop_keeps_an_answer_that_was_shown(monkeypatch, revealed):
    went, begun = [], []
    monkeypatch.setattr(links, "go", lambda *where: went.append(where))
    monkeypatch.setattr(tour.session, "reset", lambda query, keep: begun.append(query))
    tour.go(own_tour(), 3, revealed=revealed)
    stop = STOPS[3]
    expected = {**stop.query, TOUR: OWN, STOP: "4"}
    if revealed:
        expected |= {**stop.shows, REVEALED: "true"}
    assert went == [(stop.page, expected)]
    assert begun == [expected]


def test_whoever_leaves_keeps_the_view(open_stop):
    app = open_stop(0)
    app.button(key="tour_leave").click().run()
    assert not {TOUR, STOP, REVEALED} & set(app.query_params)
    assert app.query_params["view"] in ("lines", ["lines"])
    assert tour.NEXT not in [each.key for each in app.button]


def test_the_page_lists_every_stop_with_its_question(open_page):
    at = open_page("tour", model=None)
    assert len(at.get("page_link")) == len(STOPS)
    questions = {each.value for each in at.caption}
    assert {stop.question for stop in STOPS} <= questions


def test_tours_of_files_are_listed_and_damaged_ones_said(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("pages.frame.tour.TOURS", tmp_path)
    (tmp_path / "monday.toml").write_text(EXAMPLE)
    (tmp_path / "tuesday.toml").write_text("title = ")
    at = open_page("tour", model=None)
    labels = [each.proto.label for each in at.get("page_link")]
    assert any("Monday" in label for label in labels)
    assert any("tuesday" in each.value for each in at.error)
