import re

import pytest
from streamlit.testing.v1 import AppTest

from core.decoding.generate import Greedy
from core.evaluate.side_by_side import decode_sentence
from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.lessons.layers import sentence_stream
from core.studies.lessons.sublayers import sentence_units
from core.tasks import TASKS
from pages.frame import links, tour
from pages.frame.language import plain
from pages.frame.tour import AFTER, BEFORE, EXAMPLE, OWN, REVEAL, REVEALED, STOP, TOUR, own_tour
from pages.views.lessons.units import LONG
from pages.views.tour.sheet import sheet
from tests.pages.conftest import ROOT
from tests.viz.unpacked import unpack_matrices

# Sentences whose words and maps can be read from the back of a room.
SHORT = {"The dog fell because it was tired.", "The dog sleeps.", "k d a f"}
STOPS = {stop.name: stop for stop in own_tour().stops}
NAMES = list(STOPS)
EVERYDAY = ROOT / "gallery" / "everyday"
MOST_WORDS = 90
"""Words of a stop: read in 20 seconds."""


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

    def opener(name, **more):
        stop = STOPS[name]
        app = AppTest.from_function(_stop, kwargs={"name": stop.page}, default_timeout=120)
        app.query_params.update({**stop.query, TOUR: OWN, STOP: name} | more)
        app.run()
        assert not app.exception, app.exception
        return app

    return opener


def said(at):
    return [each.value for each in at.markdown]


@pytest.mark.parametrize("stop", STOPS.values(), ids=NAMES)
def test_a_stop_is_a_question_and_an_answer_that_are_read_in_20_seconds_and_hold_no_number(stop):
    assert stop.title and stop.question and stop.task and stop.answer and not stop.text
    assert len(re.findall(r"[.?!](?: |$)", stop.answer)) <= 3
    words = f"{stop.question} {stop.task} {stop.answer}"
    assert len(words.split()) <= MOST_WORDS
    # The view computes them.
    assert not re.search(r"\d", f"{stop.title} {words}")
    sentences = {each.source for each in TASKS["everyday"].examples} | SHORT
    assert stop.query.get("sentence") in {*sentences, None}


@pytest.mark.parametrize(
    "name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])]
)
def test_a_stop_keeps_its_answer_back_until_somebody_asks(open_stop, name):
    app, stop = open_stop(name), STOPS[name]
    assert any(stop.question in text for text in said(app))
    assert any(stop.task in text for text in said(app))
    assert not any("What you see" in text or stop.answer in text for text in said(app))
    assert any("Predict first" in each.value for each in app.caption)
    app.button(key=REVEAL).click().run()
    assert not app.exception, app.exception
    assert any("**What you see:**" in text for text in said(app))
    assert any(stop.answer in text for text in said(app))
    assert app.button(key=REVEAL).label == "Hide the answer"
    # What the task comes to is a choice that the page has, and not left out as unknown.
    shown = app.query_params
    for choice, text in stop.shows.items():
        assert choice not in shown or shown[choice] in (text, [text])
    app.button(key=REVEAL).click().run()
    assert not app.exception, app.exception
    assert any("Predict first" in each.value for each in app.caption)
    assert REVEALED not in app.query_params


@pytest.fixture(scope="module")
def everyday():
    return load_run(EVERYDAY)


@pytest.fixture(scope="module")
def inspected(everyday):
    """Return a function that looks into a sentence as a stop opens it, or shows it."""

    def inspect(name, *silenced, shown=False):
        query = {**STOPS[name].query, **(STOPS[name].shows if shown else {})}
        return inspect_sentence(everyday, query["sentence"], None, silenced)

    return inspect


def looked_at(inspection, head, word):
    """Return the token that a head looks at most from the first token of this text."""
    head = Head.parse(head)
    queries, keys = (
        [token.text for token in inspection.tokens_of(side)]
        for side in (head.kind.query_side, head.kind.key_side)
    )
    return keys[int(inspection.weights_of(head)[queries.index(word)].argmax())]


