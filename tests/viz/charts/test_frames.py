import math

from viz.charts.frames import DIFFERS, runs_table, settings_table, written


def test_a_run_is_a_row_and_numbers_stay_numbers():
    table = runs_table([{"name": "a", "step": 900}, {"name": "b", "step": 1000, "loss": 0.5}])
    assert list(table.columns) == ["name", "step", "loss"]
    assert table.sort_values("step", ascending=False)["name"].tolist() == ["b", "a"]
    assert math.isnan(table["loss"][0])
    assert table["loss"][1] == 0.5


SETTINGS = {
    "a": {
        "task": "copy",
        "model": {"d_model": 64, "tied": True},
        "training": {"betas": [0.9, 0.98]},
    },
    "b": {"task": "copy", "model": {"d_model": 128, "tied": True}, "guide": "x"},
}


def test_settings_within_settings_are_called_by_both_names():
    table = settings_table(SETTINGS)
    assert list(table.index) == ["task", "model.d_model", "model.tied", "training.betas", "guide"]
    assert table["a"].tolist() == ["copy", "64", "True", "0.9, 0.98", ""]
    assert table["b"].tolist() == ["copy", "128", "True", "", "x"]


def test_what_differs_is_said_in_a_column():
    table = settings_table(SETTINGS)
    assert table[DIFFERS].tolist() == [False, True, False, True, True]
    assert table[DIFFERS].dtype == bool
    only = settings_table(SETTINGS, only_differing=True)
    assert list(only.index) == ["model.d_model", "training.betas", "guide"]


def test_written_numbers_stay_numbers_and_nothing_stands_where_one_is_missing():
    table = runs_table([{"loss": 1.25, "n": 3}, {"loss": None, "n": None}])
    shown = written(table, {"loss": "{:.1f} nats".format, "not there": str})
    assert shown.data["loss"].tolist()[0] == 1.25
    cells = shown._translate(sparse_index=False, sparse_cols=False)["body"]
    assert [[each["display_value"] for each in row[1:]] for row in cells] == [
        ["1.2 nats", "3"],
        ["", ""],
    ]
