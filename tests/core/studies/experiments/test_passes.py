from core.batch import pad
from core.decoding.generate import generate
from core.decoding.mask_predict import MaskPredict
from core.evaluate.evaluation import held_out_pairs
from core.runs.settings import read_settings
from core.studies.experiments import measuring, passes, running
from core.studies.experiments.experiment import BASE, Experiment, Variant
from core.studies.experiments.passes import PASS_MEASURES
from core.studies.experiments.results import Results
from tests.core.conftest import draw_few
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
    measures=PASS_MEASURES,
)


def test_variants_may_learn_different_tasks_and_are_measured_with_each_number_of_passes(
    tmp_path, monkeypatch
):
    draw_few(monkeypatch)
    monkeypatch.setattr(passes, "N_MEASURED", 20)
    monkeypatch.setattr(passes, "N_TIMED", 2)
    monkeypatch.setattr(measuring, "N_MEASURED", 20)
    list(running.run_experiment(QUESTION, tmp_path, 1))
    found = Results.load(tmp_path / "both.json")
    [base], [parallel] = found.of(BASE), found.of("parallel")
    assert set(base.measures) == {"seconds_steps"}
    assert set(parallel.measures) == {"right_1", "right_2", "right_8", "seconds_1", "seconds_4"}
    runs = tmp_path / "runs"
    assert read_settings(runs / "base-0").task == "either"
    assert read_settings(runs / "parallel-0").task == "copy"
    # Rows of `either` have 6 letters at least, those of `copy` 4.
    assert min(length for length, *_ in base.by_length) >= 6
    assert sum(n for _, n, _ in parallel.by_length) == 20


def test_the_rows_right_after_a_pass_are_those_that_one_pass_writes(parallel_run, monkeypatch):
    draw_few(monkeypatch)
    monkeypatch.setattr(passes, "N_MEASURED", 20)
    pairs = held_out_pairs(parallel_run, 20, 0)
    written = [
        generate(parallel_run.model, pad([each.source]), MaskPredict(1))[0] for each in pairs
    ]
    right = sum(pair.is_right(ids) for pair, ids in zip(pairs, written, strict=True))
    assert PASS_MEASURES[0].of(parallel_run) == right / len(pairs)
