import shutil
from html import unescape
from pathlib import Path

import pytest

from pages.classroom import current, settings
from pages.classroom.settings import Classroom
from pages.classroom.visitors import TEACHER, admitted
from pages.frame import cached
from tests.pages.conftest import ROOT
from tests.pages.conftest import said as all_said


@pytest.fixture
def a_class(monkeypatch, tmp_path):
    """Return a function that gives a visitor a run; the teacher of the class looks."""
    monkeypatch.setattr(cached, "OWN", tmp_path)
    settings.open_classroom(Classroom())
    monkeypatch.setattr(current, "visitor", lambda: TEACHER)

    def give(visitor, name):
        folder = admitted(tmp_path, visitor, f"word of {visitor}").folder(tmp_path)
        return Path(shutil.copytree(ROOT / "gallery" / "copy", folder / name))

    yield give
    settings.open_classroom(None)


@pytest.fixture
def said():
    """Return a function that returns all that stands on a page, as it is read."""
    return lambda at: unescape(all_said(at))
