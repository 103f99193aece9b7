from pathlib import Path

import pytest
import torch
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from core.runs.run import load_run
from pages.frame import interrupts
from pages.frame.bounded_cache import BoundedCache

N_PIECES = 4


class Work:
    """Computes in pieces, and lets something happen at the end of each."""

    def __init__(self):
        self.kept = BoundedCache(10**6, len)
        self.done = []
        self.then = {}
        """Number of a piece → what happens."""

    def make(self):
        for piece in range(N_PIECES):
            interrupts.check()
            self.done.append(piece)
            self.then.pop(piece, lambda: None)()
        return "all of it"


def page():
    import streamlit as st

    from pages.frame import cached, interrupts

    work = st.session_state["work"]

    @st.fragment
    def draw():
        with interrupts.interruptible():
            st.button("other")
            with cached.computing():
                made = work.kept.of("key", work.make, interrupts.check)
            st.text(made)

    draw()
    st.text("below")


@pytest.fixture
def work():
    return Work()


def drawn(page, work):
    """Return a page before it was drawn."""
    at = AppTest.from_function(page, default_timeout=60)
    at.session_state["work"] = work
    return at


@pytest.fixture
def opened(work, monkeypatch):
    """Return the page before it was drawn; all that it computes takes long."""
    monkeypatch.setattr(interrupts, "LONG", 0)
    return drawn(page, work)


def texts(at):
    return [each.value for each in at.text]


def ask(*, by_itself=False, fragment=True):
    """Ask for the part that is drawn, as the browser does when a button in it is clicked."""
    context = get_script_run_ctx()
    context.script_requests.request_rerun(
        RerunData(
            fragment_id=ThreadState.get().fragment_id if fragment else None,
            widget_states=WidgetStates(),
            is_auto_rerun=by_itself,
            page_script_hash=context.page_script_hash,
        )
    )


def test_it_ends_when_its_visitor_leaves(opened, work):
    work.then[1] = lambda: get_script_run_ctx().script_requests.request_stop()
    opened.run()
    assert work.done == [0, 1]
    assert "key" not in work.kept
    # Whoever comes next begins at once, and anew.
    opened.run()
    assert texts(opened) == ["all of it", "below"]


@pytest.mark.parametrize("fragment", [True, False], ids=["in the part", "above it"])
def test_a_click_elsewhere_does_not_wait_for_it(opened, work, fragment):
    work.then[1] = lambda: ask(fragment=fragment)
    opened.run()
    assert work.done == [0, 1, 0, 1, 2, 3]
    assert texts(opened) == ["all of it", "below"]


def test_what_the_page_asks_for_by_itself_waits(opened, work):
    work.then[1] = lambda: ask(by_itself=True)
    opened.run()
    assert work.done == [0, 1, 2, 3]


def test_a_callback_comes_to_its_end(work):
    def called():
        import streamlit as st

        from pages.frame import cached, interrupts

        work = st.session_state["work"]

        def make():
            with cached.computing():
                work.kept.of("key", work.make, interrupts.check)

        st.button("go", on_click=make)

    at = drawn(called, work).run()
    work.then[1] = lambda: ask(fragment=False)
    at.button[0].click().run()
    assert work.done == [0, 1, 2, 3]


def test_each_layer_of_a_model_can_be_the_last_forwards_and_backwards(monkeypatch):
    checks = []
    monkeypatch.setattr(interrupts, "check", lambda: checks.append(1))
    model = interrupts.add_hooks(load_run(Path("gallery/copy"))).model
    n_layers = len(model.encoder) + len(model.decoder)
    ids_BK = torch.tensor([[1, 5, 6]])
    with torch.no_grad():
        model(ids_BK, ids_BK)
    assert len(checks) == n_layers
    model(ids_BK, ids_BK).sum().backward()
    assert len(checks) == 3 * n_layers
