from dataclasses import replace

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import Expected

RIGHT = "Right, of 2,000 held-out sentences of the grammar:"
ROWS_RIGHT = "Right, of 2,000 held-out rows of letters:"
TOO_FEW = "**Undecided**: 3 trainings of each are too few to tell."


def test_every_question_is_offered_in_the_order_of_a_course(open_experiment):
    at, _shown, _said = open_experiment("heads")
    asked = at.selectbox(key="experiment")
    assert asked.options == [each.question for each in EXPERIMENTS.values()]
    assert asked.value == "heads"


def test_where_it_was_run_here_too_one_chooses_whose_trainings_are_shown(open_experiment, ran_here):
    at, shown, _said = open_experiment("residuals")
    assert "gallery/experiments/residuals.json" in shown.snippet()
    at.segmented_control(key="experiment_run").set_value("here").run()
    assert not at.exception
    _at, shown, _said = open_experiment("residuals", experiment_run="here")
    assert "runs/.experiments/residuals/residuals.json" in shown.snippet()


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("bottleneck", f"**Borne out.** {ROWS_RIGHT} Transformer **99.6 %** · "),
        (
            "residuals",
            f"**Borne out in part.** {RIGHT} full layer **63.1 %** · no residual **0 %** "
            "(claimed lower: it is)",
        ),
        ("mixing", "**Not judged.** These sentences do not test it: "),
        (
            "norms",
            "**Borne out in part.** Not judged, since their peak learning rate is 14 times the "
            "others’: LayerNorm before, no warm-up; LayerNorm after, no warm-up.",
        ),
        ("guide", f"{TOO_FEW} Steps to 95 % exact match: no guide **467** · "),
    ],
)
def test_whether_it_came_out_as_claimed_is_said_first(open_experiment, name, verdict):
    _at, shown, _said = open_experiment(name)
    assert shown.seen.replace("\u00a0", " ").startswith(verdict)


def test_a_refuted_variant_says_by_how_much(open_experiment):
    _at, shown, _said = open_experiment("projections")
    assert (
        "queries = keys **57.0 %** (claimed as good: **it is not**, 2.2 to 10.1 points lower)"
        in (shown.seen.replace("\u00a0", " "))
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "heads",
            "1 head **60.0 %** (claimed lower: undecided) · 2 heads **61.2 %** (nothing claimed) · "
            "8 heads **62.8 %** (nothing claimed) · 16 heads **62.8 %** (claimed lower: **it is "
            "not**, at most 3.8 points lower).",
        ),
        ("norms", "LayerNorm before, no warm-up **0 %** (claimed as good: not judged)"),
    ],
)
def test_beside_a_variant_stands_what_is_claimed_of_it(open_experiment, name, said):
    _at, shown, _said = open_experiment(name)
    assert said in shown.seen.replace("\u00a0", " ")


def test_what_no_variant_bears_out_is_not_as_claimed(open_experiment, monkeypatch):
    asked = EXPERIMENTS["bottleneck"]
    turned = [replace(each, expected=each.expected and Expected.MORE) for each in asked.variants]
    monkeypatch.setitem(EXPERIMENTS, "bottleneck", replace(asked, variants=tuple(turned)))
    _at, shown, _said = open_experiment("bottleneck")
    assert shown.seen.startswith("**Refuted.**")
