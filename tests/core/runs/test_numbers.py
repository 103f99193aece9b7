import json

import pytest

from core.runs.numbers import LONG, figures, numbers_of_runs, settings_of
from core.runs.records import read_record, read_rows
from core.runs.run import RunError
from tests.pages.conftest import ROOT

GALLERY = ROOT / "gallery"


def rows_of(*names):
    columns = numbers_of_runs([(name, GALLERY / name) for name in names]).table()
    assert tuple(columns) == LONG
    return list(zip(*columns.values(), strict=True))


def test_every_measurement_stands_in_a_row_of_its_own():
    rows = [row for row in rows_of("copy") if row[0] == "measured"]
    wanted = [
        ("measured", "copy", name, row["step"], value)
        for row in read_rows(GALLERY / "copy")
        for name, value in row.items()
        if name != "step"
    ]
    assert rows == wanted


def test_every_setting_stands_in_a_row_of_its_own_and_the_command_does_not():
    settings = {row[2]: row[4] for row in rows_of("translate") if row[0] == "setting"}
    stored = json.loads((GALLERY / "translate" / "run.json").read_text())
    assert settings["model.d_model"] == stored["model"]["d_model"]
    assert settings["training.adam_betas.1"] == stored["training"]["adam_betas"][1]
    assert settings["task"] == "translate"
    assert "command" not in settings


def test_results_are_those_of_the_record():
    results = {row[2]: row[4] for row in rows_of("translate") if row[0] == "result"}
    found = read_record(GALLERY / "translate").results
    assert results["exact_match"] == found.exact_match
    assert (results["held_out_pairs"], results["measured_at_step"]) == (found.n, found.step)


def test_runs_come_one_after_the_other():
    runs = [row[1] for row in rows_of("translate", "copy")]
    assert runs == sorted(runs, reverse=True)
    assert set(runs) == {"translate", "copy"}


def test_figures_of_a_run_that_was_not_measured_are_missing(tmp_path):
    run = json.loads((GALLERY / "copy" / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(run))
    found = figures(read_record(tmp_path))
    assert found["exact_match"] is None
    assert found["task"] == "copy"
    assert "command" not in settings_of(read_record(tmp_path))


def test_a_folder_that_is_no_run_has_no_numbers(tmp_path):
    with pytest.raises(RunError):
        numbers_of_runs([("none", tmp_path)])
