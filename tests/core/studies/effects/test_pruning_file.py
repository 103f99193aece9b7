import json
import shutil

import pytest
import torch

from core.runs.run import RunError, load_run
from core.studies.effects.pruning import (
    BY_SCORE,
    GREEDY,
    greedy_pruning,
    pruning_by_score,
)
from core.studies.effects.pruning_file import PRUNING, store_pruning, stored_pruning
from core.studies.effects.silencing import every_head

N = 4


@pytest.fixture
def run(translation_folder, tmp_path):
    return load_run(shutil.copytree(translation_folder, tmp_path / "run"))


@pytest.fixture(scope="module")
def curves(translation_run):
    scores = {head: float(at) for at, head in enumerate(every_head(translation_run.model))}
    return {
        GREEDY: tuple(greedy_pruning(translation_run, N)),
        BY_SCORE: tuple(pruning_by_score(translation_run, scores, N)),
    }


def test_what_is_stored_is_read(run, curves):
    assert stored_pruning(run, N) == {}
    store_pruning(run, curves)
    assert stored_pruning(run, N) == curves
    assert [each.name for each in run.path.glob(".*pruning*")] == []


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
