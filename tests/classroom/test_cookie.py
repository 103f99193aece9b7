import time

import pytest

from classroom import cookie
from classroom.settings import Classroom
from pages.frame.service import OWNER, Visitor

CLASSROOM = Classroom(days=2, secret="of this class")
ANOTHER = Classroom(secret="another")
VIEW = "/heads?model=translate&trial=patch&patched=path&lang=zh_CN"


@pytest.fixture
def later(monkeypatch):
    """Return a function that sets the clock so many seconds on."""
    now = time.time()
    return lambda seconds: monkeypatch.setattr(time, "time", lambda: now + seconds)


def test_who_a_cookie_was_written_for_is_read_from_it():
    for visitor in (Visitor("été 2", "key"), OWNER):
        assert cookie.visitor_of(CLASSROOM, cookie.written(CLASSROOM, visitor)) == visitor


def test_a_cookie_of_another_class_or_a_changed_one_is_nobodys():
    kept = cookie.written(CLASSROOM, Visitor("ann", "key"))
    payload, rest = kept.split(".", 1)
    other = cookie.written(CLASSROOM, OWNER).split(".", 1)[0] + "." + rest
    destination = cookie.with_destination(CLASSROOM, VIEW)
    for found in ("", "x", payload, kept[:-1], kept + "x", other, destination):
        assert cookie.visitor_of(CLASSROOM, found) is None
    assert cookie.visitor_of(ANOTHER, kept) is None


def test_a_cookie_holds_for_as_many_days_as_the_class_says(later):
    kept = cookie.written(CLASSROOM, OWNER)
    later(2 * 24 * 3600 - 60)
    assert cookie.visitor_of(CLASSROOM, kept) == OWNER
    later(2 * 24 * 3600 + 60)
    assert cookie.visitor_of(CLASSROOM, kept) is None


def test_an_address_is_kept_for_a_while(later):
    kept = cookie.with_destination(CLASSROOM, VIEW)
    assert cookie.destination_of(CLASSROOM, kept) == VIEW
    later(cookie.SECONDS_AT_PROVIDER + 60)
    assert cookie.destination_of(CLASSROOM, kept) == "/"


@pytest.mark.parametrize("elsewhere", ["//elsewhere.org", "https://elsewhere.org", "/\\x.org", ""])
def test_nothing_of_elsewhere_is_kept_and_nothing_that_the_class_did_not_write(elsewhere):
    assert cookie.with_destination(CLASSROOM, elsewhere) == ""
    signed = str(cookie._signer(CLASSROOM, cookie.DESTINATION).dumps(elsewhere))
    forged = cookie.with_destination(ANOTHER, VIEW)
    for kept in ("", "x", signed, forged, cookie.with_destination(CLASSROOM, VIEW)[:-1]):
        assert cookie.destination_of(CLASSROOM, kept) == "/"
