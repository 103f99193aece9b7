import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from core.runs.run import load_run
from pages.frame.bounded_cache import BoundedCache, bytes_of, bytes_of_run


def test_what_was_asked_for_longest_ago_goes_first():
    kept = BoundedCache(10, len)
    made = []

    def make(name):
        return lambda: made.append(name) or name * 4

    for name in "abacab":
        kept.of(name, make(name))
    # c is one too many: b had not been asked for since, and then comes again in the place of c.
    assert made == ["a", "b", "c", "b"]
    assert (len(kept), kept.bytes) == (2, 8)


def test_a_value_larger_than_all_room_is_kept_alone():
    kept = BoundedCache(10, len)
    kept.of("small", lambda: "x")
    assert kept.of("large", lambda: "x" * 50) == "x" * 50
    assert (len(kept), kept.bytes) == (1, 50)
    kept.of("small", lambda: "y")
    assert (len(kept), kept.bytes) == (1, 1)


def test_keys_count_where_they_may_be_long():
    kept = BoundedCache(100, len, len)
    for number in range(5):
        kept.of(f"{number}" * 30, str)
    assert (len(kept), kept.bytes) == (3, 90)


def test_there_is_room_before_a_large_value_is_made():
    kept = BoundedCache(10, len)
    for name in "abc":
        kept.of(name, lambda name=name: name * 3)
    kept.make_room(6)
    assert (len(kept), kept.bytes) == (1, 3)
    assert kept.of("c", str) == "ccc"
    kept.make_room(50)
    assert (len(kept), kept.bytes) == (0, 0)


def test_what_fails_is_not_kept():
    kept = BoundedCache(10, len)
    with pytest.raises(ZeroDivisionError):
        kept.of("a", lambda: 1 / 0)
    assert kept.of("a", lambda: "x") == "x"


def test_those_who_ask_at_once_wait_for_the_first():
    kept, made, started, go = BoundedCache(10, len), [], threading.Event(), threading.Event()

    def make():
        started.set()
        go.wait(20)
        made.append(1)
        return "x"

    threads = [threading.Thread(target=kept.of, args=("a", make)) for _ in range(4)]
    threads[0].start()
    assert started.wait(20)
    for thread in threads[1:]:
        thread.start()
    # Others are not held up.
    assert kept.of("b", lambda: "y") == "y"
    go.set()
    for thread in threads:
        thread.join(20)
    assert made == [1]


@dataclass(frozen=True, slots=True)
class Held:
    weights: np.ndarray
    tensor: torch.Tensor


def test_memory_that_is_shared_counts_once_and_views_keep_the_whole():
    whole = np.zeros(100_000, np.float32)
    tensor = torch.zeros(50_000)
    held = [Held(whole[:10], tensor[:5]), Held(whole[5:], tensor)]
    assert 600_000 <= bytes_of(held) <= 602_000
    assert 600_000 <= bytes_of({"a": held, "b": (held, whole)}) <= 603_000
    assert 400_000 <= bytes_of(torch.zeros(100_000).numpy()) <= 401_000


def test_a_model_is_not_counted_with_what_refers_to_it():
    run = load_run(Path("gallery/copy"))
    assert bytes_of_run(run) == sum(each.nbytes for each in run.model.saved().values())
    assert bytes_of([run, run.model]) < 1000


class GoneError(Exception):
    """Whoever asked has left."""


def test_where_the_first_gives_up_one_of_those_who_wait_makes_it():
    kept, made = BoundedCache(10, len), []
    started, go = threading.Event(), threading.Event()

    def give_up():
        started.set()
        go.wait(20)
        raise GoneError

    def ask(make):
        with suppress(GoneError):
            kept.of("a", make)

    threads = [threading.Thread(target=ask, args=(give_up,))]
    threads += [threading.Thread(target=ask, args=(lambda: made.append(1) or "x",))]
    threads[0].start()
    assert started.wait(20)
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(20)
    assert made == [1]
    assert kept.of("a", str) == "x"


def test_who_waits_for_another_may_leave():
    kept, started, go = BoundedCache(10, len), threading.Event(), threading.Event()

    def make():
        started.set()
        go.wait(20)
        return "x"

    def look():
        raise GoneError

    thread = threading.Thread(target=kept.of, args=("a", make))
    thread.start()
    assert started.wait(20)
    with pytest.raises(GoneError):
        kept.of("a", str, look)
    go.set()
    thread.join(20)
    assert kept.of("a", str) == "x"
