import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    ThreadState,
    get_script_run_ctx,
)
from streamlit.testing.v1 import AppTest

from core.kept import Kept
from core.pieces import in_pieces
from pages.frame import computing

N_PIECES = 4


class Work:
    """Computes in pieces, and lets something happen at the end of each."""

    def __init__(self):
        self.kept = Kept(10**6, len)
        self.done = []
        self.then = {}
        """Number of a piece → what happens."""

    def make(self):
        for piece in in_pieces(range(N_PIECES)):
            self.done.append(piece)
            self.then.pop(piece, lambda: None)()
        return "all of it"


def page():
    import streamlit as st

    from pages.frame import computing, places

    work = st.session_state["work"]

    @st.fragment
    def draw():
        with places.place("view"):
            st.button("other")
            st.text(computing.of(work.kept, "key", work.make))

    draw()
    st.text("below")


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def opened(work, monkeypatch):
    """Return the page before it was drawn; all that it computes takes long."""
    monkeypatch.setattr(computing, "TOLD_AFTER", 0)
    monkeypatch.setattr(computing, "TOLD_EVERY", 0)
    at = AppTest.from_function(page, default_timeout=60)
    at.session_state["work"] = work
    return at


def texts(at):
    return [each.value for each in at.text]


def button(at, label):
    return next(each for each in at.button if each.label == label)


def ask(button="", *, by_itself=False, fragment=True):
    """Ask for the part that is drawn, as the browser does when a button in it is clicked."""
    context = get_script_run_ctx()
    keys = context.session_state._state._key_id_mapper
    pressed = keys._key_id_mapping.get(button, "") if button else ""
    held = WidgetStates(widgets=[WidgetState(id=pressed, trigger_value=True)] if pressed else [])
    context.script_requests.request_rerun(
        RerunData(
            fragment_id=ThreadState.get().fragment_id if fragment else None,
            widget_states=held,
            is_auto_rerun=by_itself,
            page_script_hash=context.page_script_hash,
        )
    )


def test_it_tells_how_far_it_is(opened, work):
    # What the page shows then stays.
    work.then[1] = lambda: get_script_run_ctx().script_requests.request_stop()
    opened.run()
    assert work.done == [0, 1]
    [bar] = opened.get("progress")
    assert (bar.proto.value, bar.proto.text) == (25, "Computing: 25\u00a0% done")
    assert [each.label for each in opened.button] == ["Stop", "other"]


def test_when_it_is_whole_nothing_is_said_of_it(opened, work):
    opened.run()
    assert work.done == [0, 1, 2, 3]
    assert texts(opened) == ["all of it", "below"]
    assert not opened.get("progress")
    assert [each.label for each in opened.button] == ["other"]


def test_what_is_quick_tells_nothing_and_is_ended_all_the_same(opened, work, monkeypatch):
    monkeypatch.setattr(computing, "TOLD_AFTER", 1e6)
    work.then[2] = lambda: get_script_run_ctx().script_requests.request_stop()
    opened.run()
    assert work.done == [0, 1, 2]
    assert not opened.get("progress")


def test_it_is_stopped_and_goes_again(opened, work):
    work.then[1] = lambda: ask("stop_computing_view")
    opened.run()
    assert work.done == [0, 1]
    assert "key" not in work.kept
    assert [each.value for each in opened.markdown] == ["You stopped this computation."]
    # The rest of the page stands.
    assert texts(opened) == ["below"]
    # Nothing else begins it.
    button(opened, "other").click().run()
    assert work.done == [0, 1]
    button(opened, "Compute it").click().run()
    assert work.done == [0, 1, 0, 1, 2, 3]
    assert texts(opened) == ["all of it", "below"]
    assert not opened.markdown


def test_it_ends_within_a_piece_when_its_visitor_leaves(opened, work):
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

        from pages.frame import computing

        work = st.session_state["work"]
        st.button("go", on_click=lambda: computing.of(work.kept, "key", work.make))

    at = AppTest.from_function(called, default_timeout=60)
    at.session_state["work"] = work
    at.run()
    work.then[1] = lambda: ask(fragment=False)
    at.button[0].click().run()
    assert work.done == [0, 1, 2, 3]


def test_work_inside_of_other_work_tells_of_the_whole(opened, work):
    inner = Work()
    work.make, make = lambda: computing.of(inner.kept, "inner", inner.make), work.make
    inner.then[1] = lambda: ask("stop_computing_view")
    opened.run()
    work.make = make
    button(opened, "Compute it").click().run()
    assert texts(opened) == ["all of it", "below"]


def test_without_a_page_it_is_computed_all_the_same(work):
    assert computing.of(work.kept, "key", work.make) == "all of it"
