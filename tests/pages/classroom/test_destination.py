import time
from urllib.parse import quote

import pytest

from pages.classroom import destination
from pages.classroom.destination import _signer, address_of, written
from pages.classroom.settings import Classroom

CLASSROOM = Classroom(secret="of this class")
VIEW = "/heads?model=translate&trial=paths&lang=zh_CN"


def test_an_address_is_kept_for_a_while(monkeypatch):
    kept = written(CLASSROOM, VIEW)
    assert address_of(CLASSROOM, kept) == VIEW
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + destination.SECONDS + 60)
    assert address_of(CLASSROOM, kept) == "/"


def test_a_sentence_of_some_length_is_kept_and_what_no_browser_keeps_is_not():
    sentence = " ".join(f"word {n} of a long text" for n in range(200))
    assert address_of(CLASSROOM, written(CLASSROOM, f"/?source={quote(sentence)}")) != "/"
    noise = "".join(chr(0x4E00 + n * n % 20_000) for n in range(2_000))
    assert written(CLASSROOM, f"/?source={quote(noise)}") == ""


@pytest.mark.parametrize("elsewhere", ["//elsewhere.org", "https://elsewhere.org", "/\\x.org", ""])
def test_nothing_of_elsewhere_is_kept_and_nothing_that_the_class_did_not_write(elsewhere):
    assert written(CLASSROOM, elsewhere) == ""
    assert address_of(CLASSROOM, str(_signer(CLASSROOM).dumps(elsewhere))) == "/"
    forged = written(Classroom(secret="another"), VIEW)
    for cookie in ("", "x", forged, written(CLASSROOM, VIEW)[:-1]):
        assert address_of(CLASSROOM, cookie) == "/"
