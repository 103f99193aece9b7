"""Heads silenced one after the other, and the file that keeps what came out."""

import json
import shutil

import pytest
import torch

from core.evaluate.evaluation import held_out_pairs
from core.jobs import process as work
from core.runs.files import PRUNING as FILE
from core.runs.run import RunError, load_run
from core.studies.effects import pruning
from core.studies.effects.head_effects import Silenceable
from core.studies.effects.pruning import (
    PRUNING,
    PruningPoint,
    greedy_pruning,
    heads_needed,
    pruning_curve,
    store_pruning,
)
from core.studies.heads.question import heads_of


def test_greedy_silences_each_time_the_head_without_which_the_loss_is_lowest(copy_run):
    points = list(filter(None, greedy_pruning(copy_run, 4, seed=1)))
    silenceable = Silenceable(copy_run.model, held_out_pairs(copy_run, 4, 1))
    heads = heads_of(copy_run.model)
    assert sorted(point.removed for point in points[1:]) == sorted(heads)
    assert [point.n_left for point in points] == list(range(len(heads), -1, -1))
    silent = []
    for point in points[1:]:
        left = [head for head in heads if head not in silent]
        losses = {head: silenceable.figures([*silent, head]).loss for head in left}
        assert losses[point.removed] == min(losses.values()) == point.loss
        silent.append(point.removed)
    assert {point.n for point in points} == {4}


def curve(*shares):
    last = len(shares) - 1
    return [PruningPoint(None, last - i, share, 0.0, 100) for i, share in enumerate(shares)]


def test_heads_needed_are_those_left_before_the_first_fall():
    points = curve(0.90, 0.91, 0.895, 0.80, 0.89, 0.5)
    assert heads_needed(points, tolerance=0.0101) == 3
    assert heads_needed(points, tolerance=0.006) == 3
    assert heads_needed(points, tolerance=0.0) == 4
    assert heads_needed(points, tolerance=0.5) == 0


def test_heads_are_pruned_in_the_background_and_the_curve_is_kept(copy_folder, tmp_path):
    path = shutil.copytree(copy_folder, tmp_path / "run")
    before = {each.name for each in path.iterdir()}
    assert work.main(PRUNING, pruning._process, [str(path), "2"]) == 0
    run = load_run(path)
    assert pruning_curve(run, 2).points == tuple(filter(None, greedy_pruning(run, 2)))
    assert {each.name for each in path.iterdir()} - before == {FILE}


# ---- pruning.json

N = 4


@pytest.fixture
def run(translation_folder, tmp_path):
    return load_run(shutil.copytree(translation_folder, tmp_path / "run"))


@pytest.fixture(scope="module")
def points(translation_run):
    return tuple(filter(None, greedy_pruning(translation_run, N)))


def test_curves_over_other_sentences_or_of_other_weights_are_not_used(run, points):
    store_pruning(run, points)
    assert pruning_curve(run, N + 1).points == ()
    with torch.no_grad():
        next(run.model.parameters()).view(-1)[0] += 1
    assert pruning_curve(run, N).points == ()


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored.update(orders=[1]),
        lambda stored: stored.update(n="4"),
        lambda stored: stored["orders"]["greedy"].pop(),
        lambda stored: stored["orders"]["greedy"][1].update(removed="encoder.9.self:0"),
        lambda stored: stored["orders"]["greedy"][0].pop("exact_match"),
    ],
)
def test_a_damaged_file_is_refused_by_its_name(run, points, damage):
    store_pruning(run, points)
    stored = json.loads((run.path / FILE).read_text())
    damage(stored)
    (run.path / FILE).write_text(json.dumps(stored))
    with pytest.raises(RunError, match="pruning.json is damaged"):
        pruning_curve(run, N)
