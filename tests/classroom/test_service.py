"""What a visitor of a class may have of the machine, and who is next."""

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from classroom import cookie
from classroom.limits import MEGABYTE, Limits
from classroom.service import ClassService
from classroom.settings import Classroom
from core.config import ConfigError
from core.runs.archive import LARGEST
from core.runs.folder import TRAINING, RunFolder
from core.runs.run import RunError
from core.training import process
from core.training.presets import PRESETS
from pages.frame import cached
from pages.frame.service import OWNER, Visitor
from tests.classroom.serving import serve

ANN, BEN, EVE, ZOE = (Visitor(name) for name in ("Ann", "Ben", "Eve", "Zoe"))
TINY = PRESETS["tiny"]
LONG = replace(TINY.training, steps=10_000)


@pytest.fixture
def of_class(monkeypatch, tmp_path):
    """Return a function that serves a class with limits to a visitor."""
    monkeypatch.setattr(cached, "OWN", tmp_path)
    return lambda visitor, **few: serve(monkeypatch, visitor, Classroom(limits=Limits(**few)))


def run_of(visitor, name="run"):
    path = visitor.folder(cached.OWN) / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_nothing_of_a_teachers_is_limited(of_class):
    served = of_class(OWNER, parameters=1, upload_megabytes=1, disk_megabytes=1)
    with served.starting(PRESETS["base"].model, LONG) as begin:
        assert begin is process.start
        assert (served.room(), served.upload_megabytes(500)) == (LARGEST, 500)


def refuses(context, match):
    with pytest.raises(ConfigError, match=match), context:
        pytest.fail("it was started")


def starting(served, model=TINY.model, training=TINY.training):
    return served.starting(model, training)


LARGER = replace(TINY.model, vocab_size=4 * TINY.model.vocab_size)


def test_new_names_take_no_more_of_the_disk_than_all_may(of_class):
    served = of_class(EVE, disk_megabytes=20, disk_megabytes_of_all=30)
    for visitor in (ANN, BEN):
        (run_of(visitor) / "weights").write_bytes(bytes(14 * MEGABYTE))
    assert served.room() == 2 * MEGABYTE
    refuses(starting(served, LARGER), "29 MB of 30 MB|28 MB of 30 MB")
    (run_of(BEN) / "more").write_bytes(bytes(2 * MEGABYTE + 1))
    with pytest.raises(ConfigError, match="31 MB of 30 MB"):
        served.room()


def test_a_visitors_disk_is_her_own(of_class):
    served = of_class(ANN, disk_megabytes=20)
    (run_of(ANN) / "weights").write_bytes(bytes(15 * MEGABYTE))
    (run_of(BEN) / "weights").write_bytes(bytes(MEGABYTE))
    assert served.room() == 5 * MEGABYTE
    refuses(starting(served, LARGER), "15 MB of 20 MB")
    with starting(of_class(BEN, disk_megabytes=20), LARGER):
        pass


def test_only_so_much_is_measured_at_once(of_class):
    with ExitStack() as held:
        for visitor in (ANN, BEN):
            served = of_class(visitor)
            with served.measuring():
                held.enter_context(RunFolder(run_of(visitor)).held())
            assert TRAINING.is_held(run_of(visitor))
            refuses(served.measuring(), "your last training")
        refuses(of_class(EVE).measuring(), r"at once \(2\)")
        with of_class(OWNER).measuring():
            pass
    with of_class(EVE).measuring():
        pass


def begin(served, path):
    """Begin a training as the page does."""
    with starting(served) as start:
        start(path)


def test_who_comes_when_as_many_train_as_may_waits_in_line(of_class, monkeypatch):
    started = []
    monkeypatch.setattr(process, "start", started.append)
    with RunFolder(run_of(ANN)).held():
        for visitor in (BEN, EVE):
            served = of_class(visitor, at_once=1)
            begin(served, run_of(visitor))
            refuses(starting(served), "or in line")
        assert [served.place_in_line(run_of(each)) for each in (ANN, BEN, EVE)] == [0, 1, 2]
        served.advance()
        assert started == []
    # Nobody overtakes those who wait.
    served = of_class(ZOE, at_once=1)
    begin(served, run_of(ZOE))
    served.advance()
    assert started == [run_of(BEN)]
    assert [served.place_in_line(run_of(each)) for each in (BEN, EVE, ZOE)] == [0, 1, 2]
    begin(of_class(OWNER), run_of(OWNER))
    assert started == [run_of(BEN), run_of(OWNER)]


def test_who_comes_when_the_line_is_full_is_told(of_class):
    with RunFolder(run_of(ANN)).held():
        begin(of_class(BEN, at_once=1, waiting=1), run_of(BEN))
        refuses(starting(of_class(EVE, at_once=1, waiting=1)), "too many trainings wait")


def test_a_run_that_cannot_be_started_leaves_the_line_to_others(of_class, monkeypatch):
    served = of_class(ANN)
    process.enqueue(run_of(ANN))

    def refuse(path):
        raise RunError(f"{path}: no")

    monkeypatch.setattr(process, "start", refuse)
    served.advance()
    assert served.place_in_line(run_of(ANN)) == 0


@pytest.mark.parametrize("kept", ["", "forged"])
def test_nothing_is_drawn_for_whoever_has_left(monkeypatch, kept):
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={cookie.NAME: kept}))
    with pytest.raises(StopException):
        ClassService(Classroom(secret="of this class")).visitor()


def _account():
    from pages.frame import service

    service.current().show_account()


def test_everybody_is_told_who_she_is_and_can_sign_out(of_class):
    def shown(visitor):
        of_class(visitor)
        return "".join(
            each.proto.body for each in AppTest.from_function(_account).run().get("html")
        )

    assert "Signed in as Ann &amp; Ben." in shown(Visitor("Ann & Ben"))
    assert "Signed in as the teacher." in shown(OWNER)
    assert 'method="post" action="/sign-out"' in shown(OWNER)
