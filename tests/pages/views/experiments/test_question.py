from core.experiments import EXPERIMENTS
from pages.frame.lessons import LESSONS


def test_every_question_is_offered_in_the_order_of_a_course(open_experiment):
    at, _shown, _said = open_experiment("heads")
    asked = at.selectbox(key="experiment")
    assert asked.options == [each.question for each in EXPERIMENTS.values()]
    assert asked.value == "heads"


def test_where_it_was_run_here_too_one_chooses_whose_trainings_are_shown(open_experiment, ran_here):
    at, shown, _said = open_experiment("residuals")
    assert "gallery/experiments/residuals.json" in shown.python
    at.segmented_control(key="experiment_run").set_value("here").run()
    assert not at.exception
    _at, shown, _said = open_experiment("residuals", experiment_run="here")
    assert "runs/.experiments/residuals/residuals.json" in shown.python


def test_every_experiment_and_the_view_that_it_is_about_link_to_each_other(open_page):
    assert set(LESSONS) == set(EXPERIMENTS)
    at = open_page("experiments", experiment="norms", model=None)
    [link] = [e.proto for e in at.get("page_link") if e.proto.label == "See it in a model"]
    assert (link.page, link.query_string) == ("layers", "layers=norms")
    at = open_page("layers", layers="norms")
    labels = [each.proto.label for each in at.get("page_link")]
    assert f"Tested: {EXPERIMENTS['norms'].question}" in labels
