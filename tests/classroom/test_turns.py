import threading
import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classroom import turns
from classroom.turns import Turns
from pages.frame.bounded_cache import BoundedCache
from pages.frame.service import Service

SECONDS = 60
NEVER = 1000.0
"""Seconds of patience that no test waits."""


def compute(seconds):
    begun = time.thread_time()
    while time.thread_time() - begun < seconds:
        pass


def much():
    """Compute for longer than whoever asks for little."""
    compute(turns.LITTLE * 1.1)


def ask_for_little(both, order):
    with both.taken():
        order.append("little")


def begun(*works):
    """Start a thread for each."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def ended(threads):
    for thread in threads:
        thread.join(SECONDS)
    return not any(thread.is_alive() for thread in threads)


def until(holds):
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


class Noted(Turns):
    """Turns that know how many threads wait."""

    @property
    def n_waiting(self):
        return len(self._waiting)


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.sampled_from(["compute", "much", "give way", "leave", "again"]), max_size=6),
        min_size=2,
        max_size=5,
    )
)
@settings(max_examples=15, deadline=None)
def test_never_do_two_compute_at_once_and_all_come_to_an_end(plans):
    both, inside, seen = Turns(NEVER), [], []
    leave = threading.Event()

    def enter():
        inside.append(1)
        seen.append(len(inside))

    def work(plan):
        with both.taken():
            enter()
            for act in plan:
                if act in ("compute", "much"):
                    compute(0.001) if act == "compute" else much()
                elif act == "give way":
                    inside.pop()
                    both.give_way()
                    enter()
                elif act == "leave":
                    inside.pop()
                    with both.left():
                        leave.wait(0.001)
                    enter()
                else:
                    with both.taken():
                        seen.append(len(inside))
            inside.pop()

    assert ended(begun(*(lambda plan=plan: work(plan) for plan in plans)))
    assert set(seen) == {1}


def test_who_asks_for_little_goes_before_who_has_had_much(monkeypatch):
    monkeypatch.setattr(turns, "STRETCH", NEVER)
    both, order = Noted(NEVER), []
    with both.taken():
        threads = begun(partial(ask_for_little, both, order))
        until(lambda: both.n_waiting)
        both.give_way()
        order.append("at first")
        much()
        both.give_way()
        order.append("much")
    assert ended(threads)
    assert order == ["at first", "little", "much"]


def test_nobody_waits_for_ever_for_one_that_does_not_give_way():
    both, done, order = Turns(patience=0.01), threading.Event(), []

    def other():
        with both.taken():
            order.append("other")
            done.set()

    with both.taken():
        threads = begun(other, other)
        assert done.wait(SECONDS)
        order.append("still here")
        # Whoever was overtaken has its turn again when the others have had theirs.
        both.give_way()
    assert ended(threads)
    assert sorted(order) == ["other", "other", "still here"]


def test_who_waits_for_a_value_lets_whoever_makes_it_have_its_turn(monkeypatch):
    both = Turns(NEVER)
    monkeypatch.setattr(Service, "waiting", lambda _: both.left())
    kept, started, found = BoundedCache(10, len), threading.Event(), []

    def make():
        started.set()
        with both.left():
            time.sleep(0.2)
        return "x"

    def ask():
        with both.taken():
            found.append(kept.of("a", make))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
        assert started.wait(SECONDS)
    assert ended(threads)
    assert found == ["x"] * 3
