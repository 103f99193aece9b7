from core.experiments import EXPERIMENTS


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
