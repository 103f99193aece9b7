from core.runs.run import load_run
from core.studies.experiments.mixed import mixed_output
from tests.pages.conftest import ROOT


def test_a_real_output_of_the_shipped_model_stands_above_the_chart(open_experiment):
    at, _shown, said = open_experiment("parallel")
    found = mixed_output(load_run(ROOT / "gallery" / "parallel"))
    assert (
        "A real output of the model “parallel” (one training) mixes the two right answers" in said
    )
    [drawn] = [each.proto.body for each in at.get("html") if "mixed-rows" in each.proto.body]
    for n_passes, text in found.written:
        label = f"written in {n_passes} pass{'es' if n_passes > 1 else ''}: {text}"
        assert label in drawn


def test_other_questions_show_none(open_experiment):
    at, _shown, said = open_experiment("residuals")
    assert "A real output" not in said
    assert not [each for each in at.get("html") if "mixed-rows" in each.proto.body]
