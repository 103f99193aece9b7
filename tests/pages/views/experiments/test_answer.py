import json
import re
from urllib.parse import parse_qs

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import what_came_out
from core.studies.experiments.results import SHIPPED, Results
from pages.frame.language import number

RESIDUALS = EXPERIMENTS["residuals"]


def results_of(name):
    return Results.load(SHIPPED / f"{name}.json")


def test_all_questions_are_offered(open_experiment):
    at, _shown, _said = open_experiment("nonsense", outcome="none")
    asked = at.selectbox(key="experiment")
    assert asked.value == "bottleneck" and len(asked.options) == len(EXPERIMENTS) == 20
    assert asked.options[0] == "Can one vector hold a sentence?"
    assert "There is no view named none" in "".join(each.value for each in at.caption)


def test_what_came_out_is_said_with_interval_and_n_as_on_the_command_line(open_experiment):
    at, _shown, said = open_experiment("residuals", unfolded=True)
    results = results_of("residuals")
    for line in what_came_out(RESIDUALS, results):
        assert (
            line.replace("-", "−").replace("no feed−", "no feed-").replace("0.0 %", "0 %") in said
        )
    assert RESIDUALS.claim in said
    [table] = at.dataframe
    assert list(table.value["variant"]) == [each.label for each in RESIDUALS.variants]
    means = [100 * results.estimate(each.name).mean for each in RESIDUALS.variants]
    assert list(table.value["right"]) == pytest.approx(means)
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    assert "mean of 3 trainings of each, 95 % interval" in json.dumps(spec["title"])
    # A ring for each training.
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["bar", "rule", "rule", "point", "point", "text"]


def test_a_question_that_was_not_run_says_so_and_offers_to(open_experiment, own_runs, monkeypatch):
    monkeypatch.setattr("pages.views.experiments.question.SHIPPED", own_runs)
    at, shown, said = open_experiment("residuals")
    assert shown is None
    assert "This experiment was not run yet." in said
    assert at.button(key="experiment_start").label == "Run it here"


def test_damaged_results_are_said_and_the_page_goes_on(open_experiment, own_runs, ran_here):
    (ran_here / "residuals.json").write_text("{}")
    _at, shown, said = open_experiment("residuals")
    assert "Results of this question cannot be read" in said
    assert str(own_runs) not in said
    assert shown is not None


def test_where_it_was_run_here_too_one_chooses_whose_trainings_are_shown(open_experiment, ran_here):
    at, shown, _said = open_experiment("residuals")
    assert 'Path("gallery/experiments/residuals.json")' in shown.recipe.python()
    at.segmented_control(key="experiment_run").set_value("here").run()
    _at, shown, _said = open_experiment("residuals", experiment_run="here")
    assert 'residuals/residuals.json")' in shown.recipe.python()
    assert "gallery" not in shown.recipe.python()


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        (
            "bottleneck",
            "**No: one vector loses long sentences, attention to every word does not.** "
            "“Transformer” gets 99.6 % of 2,000 held-out rows of letters right. “GRU, one vector” "
            "(40.8 %) does worse. The claim holds.",
        ),
        (
            "residuals",
            "**Neither the residual connections nor the norm; whether the feed-forward layer can "
            "is not certain.** “full layer” gets 63.1 % of 2,000 held-out sentences of the grammar "
            "right. “no residual” (0 %) and “no norm” (54.1 %) do worse. “no feed-forward” "
            "(58.1 %) may differ by chance. The claim holds in part.",
        ),
        ("mixing", "**This task cannot tell.** These sentences need no mixing in the encoder, "),
        (
            "order",
            "**Yes: without positions it does worse. Rotary and relative positions do at least as "
            "well as added sinusoids.** “sinusoids added” gets 63.1 %",
        ),
        (
            "forcing",
            "**The true words: fed its own, it does not go on better after a mistake.** Tokens "
            "right after a forced mistake: “teacher forcing” 49.9 %. “scheduled sampling, up to "
            "50 %” (48.5 %) does no better. The claim does not hold.",
        ),
        (
            "guide",
            "**Not certain: 3 trainings of each are too few to tell.** Steps to 95 % exact match: "
            "“no guide” 466.7. “a head of the last layer guided” (491.7) and “a head of the first",
        ),
    ],
)
def test_the_question_is_answered_in_words_first(open_experiment, name, verdict):
    _at, shown, _said = open_experiment(name)
    assert shown.seen.replace("\u00a0", " ").startswith(verdict)


def test_a_variant_with_another_learning_rate_is_not_compared(open_experiment):
    _at, shown, said = open_experiment("norms")
    assert "no warm-up" not in shown.seen
    assert "Not compared: the learning rate is 14 times as high." in said
    spec = shown.pictures[0].chart.to_dict()
    rows = next(rows for rows in spec["datasets"].values() if "note" in rows[0])
    assert [row["name"] for row in rows if row["note"] == "not compared"] == [
        "LayerNorm before, no warm-up",
        "LayerNorm after, no warm-up",
    ]


def test_the_measure_that_a_claim_is_about_is_drawn_and_said(open_experiment):
    guide, results = EXPERIMENTS["guide"], results_of("guide")
    at, shown, _said = open_experiment("guide")
    means = [results.estimate(each.name, "steps_to_learn").mean for each in guide.variants]
    for each, mean in zip(guide.variants, means, strict=True):
        assert re.search(rf"“{each.label}” \(?{number(mean, 1)}", shown.seen)
    # What the claim is about comes first.
    [table] = at.dataframe
    assert list(table.value)[1] == "steps to 95 % exact match"
    assert list(table.value["steps to 95 % exact match"]) == pytest.approx(means)
    at.selectbox(key="experiment_drawn_guide").set_value("exact_match").run()
    [chart] = at.get("vega_lite_chart")
    assert "Held-out sentences without a mistake" in chart.proto.spec
    [line] = [each.value for each in at.markdown if "**What you see:**" in each.value]
    assert "held-out rows of letters right, " in line and "Not certain" not in line


def test_what_passes_bring_is_drawn_by_the_same_chart_and_stands_in_the_same_table(
    open_experiment,
):
    results = results_of("parallel")
    at, shown, said = open_experiment("parallel", experiment_drawn_parallel="right_1")
    spec = shown.pictures[0].chart.to_dict()
    assert spec["title"].startswith("Right after 1 pass: mean of 3 trainings of each")
    rows = next(rows for rows in spec["datasets"].values() if "note" in rows[0])
    variants = ("parallel", "parallel_length", "parallel_one")
    means = [results.estimate(each, "right_1").mean for each in variants]
    assert [row["value"] for row in rows] == pytest.approx(means)
    [table] = at.dataframe
    assert table.value["right after 1 pass"].iloc[1] == pytest.approx(100 * means[0])
    assert "seconds a sentence, 1 pass" in table.value


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("copying", {"pointer, names share a vector": "copying"}),
        (
            "bottleneck",
            {"GRU, one vector": "bottleneck-fixed", "GRU with attention": "bottleneck-attention"},
        ),
        ("heads", {"1 head": "heads-one"}),
    ],
)
def test_variants_open_as_the_runs_that_there_are_of_them(open_experiment, another, name, links):
    another("heads-sixteen")
    at, _shown, _said = open_experiment(name)
    opened = [each.proto for each in at.get("page_link") if each.proto.label.startswith("Open")]
    found = {each.label: parse_qs(each.query_string)["model"] for each in opened}
    own = {"Open “16 heads”": ["runs/heads-sixteen"]} if name == "heads" else {}
    assert found == {f"Open “{label}”": [run] for label, run in links.items()} | own
