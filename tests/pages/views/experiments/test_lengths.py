import json

import pytest

from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.results import SHIPPED, Results
from pages.frame.language import percent

PAIRS = (200, 180, 160, 30, 20)
NORMS = {"base": (1.0, 0.5, 0.4, 0.3, 0.3), "gru": (1.0, 0.5, 0.1, 0.02, 0.01)}


def test_each_variant_is_said_at_the_shortest_and_the_longest(open_experiment):
    _at, shown, said = open_experiment("bottleneck", outcome="lengths")
    results = Results.load(SHIPPED / "bottleneck.json")
    by_length = {n: right / of for n, (of, right) in results.by_length("fixed").items() if of >= 20}
    first, *_others, last = by_length
    ends = [percent(by_length[at]).replace("\xa0", " ") for at in (first, last)]
    assert f"GRU, one vector {ends[0]} (tokens: {first}) → **{ends[1]}** ({last})" in said
    drawn = json.dumps(shown.pictures[0].chart.to_dict(), ensure_ascii=False)
    assert "longer: never learned" in drawn


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


def test_the_influence_of_a_token_falls_as_the_results_say(open_experiment, distances_here):
    _at, shown, _said = open_experiment("distance", experiment_run="here")
    labels = {each.name: each.label for each in EXPERIMENTS["distance"].variants}
    # 30 pairs of each of two seeds are enough, 20 are not; a position's own token is left out.
    assert "From 1 token back to 3, the influence of a token falls:" in shown.seen
    assert f"{labels['gru']} **25-fold**; {labels['base']} **1.7-fold**." in shown.seen


def test_a_question_about_distances_opens_on_them_and_can_be_seen_by_length(open_experiment):
    at, shown, _said = open_experiment("distance")
    assert at.segmented_control(key="outcome").value == "lengths"
    assert shown.seen.startswith("**Not judged.** These sentences do not test it")
    assert "Convolution of width 3 reaches no farther back than 2 tokens." in shown.seen
    at.segmented_control(key="lengths_by").set_value("length").run()
    assert any("From the shortest sentences" in each.value for each in at.markdown)
