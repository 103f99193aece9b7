import json
import math
from collections import Counter
from urllib.parse import parse_qs

import pytest

from core.runs.run import load_run
from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.findings import what_came_out
from core.studies.experiments.results import SHIPPED, Results
from pages.frame.language import number, percent
from tests.pages.conftest import ROOT

RESIDUALS = EXPERIMENTS["residuals"]


@pytest.fixture
def results():
    return Results.load(SHIPPED / "residuals.json")


def test_what_came_out_is_said_with_interval_and_n_as_on_the_command_line(open_experiment, results):
    _at, shown, said = open_experiment("residuals", unfolded=True)
    for line in what_came_out(RESIDUALS, results):
        assert (
            line.replace("-", "−").replace("no feed−", "no feed-").replace("0.0 %", "0 %") in said
        )
    assert (
        "Right, of 2,000 held-out sentences of the grammar: full layer **63.1 %** · no residual"
        in said
    )
    assert "no feed-forward **58.1 %** (claimed lower: undecided)." in said
    assert RESIDUALS.claim in said
    assert shown.columns()["exact_match"] == [
        each.exact_match for variant in RESIDUALS.variants for each in results.of(variant.name)
    ]


def test_the_table_has_the_means_of_every_variant(open_experiment, results):
    at, _shown, _said = open_experiment("residuals")
    [table] = at.dataframe
    assert list(table.value["variant"]) == [each.label for each in RESIDUALS.variants]
    means = [100 * results.estimate(each.name).mean for each in RESIDUALS.variants]
    assert list(table.value["right"]) == pytest.approx(means)
    assert list(table.value["parameters"]) == [
        results.of(each.name)[0].parameters for each in RESIDUALS.variants
    ]


def test_the_chart_has_a_ring_for_each_training(open_experiment, results):
    at, _shown, _said = open_experiment("residuals")
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    assert "mean of 3 trainings of each, 95 % interval" in json.dumps(spec["title"])
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks == ["bar", "rule", "rule", "point", "point", "text"]


def test_a_question_that_was_not_run_says_so_and_offers_to(open_experiment, own_runs, monkeypatch):
    monkeypatch.setattr("pages.views.experiments.question.SHIPPED", own_runs)
    at, shown, said = open_experiment("residuals")
    assert shown is None
    assert "This experiment was not run yet." in said
    assert RESIDUALS.claim in said
    assert at.button(key="experiment_start").label == "Run it here"


def test_damaged_results_are_said_and_the_page_goes_on(open_experiment, own_runs, ran_here):
    (ran_here / "residuals.json").write_text("{}")
    _at, shown, said = open_experiment("residuals")
    assert "Results of this question cannot be read" in said
    assert str(own_runs) not in said
    assert shown is not None


def test_variants_that_are_among_the_runs_can_be_opened(open_experiment, another):
    another("residuals-no_norm")
    at, _shown, _said = open_experiment("residuals")
    links = [each.proto for each in at.get("page_link")]
    [opened] = [each for each in links if each.label == "Open “no norm”"]
    assert "model=runs%2Fresiduals-no_norm" in opened.query_string


def test_the_measure_that_a_claim_is_about_is_drawn_and_said(open_experiment):
    guide, results = EXPERIMENTS["guide"], Results.load(SHIPPED / "guide.json")
    at, shown, said = open_experiment("guide", unfolded=True)
    for each in guide.variants:
        mean = number(results.estimate(each.name, "steps_to_learn").mean, 1)
        assert f"- :small[{each.label}: steps to 95 % exact match {mean}" in said
        whole = number(results.estimate(each.name, "steps_to_learn").mean)
        assert f"{each.label} **{whole}**" in shown.seen
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    assert "Steps to 95 % exact match" in json.dumps(spec["title"])
    # What the claim is about comes first.
    assert list(at.dataframe[0].value)[1] == "steps to 95 % exact match"
    [table] = at.dataframe
    means = [results.estimate(each.name, "steps_to_learn").mean for each in guide.variants]
    assert list(table.value["steps to 95 % exact match"]) == pytest.approx(means)
    assert shown.columns()["steps_to_learn"] == [
        each.measures["steps_to_learn"]
        for variant in guide.variants
        for each in results.of(variant.name)
    ]
    at.segmented_control(key="experiment_drawn_guide").set_value("exact_match").run()
    assert not at.exception
    [chart] = at.get("vega_lite_chart")
    assert "Held-out sentences without a mistake" in chart.proto.spec
    [line] = [each.value for each in at.markdown if "**What you see**" in each.value]
    assert "Right, of " in line and "Undecided" not in line


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("parallel", "of “a b c d b e f g” right is “a b c d b e f g” or “g f e b d c b a”;"),
        ("copying", "right is “Kowalski donne le livre rouge à Zorblax”;"),
        ("bottleneck", "of “k d a f q z” right is “z q f a d k”;"),
    ],
)
def test_the_marks_are_explained_and_an_example_says_what_is_right(open_experiment, name, right):
    _at, _shown, said = open_experiment(name)
    assert "● mean, with its interval · ○ one training · dashed: mean of the first row" in said
    assert right in said


