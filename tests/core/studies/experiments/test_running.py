import json
import shutil
from dataclasses import replace

import pytest
import torch

from core.batch import pad
from core.decoding.generate import generate
from core.decoding.mask_predict import MaskPredict
from core.evaluate.evaluation import held_out_pairs
from core.runs.run import load_run
from core.runs.settings import read_settings
from core.studies.experiments import EXPERIMENTS, measures, running
from core.studies.experiments.experiment import BASE, Experiment, Variant
from core.studies.experiments.measures import PASS_MEASURES
from core.studies.experiments.results import Results
from tests.core.conftest import draw_few

SMALL = {
    **{"n_encoder_layers": 1, "n_decoder_layers": 1, "d_model": 16, "d_ff": 32, "n_heads": 2},
    **{"steps": 6, "batch_size": 8, "evaluate_every": 3, "checkpoint_every": 3, "vocab_size": 300},
    **{"warmup": 2, "cooldown": 2},
}
TINY = Experiment(
    name="tiny",
    question="Is it needed?",
    claim="It is.",
    source="nowhere",
    variants=(Variant(BASE, "all"), Variant("less", "less of it", {"feed_forward": False})),
    task="copy",
    settings=SMALL,
)


def train_and_measure_on_few(patch):
    draw_few(patch)
    patch.setattr(running, "N_MEASURED", 30)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    train_and_measure_on_few(monkeypatch)


def ran(out, seeds=2):
    return list(running.run_experiment(TINY, out, seeds, "a command"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of the experiment, run with one seed; a test that changes it copies it."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        train_and_measure_on_few(patch)
        ran(folder, seeds=1)
    return folder


def test_every_variant_is_trained_with_every_seed_and_measured(tmp_path):
    steps = ran(tmp_path)
    assert {(each.variant.name, each.seed) for each in steps} == {
        (name, seed) for name in (BASE, "less") for seed in (0, 1)
    }
    assert [each.done for each in steps if not each.steps] == [1, 2, 3, 4]
    found = Results.load(tmp_path / "tiny.json")
    assert [(each.variant, each.seed) for each in found.trained] == [
        (name, seed) for seed in (0, 1) for name in (BASE, "less")
    ]
    assert found.command == "a command"
    for each in found.trained:
        assert each.curve["step"] == [3, 6]
        assert sum(n for _, n, _ in each.by_length) == 30
        assert all(0 <= right <= n for _, n, right in each.by_length)
        lengths = [length for length, *_ in each.by_length]
        assert lengths == sorted(set(lengths))
    assert found.of(BASE)[0].parameters > found.of("less")[0].parameters
    # The first seed's runs stay, to be looked at.
    kept = load_run(tmp_path / "runs" / "less-0")
    assert kept.settings.model.feed_forward is False
    assert not (tmp_path / "runs" / "less-1").exists()


@pytest.mark.slow
def test_a_stopped_training_goes_on_where_it_was(finished, tmp_path):
    stopped = running.run_experiment(TINY, tmp_path / "stopped", 1, "a command")
    for step in stopped:
        if step.step == 4:
            stopped.close()
            break
    going_on = [each.step for each in ran(tmp_path / "stopped", seeds=1) if each.steps]
    assert going_on[0] == 5
    one, other = (
        json.loads((folder / "base-0.json").read_text())
        for folder in (finished, tmp_path / "stopped")
    )
    for each in (one, other):
        # A row tells the mean loss since the row before, or since training went on.
        del each["seconds"], each["curve"]
    assert one == other


def test_a_variant_becomes_a_run_among_the_others(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "out")
    runs = tmp_path / "runs"
    runs.mkdir()
    less = TINY.variant("less")
    kept = running.keep_run(tmp_path / "out", TINY, less, runs)
    assert kept == runs / "tiny-less"
    assert load_run(kept).settings.model.feed_forward is False
    written = kept.stat().st_mtime_ns
    assert running.keep_run(tmp_path / "out", TINY, less, runs) == kept
    assert kept.stat().st_mtime_ns == written
    assert [each.name for each in runs.iterdir()] == ["tiny-less"]
    with pytest.raises(OSError, match="No such file"):
        running.keep_run(tmp_path / "nowhere", TINY, less, tmp_path)


STARTING = replace(
    TINY,
    name="starting",
    variants=(
        Variant(BASE, "more", start="half"),
        Variant("half", "the start", {"steps": 4}),
        Variant("risk", "risk", {"objective": "minimum_risk", "samples": 2}, start="half"),
    ),
    measures=(measures.BLEU, measures.STEPS_TO_LEARN),
)


@pytest.mark.slow
def test_variants_start_from_the_weights_of_another_with_the_same_seed(tmp_path):
    steps = list(running.run_experiment(STARTING, tmp_path, 2))
    assert [(each.variant.name, each.seed) for each in steps if not each.steps] == [
        (name, seed) for seed in (0, 1) for name in ("half", BASE, "risk")
    ]
    half = load_run(tmp_path / "runs" / "half-0")
    for name in (BASE, "risk"):
        run = load_run(tmp_path / "runs" / f"{name}-0", 0)
        assert run.settings.start == "half-0, step 4"
        assert run.settings.command.count("--start half-0")
        # The model is not said again, for that cannot change.
        assert "d_model" not in run.settings.command
        assert "--steps 6" in run.settings.command
        for one, other in zip(run.model.parameters(), half.model.parameters(), strict=True):
            assert torch.equal(one, other)
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "base-0",
        "half-0",
        "risk-0",
    ]
    found = Results.load(tmp_path / "starting.json")
    assert all(set(each.measures) == {"bleu"} for each in found.trained)
    [risk, _] = found.of("risk")
    assert len(risk.curve["reward"]) == len(risk.curve["step"]) == 2
    assert "reward" not in found.of(BASE)[0].curve


@pytest.mark.slow
def test_lengths_that_training_never_draws_and_distances_are_measured_too(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "N_DIFFERENTIATED", 5)
    beyond = replace(TINY, beyond=(18, 24), by_distance=True)
    list(running.run_experiment(beyond, tmp_path, 1))
    for each in Results.load(tmp_path / "tiny.json").trained:
        n_of = {length: n for length, n, _right in each.by_length}
        assert {18: n_of[18], 24: n_of[24]} == dict.fromkeys((18, 24), running.N_BEYOND)
        assert sum(n for length, n in n_of.items() if length <= 16) == 30
        assert [at for at, *_ in each.by_distance] == list(range(len(each.by_distance)))
        assert each.by_distance[0][2] == 1


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, TINY.name, TINY)


