"""On a full disk, or one that has turned read-only, settings cannot be written: it is said."""

from html import unescape

import pytest

from tests.broken_disk import FULL, READ_ONLY, broken
from tests.pages.conftest import said

TELLS = {FULL: "No space left on the disk", READ_ONLY: "Read-only file system"}


@pytest.mark.parametrize("code", TELLS)
def test_settings_that_cannot_be_written_are_said_and_kept(
    open_page, own_runs, started, monkeypatch, code
):
    monkeypatch.setattr("core.training.prepare.TOKENIZER_SAMPLES", 300)
    at = open_page("training", model=None, set_dropout="0.3")
    at.text_input(key="run_name").set_value("mine").run()
    with broken(own_runs, code, 1) as disk:
        next(each for each in at.button if each.label == "Start").click().run()
    assert disk.failed
    assert not at.exception
    [shown] = at.error
    assert TELLS[code] in unescape(shown.value)
    assert str(own_runs) not in unescape(said(at))
    assert not started
    assert at.number_input(key="set_dropout").value == 0.3
    assert at.text_input(key="run_name").value == "mine"
    if code == FULL:
        assert list(own_runs.iterdir()) == []