def test_what_is_to_be_kept_in_mind_stands_on_the_page(open_experiment):
    for name in ("metric", "forcing", "vocabulary"):
        _at, _shown, said = open_experiment(name)
        assert EXPERIMENTS[name].caution in said


def test_what_only_this_experiment_measures_stands_in_the_table_and_the_numbers(open_experiment):
    results = Results.load(SHIPPED / "copying.json")
    at, shown, said = open_experiment("copying")
    [table] = at.dataframe
    variants = [each.name for each in EXPERIMENTS["copying"].variants]
    rights = [100 * results.estimate(each, "names_right").mean for each in variants]
    assert list(table.value["unseen names right"]) == pytest.approx(rights)
    p_gen = list(table.value["names generated, not copied (p_gen)"])
    assert p_gen[0] == pytest.approx(100 * results.estimate("base", "p_gen_names").mean)
    # Without a pointer there is none.
    assert math.isnan(p_gen[2])
    assert math.isnan(p_gen[3])
    of_seeds = [e.measures["names_right"] for each in variants for e in results.of(each)]
    assert shown.columns()["names_right"] == of_seeds
    assert shown.columns()["p_gen_words"][-1] is None
    assert "with a pointer **100 %** are right if all names share one vector" in said
    assert notes_of(shown) == Counter({"impossible by construction": 2})
    at.segmented_control(key="experiment_drawn_copying").set_value("p_gen_names").run()
    assert "p_gen is the share of the next word’s probability" in (
        "\n".join(each.value for each in at.caption)
    )


def notes_of(shown):
    """Return how often each note stands in the first chart."""
    spec = shown.pictures[0].chart.to_dict()
    rows = next(rows for rows in spec["datasets"].values() if "note" in rows[0])
    return Counter(row["note"] for row in rows if row["note"])


def test_the_reference_keeps_its_place_in_an_order_of_its_own_and_is_marked(open_experiment):
    at, shown, said = open_experiment("vocabulary")
    [table] = at.dataframe
    names = ["300 pieces", "600 pieces", "1,500 pieces (reference)", "4,000 pieces"]
    assert list(table.value["variant"]) == names
    places = [shown.seen.index(name) for name in names]
    assert places == sorted(places)
    assert "dashed: mean of the reference" in said
    spec = shown.pictures[0].chart.to_dict()
    [line] = [rows for rows in spec["datasets"].values() if list(rows[0]) == ["value"]]
    # Shares beside others have a digit each, and what gains nothing is no failure.
    assert "600 pieces **52.0\u00a0%**" in shown.seen
    assert shown.seen.startswith("**Borne out.**")
    found = Results.load(SHIPPED / "vocabulary.json").estimate("base")
    assert line == [{"value": pytest.approx(found.mean)}]


def test_what_is_right_after_one_pass_stands_beside_what_is_after_several(open_experiment):
    _at, shown, _said = open_experiment("parallel")
    results = Results.load(SHIPPED / "parallel.json")
    first, at_length = (
        percent(results.measured(variant, "right_1").mean)
        for variant in ("parallel", "parallel_length")
    )
    assert list(notes_of(shown)) == [f"in 1 pass {first}", f"in 1 pass {at_length}"]
    assert f"**{first}** in 1 parallel pass" in shown.seen
    titles = [each.chart.to_dict()["title"] for each in shown.pictures]
    assert "(n = 2,000)" in titles[0] and "(n = 1,000)" in titles[1]


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("copying", {"pointer, names share a vector": "copying"}),
        (
            "parallel",
            {"left to right, copy or reverse": "either", "parallel, copy or reverse": "parallel"},
        ),
        (
            "bottleneck",
            {"GRU, one vector": "bottleneck-fixed", "GRU with attention": "bottleneck-attention"},
        ),
        ("heads", {"1 head": "heads-one"}),
        ("residuals", {"no feed-forward": "residuals-no_feed_forward"}),
    ],
)
def test_variants_open_as_the_runs_that_the_gallery_has_of_them(open_experiment, name, links):
    at, _shown, _said = open_experiment(name)
    opened = [each.proto for each in at.get("page_link") if each.proto.label.startswith("Open")]
    found = {each.label: parse_qs(each.query_string)["model"] for each in opened}
    assert found == {f"Open “{label}”": [run] for label, run in links.items()}
    for label, run in links.items():
        [variant] = [each for each in EXPERIMENTS[name].variants if each.label == label]
        settings = load_run(ROOT / "gallery" / run).settings
        sized = EXPERIMENTS[name].preset(variant, 0).sized(settings.model.vocab_size)
        assert settings.model == sized
