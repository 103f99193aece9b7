from contextlib import ExitStack
from dataclasses import replace

import pytest

from core.config import ConfigError
from core.runs.folder import TRAINING, RunFolder
from core.runs.unpack import LARGEST
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


def test_only_so_many_train_at_once(of_class):
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


def test_a_file_may_be_as_large_as_the_class_says(of_class):
    of_class(ANN, upload_megabytes=7)
    assert (limits.upload_megabytes(500), limits.upload_megabytes(5)) == (7, 5)
