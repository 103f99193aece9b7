import pytest

BEHIND = {
    "base": {
        **{"drawn_apart": [0.8, 0.7, 0.6], "apart": [0.9, 0.9, 0.8]},
        **{"drawn_gradient": [1.5, 1.2, 1.0], "gradient": [3.0, 2.0, 1.0]},
    },
    "two_without": {
        **{"drawn_apart": [0.8, 0.1, 0.005], "apart": [0.9, 0.2, 0.02]},
        **{"drawn_gradient": [0.05, 0.3, 1.0], "gradient": [0.0, 0.0, 0.0]},
    },
}


@pytest.fixture
def layers_here(measured_here):
    """The results of a question whose layers were measured in two variants."""
    return measured_here("depth", {name: {"by_layer": each} for name, each in BEHIND.items()})


def test_the_numbers_are_those_of_the_results(open_experiment, layers_here, monkeypatch):
    at, shown, _said = open_experiment("depth", outcome="layers", experiment_run="here")
    assert not at.exception and not at.error
    columns = shown.columns()
    for variant, behind in BEHIND.items():
        at_rows = [n for n, name in enumerate(columns["variant"]) if name == variant]
        assert [columns["layer"][n] for n in at_rows] == [0, 1, 2]
        for name, values in behind.items():
            assert [columns[name][n] for n in at_rows] == pytest.approx(values)
    monkeypatch.chdir(layers_here.parents[2])
    again = {}
    exec(shown.snippet(), again)
    for name, values in again["numbers"].items():
        assert values == columns[name]


def test_it_says_where_words_become_alike_and_where_the_gradient_vanishes(
    open_experiment, layers_here
):
    _at, shown, _said = open_experiment("depth", outcome="layers", experiment_run="here")
    seen = shown.seen.replace("\u00a0", " ")
    assert "nearly the same vector (less than 1 % apart): 2 layers, no residual." in seen
    assert "They stay apart: 2 layers (60 %)." in seen
    assert "only here: 2 layers, no residual (5 % left)." in seen
    _at, shown, _said = open_experiment(
        "depth", outcome="layers", experiment_run="here", layers_of="trained"
    )
    assert "nearly the same vector" not in shown.seen


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("drawn", "is refuted.** It vanishes nowhere: at the embeddings it is at least 1.2 times"),
        ("trained", "is borne out in part.** It vanishes on its way back to the embeddings only"),
    ],
)
def test_that_the_gradient_vanishes_is_judged_by_itself(open_experiment, moment, said):
    _at, shown, _said = open_experiment("depth", outcome="layers", layers_of=moment)
    assert f"**That the gradient vanishes {said}" in shown.seen


def test_it_is_offered_only_where_it_was_measured(open_experiment, layers_here):
    at, *_ = open_experiment("depth", experiment_run="here")
    assert at.segmented_control(key="outcome").options[-1] == "by layer"
    at, *_ = open_experiment("residuals", outcome="layers")
    assert "by layer" not in at.segmented_control(key="outcome").options
    assert not at.exception
