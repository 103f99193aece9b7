from urllib.parse import parse_qs

import pytest

from core.runs.metrics import LONG
from tests.pages.conftest import said
from tests.pages.drawing import assert_computes
from tests.pages.views.training.runs_page import below, tick


@pytest.mark.slow
def test_the_python_computes_curves_and_settings_and_a_link_leads_to_the_heads(
    open_runs, own_runs, taken
):
    at = open_runs(runs=["translate-guided", "translate"])
    shown = taken[-1]
    numbers = shown.columns()
    assert tuple(numbers) == LONG
    assert_computes(shown.recipe.python(), numbers)
    assert set(numbers["what"]) == {"result", "setting", "measured"}
    [link] = [each.proto for each in at.get("page_link") if each.proto.label.startswith("Compare")]
    assert parse_qs(link.query_string) == {
        "view": ["maps"],
        "model": ["translate-guided"],
        "other": ["model"],
        "other_model": ["translate"],
    }


def test_compared_runs_show_only_settings_that_differ(open_runs, taken):
    at = open_runs(runs=["translate-guided", "translate"])
    seen = taken[-1].seen
    assert "differ in **guide (training rewards a head for looking from a pronoun at its " in seen
    # One sentence of 2,000 is no difference.
    assert "makes no measurable difference" in seen and "with “none” **98.75\xa0%**" in seen
    [row] = below(at, "translate-guided").to_dict("records")
    # What has the usual value is named, too.
    assert row == {
        "": "training.guide",
        "translate-guided": "encoder.2.self:0",
        "translate": "none",
    }


@pytest.mark.slow
def test_what_makes_a_comparison_unfair_is_said_first(open_runs, taken):
    open_runs(runs=["translate", "heads-one"])
    assert taken[-1].seen.startswith("They were trained for **different numbers of steps**")
    open_runs(runs=["translate", "copy"])
    assert taken[-1].seen.startswith("They learned **different tasks**")


def test_more_than_eight_runs_are_too_many(open_runs, another):
    names = [f"runs/{another(str(n)).name}" for n in range(9)]
    at = open_runs(runs=names)
    assert "9 models are ticked; 8 at most" in said(at)
    assert not at.get("vega_lite_chart")
    tick(at, *names[:8])
    assert at.get("vega_lite_chart")
