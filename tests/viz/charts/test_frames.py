from viz.charts.frames import runs_table, written


def test_written_numbers_stay_numbers_and_nothing_stands_where_one_is_missing():
    table = runs_table([{"loss": 1.25, "n": 3}, {"loss": None, "n": None}])
    shown = written(table, {"loss": "{:.1f} nats".format, "not there": str})
    assert shown.data["loss"].tolist()[0] == 1.25
    cells = shown._translate(sparse_index=False, sparse_cols=False)["body"]
    assert [[each["display_value"] for each in row[1:]] for row in cells] == [
        ["1.2 nats", "3"],
        ["", ""],
    ]