def test_what_the_stops_say_of_words_and_heads_is_what_the_model_does(inspected):
    tired, wide = inspected("pronoun"), inspected("pronoun", shown=True)
    assert "qu'il était" in tired.translation.text
    assert "qu'elle était" in wide.translation.text
    assert looked_at(tired, "encoder.2.self:0", "it") == "animal"
    assert looked_at(wide, "encoder.2.self:0", "it") == "street"
    # “Here one finds the noun, another the adjective.”
    assert looked_at(tired, "encoder.0.self:2", "it") == "tired"
    # Fed “la”, it writes “rue”.
    assert looked_at(tired, "decoder.1.cross:0", "la") == "street"
    assert tired.tokens_of("target")[int(STOPS["cross-attention"].shows["token"])].text == "la"
    assert looked_at(inspected("query-key-value"), "encoder.2.self:0", "it") == "dog"


def test_the_units_that_react_most_to_one_noun_do_not_react_to_the_other(
    open_stop, everyday, inspected
):
    stop = STOPS["feed-forward"]
    words = [token.text for token in inspected("feed-forward").source_tokens]
    at = int(stop.query["token"])
    assert words[at] == "street"
    sentence = stop.query["sentence"]
    units = sentence_units(everyday, sentence, "encoder").result
    layer = int(units.firing_LK[:, at].argmax())
    top = sentence_units(everyday, sentence, "encoder", layer, at).result.top
    others = {place for unit in top for place, _value in unit.others}
    assert words.index("animal") not in others
    # The line names all of them but short ones.
    quiet = [
        f"“{plain(word)}”"
        for i, word in enumerate(words)
        if i not in {at, *others} and len(word) >= LONG
    ]
    line = f"None of the 8 units shown reacts to {', '.join(quiet)}."
    assert any(line in text for text in said(open_stop("feed-forward", **{REVEALED: "true"})))


def test_the_silenced_head_is_the_one_that_the_pronoun_needs(inspected):
    whole = inspected("silence")
    without = inspected("silence", Head.parse(STOPS["silence"].shows["pass_silenced"]))
    assert looked_at(whole, "encoder.2.self:0", "they") == "goats"
    words = whole.translation.text.split(), without.translation.text.split()
    assert [pair for pair in zip(*words, strict=True) if pair[0] != pair[1]] == [
        ("qu'elles", "qu'ils")
    ]


def test_the_wrong_word_turns_the_sentence_into_its_opposite(everyday, inspected):
    inspection = inspected("mistake")
    step, token = map(int, STOPS["mistake"].shows["overrides"].split(":"))
    describe = everyday.target_tokenizer.describe_alone
    steps = decode_sentence(everyday, inspection, Greedy(), ((step, token),))
    free = decode_sentence(everyday, inspection, Greedy())
    texts = [[each.text for each in describe([at.chosen for at in row])] for row in (free, steps)]
    assert (texts[0][step], texts[1][step]) == ("n'", "a")
    assert "pas" in texts[0] and "pas" not in texts[1]
    # The stop that plays ends where the model does.
    assert int(STOPS["decoding"].shows["pass_step"]) == len(free)
    assert texts[0][-1] == "EOS"
    assert texts[0][int(STOPS["output"].query["decoding_step"])] == "il"


@pytest.mark.slow
def test_the_wrong_word_is_inserted_by_the_click_that_the_task_asks_for(open_stop):
    app = open_stop("mistake")
    app.button(key="insert_mistake").click().run()
    assert not app.exception, app.exception
    shown = STOPS["mistake"].shows["overrides"]
    assert app.query_params["overrides"] in (shown, [shown])


def test_the_residual_stream_grows_as_its_stop_says(everyday):
    assert everyday.model.config.norm == "pre"
    found = sentence_stream(everyday, STOPS["residual"].query["sentence"], "encoder").result
    assert (found.norms_LK[-1] > found.norms_LK[0]).all()
    # In every row of the picture the vector after is longer than the output.
    assert (found.norms_LK[1:] > found.added_LK).all()


def test_a_stop_shows_no_more_than_it_asks_about_until_somebody_leaves(open_stop):
    app = open_stop("output")
    assert [*app.table[0].value] == ["token", "z", *list(app.table[0].value)[-2:]]
    assert not app.slider
    app.button(key="tour_leave").click().run()
    assert "brief" not in app.query_params
    assert len(app.table[0].value.columns) == 5 and app.slider


@pytest.mark.slow
def test_no_cell_is_marked_and_no_end_is_said_before_the_answer(open_stop):
    app = open_stop("query-key-value")
    [products] = app.get("bidi_component")
    assert unpack_matrices(products.proto.bytes).selected is None
    assert not any("At the end the model writes" in text for text in said(open_stop("onward")))


