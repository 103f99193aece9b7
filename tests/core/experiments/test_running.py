import json
from dataclasses import replace

import pytest

from core.analysis.effects import silencing
from core.evaluate import evaluation
from core.experiments import running
from core.experiments.experiment import BASE, Experiment, Variant
from core.experiments.results import Results, Trained
from core.runs.run import load_run
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


@pytest.fixture(autouse=True)
def few(monkeypatch):
    draw_few(monkeypatch)
    monkeypatch.setattr(running, "N_MEASURED", 30)


def ran(out, seeds=2):
    return list(running.run_experiment(TINY, out, seeds, "a command"))


def test_every_variant_is_trained_with_every_seed_and_measured(tmp_path):
    steps = ran(tmp_path)
    assert {(each.variant.name, each.seed) for each in steps} == {
        (name, seed) for name in (BASE, "less") for seed in (0, 1)
    }
    assert [each.done for each in steps if not each.steps] == [1, 2, 3, 4]
    found = Results.load(tmp_path / "tiny.json")
    assert found.seeds == (0, 1)
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


def test_lengths_add_up_to_exact_match(tmp_path):
    ran(tmp_path, seeds=1)
    run = load_run(tmp_path / "runs" / "base-0")
    pairs = evaluation.held_out_pairs(run, 30, 0)
    right = silencing.Silenceable(run.model, pairs).figures().right_N
    [trained] = Results.load(tmp_path / "tiny.json").of(BASE)
    assert sum(each for *_, each in trained.by_length) == right.sum()
    for length, n, _ in trained.by_length:
        assert n == sum(len(pair.source) - 1 == length for pair in pairs)


def test_what_is_finished_is_not_trained_again(tmp_path):
    ran(tmp_path, seeds=1)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*-0.json")}
    steps = ran(tmp_path, seeds=2)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*-0.json")} == before
    assert {each.seed for each in steps if each.steps} == {1}


def test_a_stopped_training_goes_on_where_it_was(tmp_path):
    whole = tmp_path / "whole"
    ran(whole, seeds=1)
    stopped = running.run_experiment(TINY, tmp_path / "stopped", 1, "a command")
    for step in stopped:
        if step.step == 4:
            stopped.close()
            break
    going_on = [each.step for each in ran(tmp_path / "stopped", seeds=1) if each.steps]
    assert going_on[0] == 5
    one, other = (
        json.loads((folder / "base-0.json").read_text()) for folder in (whole, tmp_path / "stopped")
    )
    for each in (one, other):
        # A row tells the mean loss since the row before, or since training went on.
        del each["seconds"], each["curve"]
    assert one == other


def test_settings_that_do_not_go_together_are_refused_before_anything_is_made(tmp_path):
    odd = replace(TINY, settings=SMALL | {"n_heads": 3})
    with pytest.raises(ValueError, match="n_heads"):
        list(running.run_experiment(odd, tmp_path / "odd", 1))
    assert not (tmp_path / "odd" / "runs" / "base-0").exists()


def test_a_variant_becomes_a_run_among_the_others(tmp_path):
    ran(tmp_path / "out", seeds=1)
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


def test_the_time_said_before_is_that_of_the_results_that_ship(tmp_path):
    assert running.expected_seconds(TINY, 3, tmp_path) is None
    trained = Trained("base", 0, 1, 10.0, 1, 0.5, 1.0, None, 0, ())
    Results("other", (trained, replace(trained, seconds=30.0))).save(tmp_path / "other.json")
    # Of others, as long as its own are not there.
    assert running.expected_seconds(TINY, 3, tmp_path) == pytest.approx(3 * 2 * 20)
    Results("tiny", (replace(trained, seconds=5.0),)).save(tmp_path / "tiny.json")
    assert running.expected_seconds(TINY, 1, tmp_path) == pytest.approx(2 * 5)


def test_lengths_that_training_never_draws_are_measured_too(tmp_path):
    beyond = replace(TINY, beyond=(18, 24))
    list(running.run_experiment(beyond, tmp_path, 1))
    for each in Results.load(tmp_path / "tiny.json").trained:
        n_of = {length: n for length, n, _right in each.by_length}
        assert {18: n_of[18], 24: n_of[24]} == dict.fromkeys((18, 24), running.N_BEYOND)
        assert sum(n for length, n in n_of.items() if length <= 16) == 30
