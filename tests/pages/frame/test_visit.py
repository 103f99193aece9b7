"""A browser that is behind reports what it showed before: that must undo nothing, nor be lost."""

import os
import random

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import name_of


def _page():
    import streamlit as st

    from pages.frame import controls, session

    def first_head():
        st.session_state["followed"] = st.session_state.get("followed", 0) + 1
        session.choose({"head": 0})

    session.enter("page")
    controls.text("Sentence", "sentence", "old")
    kinds = {"self": "self", "cross": "cross"}
    controls.choice("Kind", "kind", kinds, "self", then=first_head)
    if "hidden" not in st.session_state:
        controls.number("head", st.session_state.get("heads", 4), 1, "head")
    st.button("new", key="new", on_click=session.choose, args=({"sentence": "new"},))
    st.button("third", key="third", on_click=session.choose, args=({"head": 3},))
    session.write()


@pytest.fixture
def at():
    return AppTest.from_function(_page).run()


def widget(at, name):
    """Return the widget that asks for a choice now."""
    found = [*at.text_input, *at.segmented_control, *at.selectbox]
    return next(each for each in found if name_of(each) == name)


def values(at):
    return tuple(widget(at, name).value for name in ("sentence", "kind", "head"))


def test_a_choice_is_kept_where_its_widget_was_not_drawn_for_a_while(at):
    widget(at, "head").set_value(2).run()
    at.session_state["hidden"] = True
    at.run()
    assert not at.selectbox
    del at.session_state["hidden"]
    at.run()
    assert values(at)[2] == 2


def test_another_widget_stands_where_something_else_is_offered(at):
    widget(at, "head").set_value(2).run()
    at.session_state["heads"] = 3
    at.run()
    assert widget(at, "head").key == "head--1"
    assert values(at)[2] == 2
    at.session_state["heads"] = 2
    at.run()
    assert values(at)[2] == 1


class SlowBrowser:
    """A browser that hears of answers late, and reports what its widgets hold with every request.

    It draws each answer as it is: widgets that it has shown before stay as they are, new ones come
    with their first value, and the others go.
    """

    WIDGETS = ("sentence", "kind", "head")

    def __init__(self, at):
        self.at, self.holds, self.answers = at, {}, []
        self.widgets = {}
        """Key → the widget, also after others took its place."""
        self.take_answer()
        self.hear(1)

    def take_answer(self):
        told = {}
        for name in self.WIDGETS:
            found = widget(self.at, name)
            self.widgets[found.key] = found
            told[found.key] = first_value(found)
        self.answers.append(told)

    def hear(self, count):
        """Draw so many answers at once: all but the last are never seen."""
        heard, self.answers = self.answers[:count], self.answers[count:]
        for told in heard[-1:]:
            self.holds = {key: self.holds.get(key, first) for key, first in told.items()}

    def shows(self):
        return {key.split("--")[0]: value for key, value in self.holds.items()}

    def ask(self, press=None):
        """Send what is held, and the click on a button."""
        states = WidgetStates()
        for key, value in self.holds.items():
            states.widgets.append(self.widgets[key].set_value(value)._widget_state)
        if press:
            states.widgets.append(self.at.button(key=press).click()._widget_state)
        self.at._run(states)
        assert not self.at.exception
        self.take_answer()

    def choose(self, name, value):
        [key] = [key for key in self.holds if key.split("--")[0] == name]
        self.holds[key] = value
        self.ask()


def first_value(found):
    """Return what a widget shows when it is new."""
    proto = found.proto
    if hasattr(proto, "options"):
        first = proto.default
        place = first if isinstance(first, int) else first[0]
        return found.options[place] if found.type == "button_group" else int(found.options[place])
    return proto.default


@pytest.mark.parametrize("seed", range(int(os.environ.get("WALKS", "10"))))
def test_what_was_chosen_stands_whenever_the_browser_hears_of_it(at, seed):
    chance, browser = random.Random(seed), SlowBrowser(at)
    must, done = {"sentence": "old", "kind": "self", "head": 1}, []
    for _ in range(20):
        if browser.answers and chance.random() < 0.5:
            browser.hear(chance.randint(1, len(browser.answers)))
        act(chance, browser, must, done)
        assert values(at) == tuple(must.values()), "\n".join(done)
    browser.hear(len(browser.answers))
    assert browser.shows() == must, "\n".join(done)
    browser.ask()
    assert values(at) == tuple(must.values()), "\n".join(done)


def act(chance, browser, must, done):
    """Do what a visitor may do who sees what the browser shows."""
    press, texts = {"new": ("sentence", "new"), "third": ("head", 3)}, ("old", "new", "typed", "x")
    offered = {"sentence": texts, "kind": ("self", "cross"), "head": (0, 1, 2, 3)}
    name = chance.choice([*press, *offered])
    if name in press:
        done.append(f"{name}, {len(browser.answers)} answers behind")
        browser.ask(name)
        must.update([press[name]])
        return
    # Who chooses what is shown already chooses nothing.
    free = [value for value in offered[name] if value != browser.shows()[name]]
    value = chance.choice(free)
    done.append(f"{name}: {value}, {len(browser.answers)} answers behind")
    browser.choose(name, value)
    must[name] = value
    if name == "kind":
        must["head"] = 0
