from contextlib import ExitStack
from dataclasses import replace

import pytest

from core.config import ConfigError
from core.runs.folder import TRAINING, RunFolder
from core.runs.run import RunError
from core.runs.unpack import LARGEST
from core.training import line, process
from core.training.limits import MEGABYTE, Limits
from core.training.presets import PRESETS
from pages.classroom import current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, Visitor
from pages.frame import cached, limits

ANN, BEN, EVE = Visitor("Ann"), Visitor("Ben"), Visitor("Eve")
TINY = PRESETS["tiny"]
LONG = replace(TINY.training, steps=10_000)


@pytest.fixture
def of_class(monkeypatch, tmp_path):
    """Return a function that opens a class with limits, and says who looks."""
    monkeypatch.setattr(cached, "OWN", tmp_path)

    def opened(visitor, **few):
        settings.open_classroom(Classroom(limits=Limits(**few)))
        monkeypatch.setattr(current, "visitor", lambda: visitor)

    yield opened
    settings.open_classroom(None)


def run_of(visitor, name="run"):
    path = visitor.folder(cached.OWN) / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_without_a_class_nothing_is_limited(monkeypatch, tmp_path):
    monkeypatch.setattr(cached, "OWN", tmp_path)
    with limits.starting(PRESETS["base"].model, LONG):
        assert limits.of_visitor() is None
    assert (limits.room(), limits.upload_megabytes(500)) == (LARGEST, 500)


def test_nothing_of_a_teachers_is_limited(of_class):
    of_class(TEACHER, parameters=1, upload_megabytes=1, disk_megabytes=1)
    with limits.starting(PRESETS["base"].model, LONG):
        assert (limits.room(), limits.upload_megabytes(500)) == (LARGEST, 500)


def test_a_visitors_training_must_be_small_enough(of_class):
    of_class(ANN)
    with limits.starting(TINY.model, TINY.training):
        pass
    with pytest.raises(ConfigError, match="too many steps: 10,000, and here 5,000 at most"):
        limits.require(TINY.model, LONG)
    with (
        pytest.raises(ConfigError, match="too many parameters"),
        limits.starting(PRESETS["base"].model, TINY.training),
    ):
        pytest.fail("it was started")


def test_new_names_take_no_more_of_the_disk_than_all_may(of_class):
    of_class(EVE, disk_megabytes=20, disk_megabytes_of_all=30)
    for visitor in (ANN, BEN):
        (run_of(visitor) / "weights").write_bytes(bytes(14 * MEGABYTE))
    assert limits.room() == 2 * MEGABYTE
    larger = replace(TINY.model, vocab_size=4 * TINY.model.vocab_size)
    with (
        pytest.raises(ConfigError, match="29 MB of 30 MB|28 MB of 30 MB"),
        limits.starting(larger, TINY.training),
    ):
        pytest.fail("it was started")
    (run_of(BEN) / "more").write_bytes(bytes(2 * MEGABYTE + 1))
    with pytest.raises(ConfigError, match="31 MB of 30 MB"):
        limits.room()


def test_a_visitors_disk_is_her_own(of_class):
    of_class(ANN, disk_megabytes=20)
    (run_of(ANN) / "weights").write_bytes(bytes(15 * MEGABYTE))
    (run_of(BEN) / "weights").write_bytes(bytes(MEGABYTE))
    assert limits.room() == 5 * MEGABYTE
    model = replace(TINY.model, vocab_size=4 * TINY.model.vocab_size)
    with pytest.raises(ConfigError, match="15 MB of 20 MB"), limits.starting(model, TINY.training):
        pytest.fail("it was started")
    of_class(BEN, disk_megabytes=20)
    with limits.starting(model, TINY.training):
        pass


def test_only_so_much_is_measured_at_once(of_class):
    with ExitStack() as held:
        for visitor in (ANN, BEN):
            of_class(visitor)
            with limits.turn():
                held.enter_context(RunFolder(run_of(visitor)).held())
            assert TRAINING.is_held(run_of(visitor))
            with pytest.raises(ConfigError, match="your last training"), limits.turn():
                pytest.fail("it was started")
        of_class(EVE)
        with pytest.raises(ConfigError, match="at once \\(2\\)"), limits.turn():
            pytest.fail("it was started")
        of_class(TEACHER)
        with limits.turn():
            pass
    of_class(EVE)
    with limits.turn():
        pass


def begun(path):
    """Begin a training as the page does."""
    with limits.starting(TINY.model, TINY.training) as begin:
        begin(path)


def test_who_comes_when_as_many_train_as_may_waits_in_line(of_class, monkeypatch):
    started = []
    monkeypatch.setattr(process, "start", started.append)
    with ExitStack() as held:
        held.enter_context(RunFolder(run_of(ANN)).held())
        for visitor in (BEN, EVE):
            of_class(visitor, at_once=1)
            begun(run_of(visitor))
            with pytest.raises(ConfigError, match="or in line"):
                begun(run_of(visitor, "another"))
        assert [limits.place(run_of(each)) for each in (ANN, BEN, EVE)] == [0, 1, 2]
        limits.advance(Limits(at_once=1))
        assert started == []
    # Nobody overtakes those who wait.
    of_class(Visitor("Zoe"), at_once=1)
    begun(run_of(Visitor("Zoe")))
    limits.advance(Limits(at_once=1))
    assert started == [run_of(BEN)]
    assert [limits.place(run_of(each)) for each in (BEN, EVE, Visitor("Zoe"))] == [0, 1, 2]
    of_class(TEACHER)
    begun(run_of(TEACHER))
    assert started == [run_of(BEN), run_of(TEACHER)]


def test_who_comes_when_the_line_is_full_is_told(of_class):
    with RunFolder(run_of(ANN)).held():
        of_class(BEN, at_once=1, waiting=1)
        begun(run_of(BEN))
        of_class(EVE, at_once=1, waiting=1)
        with pytest.raises(ConfigError, match="too many trainings wait"):
            begun(run_of(EVE))


def test_a_run_that_cannot_be_started_leaves_the_line_to_others(of_class):
    of_class(ANN)
    line.enter(run_of(ANN))

    def refuse(path):
        raise RunError(f"{path}: no")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "start", refuse)
        limits.advance(Limits())
    assert limits.place(run_of(ANN)) == 0


def test_a_file_may_be_as_large_as_the_class_says(of_class):
    of_class(ANN, upload_megabytes=7)
    assert (limits.upload_megabytes(500), limits.upload_megabytes(5)) == (7, 5)
