from core.studies.experiments import running


def test_a_click_begins_it_in_the_background_and_shows_how_far_it_is(
    open_experiment, own_runs, monkeypatch
):
    begun = []
    monkeypatch.setattr(running, "start", lambda *given: begun.append(given))
    at, _shown, _said = open_experiment("residuals")
    at.button(key="experiment_start").click().run()
    [(experiment, folder, seeds)] = begun
    assert (experiment.name, seeds) == ("residuals", 1)
    assert folder == own_runs / ".experiments" / "residuals"
    folder.mkdir(parents=True)
    told = running.RUNNING.status(folder)
    alive = type(told)("running", 25, 80, "")
    monkeypatch.setattr(type(running.RUNNING), "at_work", lambda *_: True)
    monkeypatch.setattr(type(running.RUNNING), "status", lambda *_: alive)
    at, _shown, _said = open_experiment("residuals")
    assert at.get("progress")[0].proto.text == "1 of 4 trainings done …"
    at.button(key="experiment_stop").click().run()
    assert running.RUNNING.asked(folder) == "stop"
