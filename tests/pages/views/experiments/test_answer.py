import json
import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import what_came_out
from core.studies.experiments.results import SHIPPED, Estimate, Results
from pages.frame.texts import toml

RESIDUALS = EXPERIMENTS["residuals"]


def results_of(name):
    return Results.load(SHIPPED / f"{name}.json")


def test_all_questions_are_offered(open_experiment):
    at, _shown, _said = open_experiment("nonsense", outcome="none")
    asked = at.selectbox(key="experiment")
    assert asked.value == "bottleneck" and len(asked.options) == len(EXPERIMENTS) == 20
    assert asked.options[0] == "Can one vector hold a sentence?"


def test_what_came_out_is_said_with_interval_and_n_as_on_the_command_line(open_experiment):
    at, _shown, said = open_experiment("residuals", unfolded=True)
    results = results_of("residuals")
    for line in what_came_out(RESIDUALS, results):
        assert (
            line.replace("-", "−").replace("no feed−", "no feed-").replace("0.0 %", "0 %") in said
        )
    assert RESIDUALS.claim in said
    [table] = at.dataframe
    trained = [each for each in RESIDUALS.variants if results.of(each.name)]
    assert list(table.value["variant"]) == [each.label for each in trained]
    means = [100 * results.estimate(each.name).mean for each in trained]
    assert list(table.value["right"]) == pytest.approx(means)
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    assert "mean of 3 trainings of 1,200 steps" in json.dumps(spec["title"])
    # A ring for each training.
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["bar", "rule", "rule", "point", "point", "text", "text"]


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
    assert 'GALLERY / "experiments/residuals.json"' in shown.recipe.python()
    at.segmented_control(key="experiment_run").set_value("here").run()
    _at, shown, _said = open_experiment("residuals", experiment_run="here")
    assert 'residuals/residuals.json")' in shown.recipe.python()
    assert "GALLERY" not in shown.recipe.python()


def test_another_question_opens_on_its_answer(open_experiment):
    at, _shown, _said = open_experiment("order", outcome="learning", experiment_measure="loss")
    at.selectbox(key="experiment").set_value("residuals").run()
    assert at.segmented_control(key="outcome").value == "answer"
    at.segmented_control(key="outcome").set_value("learning").run()
    assert at.segmented_control(key="experiment_measure").value == "held_out_exact_match"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (
            "memory",
            [
                "**No: with the layer of the same depth it does as well**.",
                "But the first layer is not enough: 37.9 % of the rows are correct. Whether a "
                "learned mixture is enough is not certain.",
                "✓ borne out: “the layer of the same depth” does as well.",
                "✗ refuted: “the first layer” does worse.",
                "? undecided: “a learned mixture” may differ by chance.",
            ],
        ),
        (
            "norms",
            [
                "**Before the sublayer, LayerNorm, RMSNorm and BatchNorm do about equally well**.",
                "Without warm-up, at the usual learning rate, LayerNorm gets 76.0 % right before "
                "the sublayer and 0 % after it; at the rate that suits each best, 85.6 % and "
                "85.7 %.",
            ],
        ),
        (
            "depth",
            ["**Undecided: these results are older than today’s rules**."],
        ),
    ],
)
def test_the_question_is_answered_with_figures_and_then_each_part_of_the_claim(
    open_experiment, name, answer
):
    _at, shown, _said = open_experiment(name, outcome="answer")
    assert shown.seen.replace("\u00a0", " ").split("  \n")[: len(answer)] == answer


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_headline_of_an_answer_is_one_sentence(language):
    for answers in toml("answers", language).values():
        for words in answers.values():
            [headline, *_others] = words.split("\n")
            assert len(re.findall(r"[.。](?:\s|$)|。", headline)) == 1, headline


def test_in_chinese_the_answer_is_bold_where_a_sentence_follows_it(open_experiment):
    _at, shown, _said = open_experiment("norms", lang="zh_CN")
    # Bold text that ends with a Chinese full stop goes on to whatever letter follows.
    assert "**。" in shown.seen and "。**" not in shown.seen


