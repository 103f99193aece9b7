"""Heads measured in processes of their own, and what the run's folder tells of them."""

import json
import math
import shutil

import pytest
import torch

from core.heads import Head
from core.jobs import job as jobs
from core.runs.checkpoint import save_weights
from core.runs.files import HEADS
from core.runs.run import RunError, load_run
from core.studies.effects.head_effects import HeadEffects, head_effects
from core.studies.effects.measuring import (
    MEASURING,
    measured_effects,
    start,
    store_effects,
    stored_effects,
)
from tests.core.conftest import GALLERY, until


@pytest.fixture
def path(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    yield path
    child = jobs._started.pop((path.resolve(), MEASURING), None)
    if child is not None:
        child.kill()
        child.wait()


def names(path):
    return {each.name for each in path.iterdir()}


@pytest.mark.slow
def test_it_is_measured_in_the_background_and_leaves_the_result_alone(path):
    before = names(path)
    assert MEASURING.status(path).state == "idle"
    start(path, 5, 2)
    assert MEASURING.status(path).state == "running"
    until(lambda: MEASURING.status(path).state != "running")
    assert MEASURING.status(path).state == "idle"
    assert names(path) - before == {HEADS}
    found = stored_effects(load_run(path))
    assert (found.n, found.seed, found.step) == (5, 2, 30)
    assert found.heads == tuple(head_effects(load_run(path), 5, 2))


def test_what_was_measured_of_another_run_is_not_stored_under_its_name(path):
    steps = measured_effects(load_run(path), 3)
    next(steps)
    changed = load_run(path).model
    with torch.no_grad():
        next(changed.parameters()).view(-1)[0] += 1
    save_weights(changed, path / "checkpoints" / "step-00000030.safetensors")
    with pytest.raises(RunError, match="the weights have changed"):
        list(steps)
    assert not (path / HEADS).exists()
    assert not MEASURING.at_work(path)


# ---- heads.json


@pytest.fixture
def run(translation_folder, tmp_path):
    return load_run(shutil.copytree(translation_folder, tmp_path / "translation"))


@pytest.fixture(scope="session")
def effects(translation_run):
    found = tuple(head_effects(translation_run, 6, seed=2))
    return HeadEffects(found, 6, 2, translation_run.step)


def test_effects_of_other_weights_of_the_same_step_are_not_used(run, effects):
    store_effects(run, effects)
    with torch.no_grad():
        next(run.model.parameters()).view(-1)[0] += 1
    [file] = (run.path / "checkpoints").glob("step-00000006.safetensors")
    save_weights(run.model, file)
    assert stored_effects(load_run(run.path)) is None


def test_an_interval_without_an_end_is_stored_as_json_can_hold_it(run, translation_run):
    found = tuple(head_effects(translation_run, 1))
    store_effects(run, HeadEffects(found, 1, 0, run.step))
    assert "Infinity" not in (run.path / HEADS).read_text()
    assert stored_effects(run).heads == found
    assert found[0].loss.high == math.inf


def damaged(change):
    def applied(path):
        content = json.loads((path / HEADS).read_text())
        change(content)
        (path / HEADS).write_text(json.dumps(content))

    return applied


DAMAGE = {
    "a head is missing": damaged(lambda content: content["heads"].pop()),
    "no effect": damaged(lambda content: content["heads"][2].pop("effect")),
    "text for a number": damaged(
        lambda content: content["heads"][0]["effect"]["loss"].update(after="much")
    ),
    "an interval upside down": damaged(
        lambda content: content["heads"][0]["effect"]["exact_match"].update(low=0.5, high=0.1)
    ),
    "fewer than none": damaged(lambda content: content.update(n=-1)),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_is_named(run, effects, how):
    store_effects(run, effects)
    DAMAGE[how](run.path)
    with pytest.raises(RunError, match=r"heads\.json"):
        stored_effects(run)


@pytest.mark.parametrize("name", ["everyday", "heads-one"])
def test_what_silencing_costs_of_pronouns_is_what_the_evaluation_says(name):
    run = load_run(GALLERY / name)
    evaluated = {
        str(Head.read(each)): each["silenced_accuracy"] for each in run.evaluation["heads"]
    }
    found = {str(each.head): each.pronoun for each in stored_effects(run).heads}
    assert set(evaluated) < set(found)
    for head, pronoun in found.items():
        if head in evaluated:
            assert (pronoun.after, pronoun.n) == (pytest.approx(evaluated[head]), 777)
            assert pronoun.before == pytest.approx(run.evaluation["pronoun"]["accuracy"])
            assert pronoun.low <= pronoun.change <= pronoun.high
