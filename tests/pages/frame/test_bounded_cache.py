import threading
from contextlib import contextmanager, suppress
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
    kept.of("large", lambda: "x" * 50)
    assert (len(kept), kept.bytes) == (1, 50)
    kept.of("small", lambda: "y")
    assert (len(kept), kept.bytes) == (1, 1)


def test_there_is_room_before_a_large_value_is_made():
    kept = BoundedCache(10, len)
    for name in "abc":
        kept.of(name, lambda name=name: name * 3)
    kept.make_room(6)
    assert kept.of("c", str) == "ccc"
    assert (len(kept), kept.bytes) == (1, 3)


class GoneError(Exception):
    """Whoever asked has left."""


@contextmanager
def being_made(kept, ends):
    """Let somebody else make the value of "a" meanwhile, which ends so; then wait for all."""
    started, go = threading.Event(), threading.Event()

    def make():
        started.set()
        go.wait(20)
        return ends()

    def ask(make):
        with suppress(GoneError):
            kept.of("a", make)

    def begin(make):
        threads.append(threading.Thread(target=ask, args=(make,)))
        threads[-1].start()

    threads = []
    begin(make)
    assert started.wait(20)
    yield begin
    go.set()
    for thread in threads:
        thread.join(20)


def test_those_who_ask_at_once_wait_for_the_first_and_hold_up_nobody_else():
    kept, made = BoundedCache(10, len), []
    with being_made(kept, lambda: "x") as begin:
        for _ in range(3):
            begin(lambda: made.append(1) or "y")
        assert kept.of("b", lambda: "y") == "y"
    assert (made, kept.of("a", str)) == ([], "x")


def test_where_the_first_gives_up_one_of_those_who_wait_makes_it():
    def give_up():
        raise GoneError

    kept = BoundedCache(10, len)
    with being_made(kept, give_up) as begin:
        begin(lambda: "x")
    assert kept.of("a", str) == "x"


def test_who_waits_for_another_may_leave():
    def look():
        raise GoneError

    kept = BoundedCache(10, len)
    with being_made(kept, lambda: "x"), pytest.raises(GoneError):
        kept.of("a", str, look)
    assert kept.of("a", str) == "x"


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
