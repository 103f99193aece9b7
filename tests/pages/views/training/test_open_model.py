import time

import pytest

from core.runs.run import load_run
from core.studies.opening.opening import OPENING, being_opened, start
from pages.views.training import open_model
from tests.core.library.folders import write_folder


@pytest.fixture
def folder(tmp_path):
    write_folder(tmp_path / "tiny-gpt", "gpt2")
    return tmp_path / "tiny-gpt"


def wait(parent):
    for _ in range(600):
        if not any(OPENING.at_work(folder) for folder in being_opened(parent)):
            return
        time.sleep(0.1)
    raise AssertionError(list(parent.iterdir()))


def button(at, label):
    return next(each for each in at.button if each.label == label)


def said(at):
    return [each.value for each in [*at.caption, *at.error]]


@pytest.mark.slow
def test_a_folder_is_opened_under_its_name(open_runs, own_runs, folder):
    at = open_runs(model=None)
    at.text_input(key=open_model.SOURCE).set_value(str(folder)).run()
    assert any("GPT2, " in text and "MB on the disk" in text for text in said(at))
    assert at.text_input(key=open_model.NAME).placeholder == "tiny-gpt"
    button(at, "Open it").click().run()
    wait(own_runs)
    assert load_run(own_runs / "tiny-gpt").settings.family == "GPT2"
    at = open_runs(model=None)
    assert not at.error


@pytest.mark.slow
def test_why_one_was_not_opened_stays_until_it_is_dismissed(open_runs, own_runs, tmp_path):
    start(str(tmp_path / "nothing.zip"), own_runs, "mine")
    wait(own_runs)
    at = open_runs(model=None)
    assert any("mine was not opened" in each.value for each in at.error)
    button(at, "Dismiss").click().run()
    assert being_opened(own_runs) == []


def test_an_opened_model_says_in_which_precision_its_weights_are(open_runs, run_of_kind, elsewhere):
    elsewhere("OWN", run_of_kind("Mistral").parent)
    at = open_runs(runs="runs/run")
    assert any("; weights kept in float32, computed in float32" in text for text in said(at))
