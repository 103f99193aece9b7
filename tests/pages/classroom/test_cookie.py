import time

from pages.classroom import cookie
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, Visitor

CLASSROOM = Classroom(days=2, secret="of this class")


def test_who_a_cookie_was_written_for_is_read_from_it():
    for visitor in (Visitor("été 2", "key"), TEACHER):
        assert cookie.visitor_of(CLASSROOM, cookie.written(CLASSROOM, visitor)) == visitor


def test_a_cookie_of_another_class_or_a_changed_one_is_nobodys():
    kept = cookie.written(CLASSROOM, Visitor("ann", "key"))
    teachers = cookie.written(CLASSROOM, TEACHER)
    payload, rest = kept.split(".", 1)
    other = teachers.split(".", 1)[0] + "." + rest
    for found in ("", "x", payload, kept[:-1], kept + "x", other):
        assert cookie.visitor_of(CLASSROOM, found) is None
    assert cookie.visitor_of(Classroom(secret="another"), kept) is None


def test_a_cookie_holds_for_as_many_days_as_the_class_says(monkeypatch):
    kept = cookie.written(CLASSROOM, TEACHER)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 24 * 3600 - 60)
    assert cookie.visitor_of(CLASSROOM, kept) == TEACHER
    monkeypatch.setattr(time, "time", lambda: now + 2 * 24 * 3600 + 60)
    assert cookie.visitor_of(CLASSROOM, kept) is None
