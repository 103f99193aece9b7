from dataclasses import replace

import pytest

from core.batch import pad
from core.decoding.generate import generate
from core.decoding.mask_predict import MaskPredict
from core.decoding.targets import generate_targets
from core.evaluate.evaluation import held_out_pairs
from core.runs.settings import read_settings
from core.studies.experiments import measuring, passes, running
from core.studies.experiments.experiment import BASE, Experiment, Variant
from core.studies.experiments.findings import measured_in_words, what_came_out
from core.studies.experiments.passes import PASSES, SECONDS, SHARES, by_passes
from core.studies.experiments.results import Results
from tests.core.conftest import draw_few
from tests.core.studies.experiments.test_results import ONE
from tests.core.studies.experiments.test_running import SMALL

QUESTION = Experiment(
    name="both",
    question="Is it needed?",
    claim="It is.",
    source="nowhere",
    variants=(
        Variant(BASE, "one by one"),
        Variant("parallel", "all at once", {"decoder": "parallel"}, task="copy"),
    ),
    task="either",
    settings=SMALL,
    by_passes=True,
)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    draw_few(monkeypatch)
    monkeypatch.setattr(passes, "N_MEASURED", 20)
    monkeypatch.setattr(passes, "N_TIMED", 2)
    monkeypatch.setattr(measuring, "N_MEASURED", 20)


def test_a_parallel_decoder_is_measured_with_each_number_of_passes(parallel_run):
    found = by_passes(parallel_run)
    pairs = held_out_pairs(parallel_run, 20, 0)
    for n in PASSES:
        said = [
            generate(parallel_run.model, pad([pair.source]), MaskPredict(n))[0] for pair in pairs
        ]
        right = sum(pair.is_right(one) for pair, one in zip(pairs, said, strict=True))
        assert found[f"right_{n}"] == right / len(pairs)
        assert found[f"seconds_{n}"] > 0
    assert set(found) == {f"{what}_{n}" for what in ("right", "seconds") for n in PASSES}


def test_a_causal_decoder_makes_a_pass_for_each_token(copy_run):
    found = by_passes(copy_run)
    pairs = held_out_pairs(copy_run, 20, 0)
    said = generate_targets(copy_run.model, pairs, copy_run.tokenizer)
    right = sum(one == pair.target[1:] for pair, one in zip(pairs, said, strict=True))
    assert found["right_steps"] == right / len(pairs)
    assert set(found) == {"right_steps", "seconds_steps"}
    assert set(found) < {each.name for each in (*SHARES, *SECONDS)}


def test_variants_may_learn_different_tasks_and_are_measured_as_the_experiment_says(tmp_path):
    list(running.run_experiment(QUESTION, tmp_path, 1))
    found = Results.load(tmp_path / "both.json")
    [base], [parallel] = found.of(BASE), found.of("parallel")
    assert set(base.measures) == {"right_steps", "seconds_steps"}
    assert set(parallel.measures) > {"right_1", "right_8", "seconds_8"}
    runs = tmp_path / "runs"
    assert read_settings(runs / "base-0").task == "either"
    assert read_settings(runs / "parallel-0").task == "copy"
    # Rows of `either` have 6 letters at least, those of `copy` 4.
    assert min(length for length, *_ in base.by_length) >= 6
    assert sum(n for _, n, _ in parallel.by_length) == 20


def test_further_measures_are_said_with_interval_and_seeds():
    trained = [
        replace(ONE, variant=name, seed=seed, measures=by_name)
        for name, of_seeds in {
            BASE: [{"right_steps": 0.9, "seconds_steps": 0.0171}],
            "parallel": [
                {"right_1": share, "right_4": share + 0.1, "seconds_1": 0.002}
                for share in (0.1, 0.2, 0.3)
            ],
        }.items()
        for seed, by_name in enumerate(of_seeds)
    ]
    found = Results("both", tuple(trained))
    assert measured_in_words(QUESTION, found) == [
        "one by one: right sentences after a pass for each token 90.0 % (one seed: no interval).",
        "one by one: milliseconds for a sentence, in the fastest training: a pass for each token "
        "17.1.",
        # 0.1 × t(2, 0.975) / √3 = 0.248.
        "all at once: right sentences after 1 pass 20.0 % (0.0 % to 44.8 %), 4 passes 30.0 % "
        "(5.2 % to 54.8 %) (95 % intervals; 3 seeds).",
        "all at once: milliseconds for a sentence, in the fastest training: 1 pass 2.0.",
    ]
    assert what_came_out(QUESTION, found)[-4:] == measured_in_words(QUESTION, found)
    # What is missing of one training is not said of the others.
    some = replace(trained[1], measures={"right_1": 0.1})
    found = Results("both", (trained[0], some, *trained[2:]))
    assert found.measured("parallel", "right_4") is None
    assert found.measured("parallel", "right_1").mean == pytest.approx(0.2)
