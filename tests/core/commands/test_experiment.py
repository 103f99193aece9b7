import json

from core.studies.experiments import EXPERIMENTS
from tests.core.studies.experiments.test_results import results


def test_all_questions_are_listed(command):
    status, out, _ = command("experiment", "list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(EXPERIMENTS)
    found = json.loads(command("experiment", "list", "--json")[1])
    assert [each["name"] for each in found] == list(EXPERIMENTS)
    [order] = [each for each in found if each["name"] == "order"]
    assert order["variants"]["none"]["changes"] == {"positions": "none"}


def test_what_came_out_is_shown_with_interval_and_n(command, tmp_path):
    found = results({"base": {0: 0.7, 1: 0.72, 2: 0.68}, "none": {0: 0.3, 1: 0.33, 2: 0.28}})
    found.save(tmp_path / "order.json")
    status, out, _ = command("experiment", "show", "order", "--results", tmp_path)
    assert status == 0
    assert "no positions: correct sentences 30.3 %, 39.7 less (95 %:" in out
    stored = json.loads(command("experiment", "show", "order", "--results", tmp_path, "--json")[1])[
        "measured"
    ]
    assert (stored["n"], stored["seeds"]) == (50, [0, 1, 2])
    assert stored["verdicts"] == {"none": "holds"}
    assert stored["measures"]["none"]["exact_match"]["n"] == 3


def test_what_there_is_not_is_refused(command, tmp_path):
    status, _, error = command("experiment", "show", "everything")
    assert status == 2
    assert "there are bottleneck, reading, " in error
    (tmp_path / "order.json").write_text("{}")
    status, _, error = command("experiment", "show", "order", "--results", tmp_path)
    assert status == 2
    assert "holds no results" in error
