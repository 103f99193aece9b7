"""Threads of one process that compute in turn, so that none slows all.

Python runs one thread at a time, and one that has let another run, as each operation on tensors
does, waits for its next moment; a sentence takes a thousand such operations. Of four sentences at
once none is answered before all are nearly done; in turn the first is answered as if it were alone,
and the last no later (`benchmarks/turns.py`). Who asks for little need not wait for who asks for
much, nor is much put off for ever by those who come later and ask for little:

    with turns.taken():
        for layer in layers:
            turns.give_way()
            ...

Turns are a courtesy and protect nothing: a thread that has waited too long for another one goes on
beside it, so that none waits for ever, whatever that thread waits for itself.
"""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PATIENCE = 0.1
"""Seconds after which nobody waits any longer for one that does not give way."""
LITTLE = 0.05
"""Seconds of processor time: among those who have had less, who asked first goes first."""
STRETCH = 2.0
"""A thread that has had more counts as one that asked later, by this multiple of what it had."""


@dataclass(slots=True, eq=False)
class _Work:
    """What one thread computes."""

    begun: float = field(default_factory=time.thread_time)
    asked: float = field(default_factory=time.monotonic)
    spent: float = 0.0
    """Seconds of processor time so far."""
    is_away: bool = False
    """Whether it waits for something else than its turn."""
    may: threading.Event = field(default_factory=threading.Event)
    """Set when it is its turn."""

    def due(self) -> float:
        """Return the moment that counts as that of asking: the earliest comes next.

        It moves on in steps, each twice as far as the one before: two who ask for the same would
        else take turn and turn about, and both be late.
        """
        if self.spent < LITTLE:
            return self.asked
        return self.asked + STRETCH * LITTLE * 2 ** math.floor(math.log2(self.spent / LITTLE))


class Turns:
    """Whose turn it is, and who waits."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """Wait `patience` seconds for one that does not give way."""
        self._patience = patience
        self._lock = threading.Lock()
        self._holder: _Work | None = None
        self._since = 0.0
        self._waiting: list[_Work] = []
        self._mine = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Compute when it is this thread's turn; within its turn a thread has it already."""
        if self._work() is not None:
            yield
            return
        work = self._mine.work = _Work()
        self._wait(work)
        try:
            yield
        finally:
            self._mine.work = None
            self._leave(work)

    def give_way(self) -> None:
        """Let others go first who have had little so far; to be called often."""
        work = self._work()
        if work is None or work.is_away:
            return
        work.spent = time.thread_time() - work.begun
        if self._holder is work and not self._waiting:
            return
        with self._lock:
            due = work.due()
            if self._holder is work and all(due <= each.due() for each in self._waiting):
                return
            self._waiting.append(work)
            work.may.clear()
            if self._holder is work or self._holder is None:
                self._pass_on()
        self._await(work)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Wait for something else: meanwhile others have their turn."""
        work = self._work()
        if work is None or work.is_away:
            yield
            return
        work.is_away = True
        self._leave(work)
        try:
            yield
        finally:
            work.is_away = False
            self._wait(work)

    def _work(self) -> _Work | None:
        found: _Work | None = getattr(self._mine, "work", None)
        return found

    def _wait(self, work: _Work) -> None:
        with self._lock:
            if self._holder is None:
                self._holder, self._since = work, time.monotonic()
                return
            work.may.clear()
            self._waiting.append(work)
        self._await(work)

    def _await(self, work: _Work) -> None:
        while not work.may.wait(self._patience):
            with self._lock:
                if time.monotonic() - self._since >= self._patience:
                    # The one that has the turn goes on; it waits for another when it gives way.
                    self._pass_on()

    def _leave(self, work: _Work) -> None:
        with self._lock:
            if self._holder is work:
                self._pass_on()

    def _pass_on(self) -> None:
        self._holder = min(self._waiting, key=_Work.due, default=None)
        if self._holder is not None:
            self._waiting.remove(self._holder)
            self._since = time.monotonic()
            self._holder.may.set()
