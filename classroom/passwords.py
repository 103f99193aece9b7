"""Passwords: kept as a slow hash, compared in constant time, and guessed slowly."""

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

SHORTEST = 8
"""Letters of a password."""
_N, _R, _P = 2**14, 8, 1
"""What scrypt costs: some 50 ms, and 16 MiB while it lasts (RFC 7914)."""
_one_at_a_time = threading.Lock()
"""However many guess at once, the machine tries one after the other."""


def hashed(password: str) -> str:
    """Return what is kept of a password.

    >>> hashed("correct horse").split("$")[:2]
    ['scrypt', '16384']
    """
    salt = secrets.token_bytes(16)
    return "$".join(["scrypt", str(_N), _text(salt), _text(_digest(password, salt, _N))])


def matches(password: str, stored: str) -> bool:
    """Return whether a password is the one that was kept; where none was, no password is.

    >>> kept = hashed("correct horse")
    >>> matches("correct horse", kept), matches("wrong horse", kept), matches("", "")
    (True, False, False)
    """
    try:
        kind, n, salt, digest = stored.split("$")
        if kind != "scrypt":
            return False
        found = _digest(password, base64.b64decode(salt), int(n))
        return hmac.compare_digest(found, base64.b64decode(digest))
    except ValueError:
        return False


def _digest(password: str, salt: bytes, n: int) -> bytes:
    with _one_at_a_time:
        return hashlib.scrypt(password.encode(), salt=salt, n=n, r=_R, p=_P, maxmem=2**26)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


@dataclass(slots=True)
class Attempts:
    """Makes a guesser wait: after a few failures longer and longer, up to a minute.

    Each such minute forgets one failure, so that slips of a whole class do not add up.
    """

    free: int
    """Failures that cost nothing: a class may have one address, and fingers slip."""
    longest: float = 60.0
    """Seconds."""
    remembered: int = 10_000
    _failed: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, who: str, now: float | None = None) -> float:
        """Return for how many seconds nothing is tried for somebody."""
        now = time.monotonic() if now is None else now
        n, last = self._failed.get(who, (0.0, 0.0))
        # A moment forgets nothing.
        above = round(n) - self.free
        if above < 0:
            return 0.0
        pause = min(self.longest, 2.0 ** min(above, 10))
        return max(0.0, last + pause - now)

    def note(self, who: str, failed: bool, now: float | None = None) -> None:
        """Note how an attempt of somebody ended: one that did not fail makes good for all."""
        now = time.monotonic() if now is None else now
        n, last = self._failed.pop(who, (0.0, now))
        if failed:
            self._failed[who] = (max(0.0, n - (now - last) / self.longest) + 1, now)
        while len(self._failed) > self.remembered:
            self._failed.popitem(last=False)

    def take_back(self, who: str) -> None:
        """Take back one attempt of somebody, which did not fail: those before it still count."""
        if who in self._failed:
            n, last = self._failed[who]
            self._failed[who] = (max(0.0, n - 1), last)
