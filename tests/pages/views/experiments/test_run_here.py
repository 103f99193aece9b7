import shutil

from core.studies.experiments import job
from tests.pages.conftest import ROOT


def test_the_work_is_said_before(open_experiment):
    at, _shown, said = open_experiment("residuals")
    assert "4 trainings of 800 steps on the task “translate”: about" in said
    at.segmented_control(key="experiment_seeds").set_value(3).run()
    assert any("12 trainings of 800 steps" in each.value for each in at.caption)


def test_a_click_begins_it_in_the_background_and_shows_how_far_it_is(
    open_experiment, own_runs, monkeypatch
):
    begun = []
    monkeypatch.setattr(job, "start", lambda *given: begun.append(given))
    at, _shown, _said = open_experiment("residuals")
    at.button(key="experiment_start").click().run()
    [(experiment, folder, seeds)] = begun
    assert (experiment.name, seeds) == ("residuals", 1)
    assert folder == own_runs / ".experiments" / "residuals"
    folder.mkdir(parents=True)
    told = job.RUNNING.status(folder)
    alive = type(told)("running", 25, 80, "")
    monkeypatch.setattr(type(job.RUNNING), "at_work", lambda *_: True)
    monkeypatch.setattr(type(job.RUNNING), "status", lambda *_: alive)
    at, _shown, _said = open_experiment("residuals")
    assert at.get("progress")[0].proto.text == "1 of 4 trainings done …"
    at.button(key="experiment_stop").click().run()
    assert job.RUNNING.asked(folder) == "stop"


def test_a_variant_trained_here_can_be_put_among_the_runs(open_experiment, ran_here, own_runs):
    shutil.copytree(ROOT / "gallery" / "copy", ran_here / "runs" / "no_norm-0")
    at, _shown, said = open_experiment("residuals")
    assert "Put among the runs, to look at it in every view:" in said
    at.button(key="keep_no_norm").click().run()
    assert not at.exception
    assert (own_runs / "residuals-no_norm" / "run.json").exists()
    labels = [each.proto.label for each in at.get("page_link")]
    assert "Open “no norm”" in labels
