import json
from dataclasses import replace

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results, Trained

PAIRS = (200, 180, 160, 30, 20)
NORMS = {"base": (1.0, 0.5, 0.4, 0.3, 0.3), "gru": (1.0, 0.5, 0.1, 0.02, 0.01)}


def test_each_variants_share_is_that_of_all_seeds_together(open_experiment):
    results = Results.load(SHIPPED / "residuals.json")
    _at, _shown, said = open_experiment("residuals", outcome="lengths")
    n, right = results.by_length("no_norm")[5]
    assert "Of the longest sources (19 tokens) are right: full layer **23.8 %** · " in said
    shortest = said.partition("Of the shortest (5): full layer **100 %** · ")[2]
    assert n >= 20 and f"no norm **{100 * right / n:.0f} %**" in shortest


def test_where_lengths_go_beyond_the_learned_ones_both_ends_are_said(open_experiment, monkeypatch):
    asked = replace(EXPERIMENTS["residuals"], beyond=(18, 19))
    monkeypatch.setitem(EXPERIMENTS, "residuals", asked)
    _at, shown, said = open_experiment("residuals", outcome="lengths")
    results = Results.load(SHIPPED / "residuals.json")
    for length, text in (
        (17, "Of 17 tokens, the longest in training, are right: "),
        (19, "Of 19, longer than any in training: "),
    ):
        n, right = results.by_length("no_norm")[length]
        assert f"{100 * right / n:.1f}" in said.partition(text)[2]
    drawn = json.dumps(shown.pictures[0].chart.to_dict(), ensure_ascii=False)
    assert "longer: never learned" in drawn


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
    assert any("Of the longest sources" in each.value for each in at.markdown)


def test_distances_are_offered_only_where_they_were_measured(open_experiment):
    at, *_ = open_experiment("residuals", outcome="lengths", lengths_by="distance")
    assert [each for each in at.segmented_control if each.key == "lengths_by"] == []
