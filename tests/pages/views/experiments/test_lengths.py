import json
from dataclasses import replace

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results, Trained
from pages.frame.language import percent

PAIRS = (200, 180, 160, 30, 20)
NORMS = {"base": (1.0, 0.5, 0.4, 0.3, 0.3), "gru": (1.0, 0.5, 0.1, 0.02, 0.01)}


@pytest.mark.parametrize(
    ("beyond", "last", "other", "words"),
    [((), 19, 5, "the shortest"), ((18, 19), 17, 19, "longer than any in training")],
)
def test_the_best_and_worst_at_the_longest_are_said(
    open_experiment, monkeypatch, beyond, last, other, words
):
    asked = replace(EXPERIMENTS["residuals"], beyond=beyond)
    monkeypatch.setitem(EXPERIMENTS, "residuals", asked)
    _at, shown, said = open_experiment("residuals", outcome="lengths")
    results = Results.load(SHIPPED / "residuals.json")
    shares = {}
    for each in asked.shown:
        n, right = results.by_length(each.name)[last]
        shares[each.label] = right / n
    best, worst = max(shares, key=shares.get), min(shares, key=shares.get)
    assert f"At length {last}, " in said
    assert f"**{best}** gets most right ({percent(shares[best])})".replace("\xa0", " ") in said
    assert f"**{worst}** least ({percent(shares[worst])})".replace("\xa0", " ") in said
    assert f"At {other}, {words}, it is " in said
    drawn = json.dumps(shown.pictures[0].chart.to_dict(), ensure_ascii=False)
    assert ("longer: never learned" in drawn) == bool(beyond)


def test_variants_that_cut_words_in_their_own_way_have_their_own_lengths(open_experiment, own_runs):
    folder = own_runs / ".experiments" / "vocabulary"
    folder.mkdir(parents=True)
    curve = {"step": [200], "held_out_exact_match": [0.5], "loss": [0.3]}
    one = Trained("base", 0, 10, 9.0, 50, 0.6, 0.2, None, 0, ((9, 30, 30), (12, 40, 10)), curve)
    other = replace(one, variant="300", by_length=((20, 25, 20), (21, 2, 1), (30, 40, 4)))
    Results("vocabulary", (one, other)).save(folder / "vocabulary.json")
    _at, _shown, said = open_experiment("vocabulary", outcome="lengths", experiment_run="here")
    assert "1,500 pieces 100 % (tokens: 9) → **25 %** (12)" in said
    assert "300 pieces 80 % (tokens: 20) → **10 %** (30)" in said


@pytest.fixture
def distances_here(measured_here):
    """The results of a question whose distances were measured in two variants."""
    return measured_here(
        "distance",
        {
            variant: {"by_distance": tuple(zip(range(len(PAIRS)), PAIRS, norms, strict=True))}
            for variant, norms in NORMS.items()
        },
    )


def test_the_influence_of_a_token_falls_as_the_results_say(
    open_experiment, distances_here, monkeypatch
):
    tested = replace(EXPERIMENTS["distance"], untested="")
    monkeypatch.setitem(EXPERIMENTS, "distance", tested)
    _at, shown, _said = open_experiment("distance", experiment_run="here")
    labels = {each.name: each.label for each in tested.variants}
    # 30 pairs of each of two seeds are enough, 20 are not; a position's own token is left out.
    assert (
        "The claim is borne out. From 1 token back to 3, the influence of a token falls:"
        in shown.seen
    )
    assert f"{labels['gru']} **25-fold**; {labels['base']} **1.7-fold**." in shown.seen
    monkeypatch.chdir(distances_here.parent)
    again = {}
    exec(shown.recipe.python(), again)
    assert again["numbers"] == shown.columns()


def test_a_question_about_distances_opens_on_them_and_can_be_seen_by_length(open_experiment):
    at, shown, _said = open_experiment("distance")
    assert at.segmented_control(key="outcome").value == "lengths"
    assert shown.seen.startswith("**Not judged.** These sentences do not test it")
    assert "Convolution of width 3 reaches 2 tokens back with 2 layers, no farther." in shown.seen
    assert "Yet 3 variants have more sentences right than attention," in shown.seen
    at.segmented_control(key="lengths_by").set_value("length").run()
    assert any("the longest sources" in each.value for each in at.markdown)


def test_distances_are_offered_only_where_they_were_measured(open_experiment):
    at, *_ = open_experiment("residuals", outcome="lengths", lengths_by="distance")
    assert [each for each in at.segmented_control if each.key == "lengths_by"] == []
