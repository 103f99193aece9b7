"""heads.json and pruning.json in a folder of a run."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.heads import Head
from core.runs.checkpoint import save_weights
from core.runs.run import RunError, load_run
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import HeadEffects, head_effects
from core.studies.effects.pruning import (
    BY_SCORE,
    GREEDY,
    greedy_pruning,
    pruning_by_score,
)
from core.studies.effects.stored import (
    HEADS,
    PRUNING,
    fingerprint,
    store_effects,
    store_pruning,
    stored_effects,
    stored_pruning,
)

GALLERY = Path(__file__).parents[4] / "gallery"


@pytest.fixture
def run(translation_folder, tmp_path):
    return load_run(shutil.copytree(translation_folder, tmp_path / "run"))


@pytest.fixture(scope="session")
def effects(translation_run):
    found = tuple(head_effects(translation_run, 6, seed=2))
    return HeadEffects(found, 6, 2, translation_run.step)


def test_what_is_stored_is_read(run, effects):
    assert stored_effects(run) is None
    store_effects(run.path, effects)
    assert stored_effects(run) == effects
    assert [each.name for each in run.path.glob(".*heads*")] == []


def test_effects_of_other_weights_are_not_used(run, effects):
    store_effects(run.path, replace(effects, step=run.step - 1))
    assert stored_effects(run) is None


def test_effects_of_other_weights_of_the_same_step_are_not_used(run, effects):
    store_effects(run.path, effects)
    with torch.no_grad():
        next(run.model.parameters()).view(-1)[0] += 1
    [file] = (run.path / "checkpoints").glob("step-00000006.safetensors")
    save_weights(run.model, file)
    assert stored_effects(load_run(run.path)) is None


def test_effects_of_weights_that_nobody_named_are_not_used(run, effects):
    store_effects(run.path, effects)
    content = json.loads((run.path / HEADS).read_text())
    del content["weights"]
    (run.path / HEADS).write_text(json.dumps(content))
    assert stored_effects(run) is None


def test_a_fingerprint_is_the_same_for_the_same_weights_alone(run, translation_run):
    assert fingerprint(run.model) == fingerprint(translation_run.model)
    for parameter in run.model.parameters():
        before = fingerprint(run.model)
        with torch.no_grad():
            parameter.view(-1)[-1] += 1
        assert fingerprint(run.model) != before


def test_whether_there_are_no_more_sentences_is_kept(run, effects):
    store_effects(run.path, replace(effects, all_there_are=True))
    assert stored_effects(run).all_there_are


def test_an_interval_without_an_end_is_stored_as_json_can_hold_it(run, translation_run):
    found = tuple(head_effects(translation_run, 1))
    store_effects(run.path, HeadEffects(found, 1, 0, run.step))
    assert "Infinity" not in (run.path / HEADS).read_text()
    assert stored_effects(run).heads == found
    assert found[0].loss.high == math.inf


def test_a_folder_that_cannot_be_written_to_is_an_error(run, effects):
    shutil.rmtree(run.path)
    with pytest.raises(OSError):
        store_effects(run.path, effects, "weights")


def damaged(change):
    def applied(path):
        content = json.loads((path / HEADS).read_text())
        change(content)
        (path / HEADS).write_text(json.dumps(content))

    return applied


DAMAGE = {
    "cut": lambda path: (path / HEADS).write_text('{"step": 6, "hea'),
    "a list": lambda path: (path / HEADS).write_text("[]"),
    "no step": damaged(lambda content: content.pop("step")),
    "a head is missing": damaged(lambda content: content["heads"].pop()),
    "no such site": damaged(lambda content: content["heads"][0].update(head="encoder.7.self:0")),
    "no site": damaged(lambda content: content["heads"][0].update(head=3)),
    "heads are a number": damaged(lambda content: content.update(heads=3)),
    "no effect": damaged(lambda content: content["heads"][2].pop("effect")),
    "text for a number": damaged(
        lambda content: content["heads"][0]["effect"]["loss"].update(after="much")
    ),
    "an interval upside down": damaged(
        lambda content: content["heads"][0]["effect"]["exact_match"].update(low=0.5, high=0.1)
    ),
    "not a number": damaged(
        lambda content: content["heads"][0]["effect"]["exact_match"].update(low=math.nan)
    ),
    "more than all": damaged(
        lambda content: content["heads"][0]["effect"]["loss"].update(after=1e308)
    ),
    "fewer than none": damaged(lambda content: content.update(n=-1)),
    "no after": damaged(
        lambda content: content["heads"][0]["effect"]["exact_match"].update(after=None)
    ),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_is_named(run, effects, how):
    store_effects(run.path, effects)
    DAMAGE[how](run.path)
    with pytest.raises(RunError, match=r"heads\.json"):
        stored_effects(run)


def test_a_file_that_names_site_and_head_apart_is_read_as_before(run, effects):
    store_effects(run.path, effects)
    content = json.loads((run.path / HEADS).read_text())
    for each in content["heads"]:
        head = Head.parse(each.pop("head"))
        each |= {"site": str(head.site), "head": head.index}
    (run.path / HEADS).write_text(json.dumps(content))
    assert stored_effects(run) == effects


@pytest.mark.parametrize("name", ["everyday", "translate", "heads-one"])
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


N = 4


@pytest.fixture(scope="module")
def curves(translation_run):
    scores = {head: float(at) for at, head in enumerate(every_head(translation_run.model))}
    return {
        GREEDY: tuple(greedy_pruning(translation_run, N)),
        BY_SCORE: tuple(pruning_by_score(translation_run, scores, N)),
    }


def test_curves_over_other_sentences_or_of_other_weights_are_not_used(run, curves):
    store_pruning(run, curves)
    assert stored_pruning(run, N + 1) == {}
    with torch.no_grad():
        next(run.model.parameters()).view(-1)[0] += 1
    assert stored_pruning(run, N) == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored.update(orders=[1]),
        lambda stored: stored.update(n="4"),
        lambda stored: stored["orders"].update(greedy=[]),
        lambda stored: stored["orders"]["greedy"].pop(),
        lambda stored: stored["orders"]["greedy"][1].update(removed="encoder.9.self:0"),
        lambda stored: stored["orders"]["greedy"][1].update(loss=None),
        lambda stored: stored["orders"]["greedy"][0].pop("exact_match"),
    ],
)
def test_a_damaged_file_is_refused_by_its_name(run, curves, damage):
    store_pruning(run, curves)
    stored = json.loads((run.path / PRUNING).read_text())
    damage(stored)
    (run.path / PRUNING).write_text(json.dumps(stored))
    with pytest.raises(RunError, match="pruning.json is damaged"):
        stored_pruning(run, N)


def test_curves_that_are_stored_are_read(run, curves):
    assert stored_pruning(run, N) == {}
    store_pruning(run, curves)
    assert stored_pruning(run, N) == curves
    assert [each.name for each in run.path.glob(".*pruning*")] == []
