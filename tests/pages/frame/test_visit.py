"""A browser that is behind reports what it showed before: that must undo nothing."""

import os
import random

import pytest
from streamlit.testing.v1 import AppTest


def _page():
    import pandas as pd
    import streamlit as st

    from pages.frame import address, controls, visit

    def first_head():
        st.session_state["followed"] = st.session_state.get("followed", 0) + 1
        address.choose({"head": 0})

    address.enter("page")
    controls.text("Sentence", "sentence", "old")
    kinds = {"self": "self", "cross": "cross"}
    controls.choice("Kind", "kind", kinds, "self", then=first_head)
    if "hidden" not in st.session_state:
        controls.number("head", 4, 1, "head")
    st.button("new", key="new", on_click=address.choose, args=({"sentence": "new"},))
    st.button("third", key="third", on_click=address.choose, args=({"head": 3},))
    rows = [int(text) for text in address.texts_of("rows") or ()]
    visit.prepare_rows("table", rows)
    st.dataframe(
        pd.DataFrame({"a": [1, 2, 3]}),
        key="table",
        selection_mode="multi-row",
        on_select=lambda: visit.report_rows("table", lambda found: address.choose({"rows": found})),
    )
    st.text(",".join(map(str, rows)))
    address.write()


@pytest.fixture
def at():
    return AppTest.from_function(_page).run()


def values(at):
    return (
        at.text_input(key="sentence").value,
        at.segmented_control(key="kind").value,
        at.selectbox(key="head").value,
    )


def test_an_old_text_beside_another_choice_is_not_taken_for_a_choice(at):
    at.button(key="new").click().run()
    # The browser has not drawn the new sentence yet when the visitor clicks elsewhere.
    at.text_input(key="sentence").set_value("old")
    at.selectbox(key="head").set_value(2).run()
    assert values(at) == ("new", "self", 2)


def test_an_old_value_beside_a_click_is_not_taken_for_a_choice(at):
    at.button(key="third").click().run()
    at.selectbox(key="head").set_value(1)
    at.button(key="new").click().run()
    assert values(at) == ("new", "self", 3)


def test_who_goes_back_to_the_old_text_by_hand_gets_it(at):
    at.button(key="new").click().run()
    at.text_input(key="sentence").set_value("old").run()
    assert values(at)[0] == "old"


def test_what_follows_from_a_choice_follows_once_and_not_when_it_is_only_reported_again(at):
    at.segmented_control(key="kind").set_value("cross").run()
    assert values(at) == ("old", "cross", 0)
    at.button(key="third").click().run()
    # The browser reports the kind that it was told to show.
    at.segmented_control(key="kind").set_value("cross").run()
    assert values(at) == ("old", "cross", 3)
    assert at.session_state["followed"] == 1


def test_a_choice_is_kept_where_its_widget_was_not_drawn_for_a_while(at):
    at.selectbox(key="head").set_value(2).run()
    at.session_state["hidden"] = True
    at.run()
    assert not at.selectbox
    del at.session_state["hidden"]
    at.run()
    assert values(at)[2] == 2


def test_a_widget_is_told_again_until_the_browser_says_that_it_shows_it(at):
    at.button(key="new").click().run()
    # The answer is lost where the next one comes before it is drawn.
    at.text_input(key="sentence").set_value("old")
    at.selectbox(key="head").set_value(2).run()
    assert at.text_input(key="sentence").proto.set_value
    assert values(at) == ("new", "self", 2)
    at.run()
    assert not at.text_input(key="sentence").proto.set_value


def test_a_choice_stands_where_what_was_told_before_reaches_the_browser_after_it(at):
    at.button(key="third").click().run()
    at.selectbox(key="head").set_value(2).run()
    # Now the browser hears of the click, and shows head 3 for a moment.
    at.selectbox(key="head").set_value(3)
    at.button(key="new").click().run()
    assert values(at) == ("new", "self", 2)


class SlowBrowser:
    """A browser that hears of answers late, and reports what it shows with every request.

    Two answers that come together are drawn once: what the first one told a widget is lost.
    """

    WIDGETS = ("sentence", "kind", "head")

    def __init__(self, at):
        self.at, self.shows, self.answers = at, {}, []
        self.take_answer()
        self.hear(1)

    def widget(self, name):
        found = [*self.at.text_input, *self.at.segmented_control, *self.at.selectbox]
        return next(each for each in found if each.key == name)

    def take_answer(self):
        told = {}
        for name in self.WIDGETS:
            widget = self.widget(name)
            told[name] = (widget.proto.set_value, widget.value)
        self.answers.append(told)

    def hear(self, count):
        """Draw so many answers at once."""
        heard, self.answers = self.answers[:count], self.answers[count:]
        for name, (told, value) in heard[-1].items() if heard else ():
            if told or name not in self.shows:
                self.shows[name] = value

    def ask(self, press=None):
        """Send what is shown, and the click on a button."""
        for name, value in self.shows.items():
            self.widget(name).set_value(value)
        if press:
            self.at.button(key=press).click()
        self.at.run()
        assert not self.at.exception
        self.take_answer()

    def choose(self, name, value):
        self.shows[name] = value
        self.ask()


@pytest.mark.parametrize("seed", range(int(os.environ.get("WALKS", "10"))))
def test_what_was_chosen_stands_whenever_the_browser_hears_of_it(at, seed):
    chance, browser = random.Random(seed), SlowBrowser(at)
    must, done = {"sentence": "old", "kind": "self", "head": 1}, []
    for _ in range(20):
        # At most two answers behind when asking: a visitor who clicks twice before any is drawn.
        if (late := len(browser.answers)) and (late > 1 or chance.random() < 0.6):
            browser.hear(chance.randint(1, late))
        act(chance, browser, must, done)
        assert values(at) == tuple(must.values()), "\n".join(done)
    browser.hear(len(browser.answers))
    browser.ask()
    browser.hear(1)
    assert browser.shows == must, "\n".join(done)


def act(chance, browser, must, done):
    """Do what a visitor may do who sees what the browser shows."""
    press, texts = {"new": ("sentence", "new"), "third": ("head", 3)}, ("old", "new", "typed", "x")
    offered = {"sentence": texts, "kind": ("self", "cross"), "head": (0, 1, 2, 3)}
    name = chance.choice([*press, *offered])
    if name in press:
        done.append(name)
        browser.ask(name)
        must.update([press[name]])
        return
    # Who chooses what is shown already chooses nothing; and what was shown a moment ago can be
    # told from a report that is late only where the browser has heard of all answers.
    free = [
        value
        for value in offered[name]
        if value != browser.shows[name] and (not browser.answers or value != must[name])
    ]
    value = chance.choice(free)
    done.append(f"{name}: {value}, {len(browser.answers)} answers behind")
    browser.choose(name, value)
    must[name] = value
    if name == "kind":
        must["head"] = 0
