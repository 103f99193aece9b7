"""A short training of every variant of the experiments about norms, scores, memory and distance."""

from dataclasses import replace

import pytest

from core.runs.run import load_run
from core.studies.experiments import EXPERIMENTS, measuring, running
from core.studies.experiments.experiment import BASE
from core.studies.experiments.results import Results
from tests.core.studies.experiments.test_running import SMALL, few

__all__ = ["few"]
ASKED = ("norms", "linear", "memory", "distance")
CASES = [
    (name, variant.name)
    for name in ASKED
    for variant in EXPERIMENTS[name].variants
    if variant.name != BASE
]


@pytest.mark.parametrize(("name", "variant"), CASES)
def test_it_learns_beside_the_base_and_is_measured(tmp_path, monkeypatch, name, variant):
    monkeypatch.setattr(measuring, "N_DIFFERENTIATED", 5)
    experiment = EXPERIMENTS[name]
    asked = replace(
        experiment,
        variants=(experiment.variants[0], experiment.variant(variant)),
        task="copy",
        settings={**SMALL, "n_encoder_layers": 2, "n_decoder_layers": 2},
    )
    list(running.run_experiment(asked, tmp_path, 1))
    results = Results.load(tmp_path / f"{name}.json")
    for each in results.trained:
        assert len(each.curve["loss"]) == 2
        assert each.curve["loss"][1] != each.curve["loss"][0]
        assert bool(each.by_distance) == (name == "distance")
        if each.by_distance:
            assert [distance for distance, *_ in each.by_distance] == list(
                range(len(each.by_distance))
            )
            assert each.by_distance[0][2] == 1
    kept = load_run(running.run_of(tmp_path, asked.variants[1]))
    changes = experiment.variant(variant).changes
    found = kept.settings.model.to_dict() | {"warmup": kept.settings.training.warmup}
    assert {setting: found[setting] for setting in changes} == dict(changes)
    assert Results.load(tmp_path / f"{name}.json") == results