def test_other_verdicts_than_the_shipped_ones_are_put_in_words(open_experiment, measured_here):
    shares = {"base": 0.6, "none": 0.2, "rotary": 0.4, "learned": 0.7}
    measured_here("order", {name: {"exact_match": share} for name, share in shares.items()})
    _at, shown, _said = open_experiment("order", experiment_run="here")
    assert shown.seen.split("  \n") == [
        "**The claim is borne out in part**.",
        "✓ borne out: “no positions” does worse; “learned table” does better.",
        "✗ refuted: “rotary” does worse.",
    ]


def rows_of(chart):
    """The rows of a chart of intervals, by their names."""
    rows = next(rows for rows in chart.to_dict()["datasets"].values() if "word" in rows[0])
    return {row["name"]: row for row in rows}


def test_a_word_beside_each_bar_says_how_it_compares_and_its_line_is_what_is_judged(
    open_experiment, measured_here
):
    shares = {"base": (0.5, 0.5), "rms": (0.5, 0.5), "none": (0.0, 0.0), "post": (0.48, 0.44)}
    folder = measured_here("norms", {name: {} for name in shares})
    stored = Results.load(folder / "norms.json")
    measured = [
        replace(each, exact_match=shares[each.variant][each.seed]) for each in stored.trained
    ]
    replace(stored, trained=tuple(measured)).save(folder / "norms.json")
    _at, shown, said = open_experiment("norms", experiment_run="here")
    rows = rows_of(shown.pictures[0].chart)
    assert [row["word"] for row in rows.values()] == ["", "as good", "nothing right", "unclear"]
    less = Estimate.of([0.02, 0.06])
    row = rows["LayerNorm after"]
    assert [row["low"], row["high"]] == pytest.approx([0.5 - less.high, 0.5 - less.low])
    # The first is compared with nothing.
    assert rows["LayerNorm before"]["low"] is None
    assert "as good: no part of the interval lies more than 5 points below" in said
    assert "unclear: the interval is too wide to tell" in said


def test_the_measure_that_a_claim_is_about_is_drawn_and_said(open_experiment):
    guide, results = EXPERIMENTS["guide"], results_of("guide")
    at, shown, _said = open_experiment("guide")
    means = [results.estimate(each.name, "steps_to_learn").mean for each in guide.variants]
    assert [row["value"] for row in rows_of(shown.pictures[0].chart).values()] == means
    # What the claim is about comes first.
    [table] = at.dataframe
    assert list(table.value)[1] == "steps to 95 % exact match"
    assert list(table.value["steps to 95 % exact match"]) == pytest.approx(means)
    at.selectbox(key="experiment_drawn_guide").set_value("exact_match").run()
    [chart] = at.get("vega_lite_chart")
    assert "Correct sentences: mean of 3 to 8 trainings of 900 steps" in chart.proto.spec
    [line] = [each.value for each in at.markdown if "**What you see:**" in each.value]
    assert line.replace("\u00a0", " ").endswith(
        "Correct sentences: lowest with “no guide” (99.95 %), highest with “a head of the last "
        "layer guided” (100 %)."
    )


@pytest.mark.parametrize(
    ("name", "links"),
    [
        # Those of the gallery that were trained otherwise say so.
        ("copying", {"“pointer, names share a vector”, trained for 850 steps": "copying"}),
        (
            "bottleneck",
            {
                "“GRU, one vector”": "bottleneck-fixed",
                "“GRU with attention”": "bottleneck-attention",
            },
        ),
        ("heads", {"“1 head”, trained for 800 steps": "heads-one"}),
    ],
)
def test_variants_open_as_the_runs_that_there_are_of_them(open_experiment, another, name, links):
    another("heads-sixteen")
    at, _shown, _said = open_experiment(name, outcome="answer")
    opened = [each.proto for each in at.get("page_link") if each.proto.label.startswith("Open")]
    found = {each.label: parse_qs(each.query_string)["model"] for each in opened}
    own = (
        {"Open “16 heads”, trained for 850 steps": ["runs/heads-sixteen"]}
        if name == "heads"
        else {}
    )
    assert found == {f"Open {label}": [run] for label, run in links.items()} | own
