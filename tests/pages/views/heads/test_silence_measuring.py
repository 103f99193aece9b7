import pytest

from core.evaluate.intervals import Difference
from core.jobs.job import Job, Status
from core.runs.run import RunError, load_run
from core.studies.effects import measuring
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.question import heads_of
from pages.views.heads import silence_measuring


@pytest.fixture
def open_silence(open_page):
    return lambda **query_params: open_page("heads", trial="silence", **query_params)


def state(monkeypatch, *found):
    monkeypatch.setattr(Job, "status", lambda _job, _path: Status(*found))


def test_measuring_starts_with_a_button(open_silence, own_copy, monkeypatch):
    started = []
    monkeypatch.setattr(measuring, "start", started.append)
    at = open_silence(model="runs/mine")
    button = at.button(key=silence_measuring.START)
    assert button.label == "Measure all heads on 400 held-out rows of letters"
    button.click().run()
    assert started == [own_copy]


def test_it_says_how_far_it_is_and_offers_no_second_start(open_silence, own_copy, monkeypatch):
    state(monkeypatch, "running", 3, 8, "")
    at = open_silence(model="runs/mine")
    [bar] = at.get("progress")
    assert (bar.proto.value, bar.proto.text) == (37, "37.5\u00a0% of the work is done …")
    assert not [button for button in at.button if button.key == silence_measuring.START]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (("failed", 2, 8, "its task cannot be read"), "failed: its task cannot be read"),
        (("interrupted", 2, 8, "Killed"), "interrupted after 2 steps. Killed"),
    ],
)
def test_what_ended_badly_is_said_and_can_be_started_again(
    open_silence, own_copy, monkeypatch, found, words
):
    state(monkeypatch, *found)
    at = open_silence(model="runs/mine")
    [warning] = at.warning
    assert words in warning.value.replace("&#46;", ".").replace("&#58;", ":")
    assert (
        at.button(key=silence_measuring.START).label
        == "Measure again on 400 held-out rows of letters"
    )


def stored(path, n, *, all_there_are=False):
    run, figure = load_run(path), Difference(0.9, 0.8, -0.2, -0.05, n)
    heads = [HeadEffect(head, figure, figure, None) for head in heads_of(run.model)]
    store_effects(run, HeadEffects(tuple(heads), n, 0, run.step, all_there_are))


def test_what_was_measured_on_few_sentences_can_be_measured_again(open_silence, own_copy):
    stored(own_copy, 5)
    at = open_silence(model="runs/mine")
    assert (
        at.button(key=silence_measuring.START).label
        == "Measure again on 400 held-out rows of letters"
    )
    assert at.dataframe


@pytest.mark.parametrize(("n", "everything"), [(400, False), (500, False), (5, True)])
def test_what_was_measured_on_enough_or_on_all_there_are_is_not_measured_again(
    open_silence, own_copy, n, everything
):
    stored(own_copy, n, all_there_are=everything)
    at = open_silence(model="runs/mine")
    assert not [button for button in at.button if button.key == silence_measuring.START]


def test_why_it_cannot_be_started_is_said(open_silence, own_copy, monkeypatch):
    def refuse(_path):
        raise RunError("somebody is at it")

    monkeypatch.setattr(measuring, "start", refuse)
    at = open_silence(model="runs/mine")
    at.button(key=silence_measuring.START).click().run()
    assert "somebody is at it" in at.error[0].value
