import pytest

from core.studies.experiments import EXPERIMENTS

PAIRS = (200, 180, 160, 30, 20)
NORMS = {"base": (1.0, 0.5, 0.4, 0.3, 0.3), "gru_two_way": (1.0, 0.5, 0.1, 0.02, 0.01)}


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        (
            "order",
            "**Long sentences are lost first with “no positions”**: at least half are correct up "
            "to 13 tokens; with all but “no positions”, up to 19.",
        ),
        ("residuals", "**Even short sentences are lost with “no residual”**."),
        ("vocabulary", "tokens of its own, so these lengths do not compare."),
    ],
)
def test_it_names_the_length_up_to_which_half_is_right(open_experiment, name, lengths):
    _at, shown, _said = open_experiment(name, outcome="lengths")
    assert shown.seen.startswith(lengths) or shown.seen.endswith(lengths)


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
    assert f"**It fades least with “{labels['base']}”:** from 1 token away to 3" in shown.seen
    assert f"1.7-fold ({labels['base']}), 25-fold ({labels['gru_two_way']})." in shown.seen


def test_a_question_about_distances_opens_on_them_and_can_be_seen_by_length(open_experiment):
    at, shown, _said = open_experiment("distance")
    assert at.segmented_control(key="outcome").value == "answer"
    # In the longest rows only the first letter and the end of the row are 13 apart.
    assert "from 1 token away to 12 the influence falls" in shown.seen
    assert "Convolution of width 3 reaches 2 tokens away, no farther." in shown.seen
    at.segmented_control(key="outcome").set_value("lengths").run()
    [chart] = at.get("vega_lite_chart")
    assert "Correct sentences by length" in chart.proto.spec
