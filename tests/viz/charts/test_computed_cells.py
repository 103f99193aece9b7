from viz.charts.computed_cells import computed_cells


def test_every_computed_cell_is_drawn_once_with_its_count_and_no_other():
    pictures = {"anew": [[2, 0], [1, 1]], "kept": [[1, 0], [1, 1]]}
    chart = computed_cells(pictures, x="key", y="query", count="times")
    cells = [tuple(row) for part in chart.concat for row in part.data.to_numpy().tolist()]
    assert len(cells) == len(set(cells))
    assert set(cells) == {
        ("anew", 0, 0, 2),
        ("anew", 1, 0, 1),
        ("anew", 1, 1, 1),
        ("kept", 0, 0, 1),
        ("kept", 1, 0, 1),
        ("kept", 1, 1, 1),
    }
    assert [part.title.text for part in chart.concat] == [["anew"], ["kept"]]


def test_once_is_the_same_colour_whatever_else_is_computed():
    found = computed_cells({"a": [[4]]}, x="key", y="query", count="times").to_dict()
    domain = found["concat"][0]["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert (domain[0], domain[-1]) == (0, 4)