@pytest.mark.slow
def test_an_experiment_tells_how_far_it_is_and_leaves_its_results(tmp_path, tiny):
    done = []
    for part in running.experiment_run(tmp_path, TINY.name, "1"):
        found = running.RUNNING.status(tmp_path)
        assert found.alive
        assert (found.done, found.of) == (part, 2 * running.PARTS)
        done.append(part)
    assert done == list(range(1, 2 * running.PARTS + 1))
    assert {each.seed for each in Results.load(tmp_path / "tiny.json").trained} == {0}
    assert running.RUNNING.status(tmp_path).state == "idle"


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


@pytest.mark.slow
def test_variants_may_learn_different_tasks_and_are_measured_with_each_number_of_passes(
    tmp_path, monkeypatch
):
    draw_few(monkeypatch)
    monkeypatch.setattr(measures, "N_MEASURED", 20)
    monkeypatch.setattr(measures, "N_TIMED", 2)
    monkeypatch.setattr(running, "N_MEASURED", 20)
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
    monkeypatch.setattr(measures, "N_MEASURED", 20)
    pairs = held_out_pairs(parallel_run, 20, 0)
    written = [
        generate(parallel_run.model, pad([each.source]), MaskPredict(1))[0] for each in pairs
    ]
    right = sum(pair.is_right(ids) for pair, ids in zip(pairs, written, strict=True))
    assert PASS_MEASURES[0].of(parallel_run) == right / len(pairs)
