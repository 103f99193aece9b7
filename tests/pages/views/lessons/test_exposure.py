import json

import numpy as np
import pytest

from core.evaluate.exposure import held_out_exposure, overall
from core.runs.run import load_run
from pages.frame.language import percent_of_100
from pages.views.lessons import exposure as exposure_view
from tests.pages.conftest import ROOT, said


@pytest.mark.slow
def test_it_opens_on_a_model_that_still_makes_mistakes_and_names_it(open_lesson):
    at, shown = open_lesson("exposure", model="everyday")
    assert "**translate&#45;guided**" in shown.other_model
    found = {
        step: overall(
            held_out_exposure(load_run(ROOT / "gallery" / "translate-guided", step), 60).positions
        )
        for step in (100, 200)
    }
    gaps = {step: each.forced - each.free for step, each in found.items()}
    assert gaps[200] > gaps[100]
    assert "after 200 of 5,000 training steps" in shown.seen
    assert "One mistake leads to the next" in shown.seen
    assert f"**{percent_of_100(100 * found[200].forced, 1)}**" in shown.seen
    assert f"at most this gap of {100 * gaps[200]:.1f} points" in said(at)
    # Positions that few targets reach are left out of the chart alone.
    targets = shown.columns()["targets"]
    assert min(targets) < exposure_view.FEWEST_TARGETS
    chart = json.loads(shown.pictures[0].drawn_chart().to_json())
    drawn = {row["x"] for rows in chart["datasets"].values() for row in rows}
    assert len(drawn) == sum(n >= exposure_view.FEWEST_TARGETS for n in targets)


@pytest.mark.slow
def test_a_model_at_the_end_of_its_training_is_measured_itself(open_lesson):
    _at, shown = open_lesson("exposure", model="copy", exposure_stage="end")
    assert not shown.other_model
    columns = shown.columns()
    forced, free = (
        np.average(columns[name], weights=columns["targets"])
        for name in ("true_words_fed", "own_words_fed")
    )
    assert "One mistake hardly leads to others" in shown.seen
    for share in (forced, free):
        assert f"**{percent_of_100(100 * share, 1)}**" in shown.seen
