import json

import numpy as np
import pytest

from core.evaluate.evaluation import held_out_pairs
from core.evaluate.exposure import exposure, held_out_exposure, overall
from core.runs.run import load_run
from pages.frame.language import plain
from pages.views.lessons import exposure as exposure_view
from tests.pages.conftest import ROOT


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr("pages.views.lessons.exposure.FEW", 12)


def test_exposure_bias_is_measured_on_a_few_sentences_and_on_many_on_request(open_lesson):
    at, shown = open_lesson("exposure", model="copy")
    assert len(at.get("vega_lite_chart")) == 1
    assert max(shown.columns()["targets"]) == 60
    at.segmented_control(key="exposure_samples").set_value(400).run()
    assert not at.exception
    assert any("400 held-out rows of letters" in each.value for each in at.markdown)
    assert not shown.other_model
    columns = shown.columns()
    n = np.array(columns["targets"])
    forced, free = (
        100 * np.average(columns[name], weights=n) for name in ("true_words_fed", "own_words_fed")
    )
    assert f"of {n.sum():,} tokens right" in shown.seen
    assert f"**{forced - free:.1f}** points less" in shown.seen


def test_it_opens_on_a_model_that_still_makes_mistakes_and_names_it(open_lesson):
    _at, shown = open_lesson("exposure", model="everyday")
    assert "**translate&#45;guided**" in shown.other_model
    assert "everyday" in shown.other_model
    path, n = ROOT / "gallery" / "translate-guided", 60
    gaps = {}
    for step in (100, 200):
        found = overall(held_out_exposure(load_run(path, step), n).positions)
        gaps[step] = 100 * (found.forced - found.free)
    assert gaps[200] > gaps[100]
    assert "After 200 of 5&#44;000 training steps" in shown.seen
    assert f"**{gaps[200]:.1f}** points less" in shown.seen


def test_positions_that_few_targets_reach_are_left_out_of_the_chart_alone(open_lesson):
    _at, shown = open_lesson("exposure")
    targets = shown.columns()["targets"]
    assert min(targets) < exposure_view.FEWEST_TARGETS
    chart = json.loads(shown.pictures[0].drawn_chart().to_json())
    drawn = {row["x"] for rows in chart["datasets"].values() for row in rows}
    assert len(drawn) == sum(n >= exposure_view.FEWEST_TARGETS for n in targets)


def test_exposure_bias_stands_beside_that_of_another_run_of_the_task(open_lesson, own_runs, few):
    at, _shown = open_lesson("exposure", model="translate", exposure_stage="end")
    # Runs of other tasks would be measured on other sentences.
    of_task = ["none", "translate-guided", "heads-one", "residuals-no_feed_forward"]
    assert at.selectbox(key="exposure_beside").options == of_task
    at.selectbox(key="exposure_beside").set_value("translate-guided").run()
    assert not at.exception
    told = [text.value for text in at.markdown if "The exposure bias is no larger" in text.value]
    assert len(told) == 1
    for name in ("this run", "translate-guided"):
        found = overall(exposure(*measured(name.replace("this run", "translate"))))
        line = next(line for line in told[0].split("\n") if plain(name).lower() in line.lower())
        assert f"of {found.n:,} tokens right" in line
        assert f"**{100 * (found.forced - found.free):.1f}** points".replace("-", "−") in line


def measured(name):
    run = load_run(ROOT / "gallery" / name)
    return run.model, held_out_pairs(run, 12, seed=0)