def test_the_pass_says_how_the_text_ends_when_it_is_played_to_its_last_step(open_stop):
    app = open_stop("decoding", **STOPS["decoding"].shows, **{REVEALED: "true"})
    [seen] = [text for text in said(app) if "**What you see:**" in text]
    assert "Step 16" in seen and "EOS" in seen and "looks at" not in seen


@pytest.fixture
def went():
    """The pages that are gone to, with what they open with."""
    went = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "go", lambda *where: went.append(where))
        yield went


@pytest.mark.parametrize("revealed", [False, True])
def test_the_way_back_to_a_stop_keeps_an_answer_that_was_shown(monkeypatch, went, revealed):
    kept = []
    monkeypatch.setattr(tour.session, "reset", lambda query, keep: kept.append((query, keep)))
    tour.go(own_tour(), 3, revealed=revealed)
    stop = STOPS[NAMES[3]]
    expected = {**stop.query, TOUR: OWN, STOP: stop.name}
    if revealed:
        expected |= {**stop.shows, REVEALED: "true"}
    assert went == [(stop.page, expected)]
    # What was answered before the tour goes along.
    assert kept == [(expected, ["lang", BEFORE, AFTER])]


@pytest.mark.parametrize(
    ("asked", "stop"),
    [(None, "whole"), ("3", "silence"), ("14", "onward"), ("15", "whole"), ("nowhere", "whole")],
)
def test_older_links_that_number_the_stops_lead_to_those_of_now(went, asked, stop):
    app = AppTest.from_function(_stop, kwargs={"name": "tour"}, default_timeout=120)
    app.query_params.update({TOUR: OWN} | ({STOP: asked} if asked else {}))
    app.run()
    assert went == [(STOPS[stop].page, {**STOPS[stop].query, TOUR: OWN, STOP: stop})]


def test_on_the_way_back_an_older_link_leads_nowhere(went, monkeypatch):
    monkeypatch.setattr(tour.session, "is_way_back", lambda: True)
    app = AppTest.from_function(_stop, kwargs={"name": "tour"}, default_timeout=120)
    app.query_params.update({TOUR: OWN, STOP: "3"})
    app.run()
    assert went == []
    assert any(STOPS["silence"].title in text for text in said(app))


def test_whoever_leaves_keeps_the_view(open_stop):
    app = open_stop("whole")
    app.button(key="tour_leave").click().run()
    assert not {TOUR, STOP, REVEALED} & set(app.query_params)
    assert app.get("bidi_component")
    assert tour.NEXT not in [each.key for each in app.button]


def test_the_page_lists_every_stop_with_its_question(open_page):
    at = open_page("tour", model=None)
    labels = [each.proto.label for each in at.get("page_link")]
    assert len([label for label in labels if " · " in label]) == len(STOPS) == 14
    questions = {each.value for each in at.caption}
    assert {stop.question for stop in STOPS.values()} <= questions


def test_tours_of_files_are_listed_and_damaged_ones_said(open_page, tmp_path, monkeypatch):
    monkeypatch.setattr("pages.frame.tour.TOURS", tmp_path)
    monkeypatch.setattr("pages.tour.TOURS", tmp_path)
    (tmp_path / "monday.toml").write_text(EXAMPLE)
    (tmp_path / "tuesday.toml").write_text("title = ")
    at = open_page("tour", model=None)
    labels = [each.proto.label for each in at.get("page_link")]
    assert any("Monday" in label for label in labels)
    assert any("tuesday" in each.value for each in at.error)


def test_the_sheet_has_every_question_and_the_answers_at_its_end():
    one = tour.Stop(
        name="1", title="One <b>", page="heads", query={}, question="Where?", answer="A & B."
    )
    two = tour.Stop(name="2", title="Two", page="heads", query={}, question="And?", task="Go on.")
    page = sheet(tour.Tour("lesson", "A lesson", (one, two)))
    asked, answers = page.split("Answers")
    assert all(each in asked for each in ("1. One &lt;b&gt;", "2. Two", "Where?", "And?", "Go on."))
    assert "A &amp; B." in answers and "A &amp; B." not in asked
    # For each stop, room for a guess and for what came out.
    assert page.count('class="room"') == 4
