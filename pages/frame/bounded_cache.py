"""A cache for all sessions that is bounded in bytes.

Streamlit's `cache_resource` counts entries; a map of 512 tokens is a thousand times as large as one
of 16, and a model of 135 million weights as a hundred small ones.
"""

import gc
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from core.runs.run import Run
from pages.frame import service

Value = TypeVar("Value")
BETWEEN_CHECKS = 0.1
"""Seconds between two calls of `while_waiting`."""


class BoundedCache(Generic[Value]):
    """Values by key; where they would take too many bytes, those asked for longest ago go first."""

    def __init__(
        self,
        most_bytes: int,
        size: Callable[[Value], int],
        size_of_key: Callable[[Hashable], int] = lambda _key: 0,
    ) -> None:
        """Keep nothing yet.

        Args:
            most_bytes: Of all values together; one that is larger by itself is kept alone.
            size: Returns the bytes that a value takes.
            size_of_key: Returns those of its key; without it, keys count nothing.
        """
        self.most_bytes = most_bytes
        self.bytes = 0
        self._size, self._size_of_key = size, size_of_key
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()
        """Key → the lock of those who make or want its value now."""

    def of(
        self,
        key: Hashable,
        make: Callable[..., Value],
        while_waiting: Callable[[], None] = lambda: None,
        arguments: Iterable[object] = (),
    ) -> Value:
        """Return the value of a key; of several who ask for a new one, the first makes it.

        Where making it fails, the next does.

        Args:
            key: What the value depends on.
            make: Returns the value. What it raises is not kept.
            while_waiting: Called again and again while another makes the value; may raise.
            arguments: Of `make`; an iterator is asked for them only where the value is made.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        with self._made_here(key, while_waiting):
            with self._lock:
                if key in self._values:
                    return self._values[key][0]
            value = make(*arguments)
            self._add(key, value, self._size(value) + self._size_of_key(key))
            return value

    @contextmanager
    def _made_here(self, key: Hashable, while_waiting: Callable[[], None]) -> Iterator[None]:
        """Wait until nobody else makes the value of a key."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        if not making.acquire(blocking=False):
            with service.current().waiting():
                while not making.acquire(timeout=BETWEEN_CHECKS):
                    while_waiting()
        try:
            yield
        finally:
            making.release()

    def make_room(self, size: int) -> None:
        """Let go of what was asked for longest ago, before a value of this size is made."""
        with self._lock:
            self._drop(self.most_bytes - size, 0)

    def _add(self, key: Hashable, value: Value, size: int) -> None:
        with self._lock:
            self._values[key] = value, size
            self.bytes += size
            self._drop(self.most_bytes, 1)

    def _drop(self, most_bytes: int, least: int) -> None:
        while self.bytes > most_bytes and len(self._values) > least:
            _, (_, left) = self._values.popitem(last=False)
            self.bytes -= left

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values


def bytes_of_run(run: Run) -> int:
    """Return the bytes of a run's weights, whether they are in memory or mapped from its file."""
    return sum(each.nbytes for each in run.model.saved().values())


def bytes_of(value: object) -> int:
    """Return the bytes that a value takes with all that it refers to, each counted once.

    Runs, models, classes and code are not counted: a value shares them with others.
    """
    counted: set[int] = set()
    left: list[Any] = [value]
    total = 0
    while left:
        each = left.pop()
        if isinstance(each, Run) or callable(each):
            continue
        # Tensors of one memory are as many objects.
        memory = each.untyped_storage() if hasattr(each, "untyped_storage") else None
        identity = id(each) if memory is None else memory.data_ptr()
        if identity in counted:
            continue
        counted.add(identity)
        if memory is not None:
            total += memory.nbytes()
        elif isinstance(each, np.ndarray):
            # Views of one memory keep all of it.
            total += each.nbytes if each.base is None else 0
            left.append(each.base)
        else:
            total += sys.getsizeof(each)
            left.extend(gc.get_referents(each))
    return total
