import json
from dataclasses import replace
from statistics import fmean

import pytest

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import after_mistake
from core.model import build
from core.runs.folder import RunFolder
from core.runs.run import load_run
from core.studies.experiments import measures
from tests.core.conftest import trained


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(measures, "N_FORCED", 20)


def test_steps_count_up_to_the_first_of_three_measurements_of_95_percent(few_samples, tmp_path):
    run = load_run(trained(tmp_path / "run", steps=2))
    assert measures.STEPS_TO_LEARN.of(run) is None
    shares = ((3, 0.95), (4, 0.9), (5, 0.95), (6, 1.0), (8, 0.96), (9, 0.9))
    for step, share in shares:
        RunFolder(run.path).add_metrics({"step": step, "held_out_exact_match": share})
        # Steps between measurements have no share.
        RunFolder(run.path).add_metrics({"step": step, "loss": 1.0})
    assert measures.STEPS_TO_LEARN.of(run) == 5


def test_the_others_are_those_of_the_model_on_held_out_sentences(translation_run):
    pairs = held_out_pairs(translation_run, 20, 0)
    found = measures.AFTER_MISTAKE.of(translation_run)
    assert found == after_mistake(translation_run.model, pairs)
    assert measures.TOKENS.of(translation_run) == fmean(len(each.target) - 1 for each in pairs)
    assert measures.BLEU.of(replace(translation_run, evaluation=None)) is None
    stored = json.loads(json.dumps({"bleu": 12.5}))
    assert measures.BLEU.of(replace(translation_run, evaluation=stored)) == 12.5


@pytest.mark.parametrize(("mixing", "apart"), [("gru", False), ("gru_two_way", True)])
def test_first_states_differ_only_where_a_reader_knows_what_comes_later(
    few_samples, tmp_path, mixing, apart
):
    run = load_run(trained(tmp_path / "run", task="define", steps=2))
    config = replace(run.model.config, encoder_mixing=mixing)
    found = measures.STATES_BEFORE.of(replace(run, model=build(config, seed=1).eval()))
    assert (found > 0.001) if apart else (found == 0.0)
