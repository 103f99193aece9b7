from core.studies.experiments import EXPERIMENTS
from tests.core.studies.experiments.test_results import results


def test_all_questions_are_listed(command):
    status, out, _ = command("experiment", "list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(EXPERIMENTS)


def test_what_came_out_is_shown_with_interval_and_n(command, tmp_path, monkeypatch):
    monkeypatch.setattr("core.studies.experiments.results.SHIPPED", tmp_path)
    found = results({"base": {0: 0.7, 1: 0.72, 2: 0.68}, "none": {0: 0.3, 1: 0.33, 2: 0.28}})
    found.save(tmp_path / "order.json")
    status, out, _ = command("experiment", "show", "order")
    assert status == 0
    assert "no positions: correct sentences 30.3 %, 39.7 less (95 %:" in out
    [row] = [line.split() for line in out.splitlines() if line.startswith("none     exact_match")]
    assert row[2:] == ["0.3033", "0.2408", "0.3658", "3"]
