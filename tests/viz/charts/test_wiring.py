import pytest

from viz.charts.bars import PICKED
from viz.charts.curves import Quantity
from viz.charts.wiring import Line, Point, wiring

COLUMNS = {
    "first": [Point("0.0", "encoder 0.0"), Point("0.1", "encoder 0.1")],
    "second": [Point("1.0", "encoder 1.0")],
    "third": [Point("2.0", "encoder 2.0")],
}
LINES = [Line(0, 2, 0.2), Line(1, 3, -0.4)]


@pytest.fixture(scope="module")
def drawn():
    figure = wiring(COLUMNS, LINES, value=Quantity("share"), chosen=1, title="Who", note="Width")
    return figure.to_dict()


def rows_of(drawn, field):
    return next(rows for rows in drawn["datasets"].values() if field in rows[0])


def test_a_line_goes_from_its_point_to_its_point_through_whole_columns(drawn):
    pieces = rows_of(drawn, "at")
    ends = {
        number: [(each["x"], each["y"]) for each in pieces if each["row"] == number]
        for number in (0, 1)
    }
    assert ends[0][0] == (0, 0) and ends[0][-1] == (1, 0)
    assert ends[1][0] == (0, 1) and ends[1][-1] == pytest.approx((2, 0))


def test_a_line_is_straight_where_it_passes_between_points(drawn):
    pieces = rows_of(drawn, "at")
    straight, bent = ([each for each in pieces if each["row"] == number] for number in (0, 1))
    assert {each["y"] for each in straight} == {0}
    middle = bent[len(bent) // 2]
    # Straight, it would pass halfway between two points, which is as far from both as can be.
    assert (middle["x"], middle["y"]) == (1, pytest.approx(0.5))


def test_a_line_that_would_pass_through_a_point_bends_around_it():
    lines = [Line(0, 3, 0.2)]
    figure = wiring(COLUMNS, lines, value=Quantity("share"), chosen=0, title="Who", note="Width")
    pieces = rows_of(figure.to_dict(), "at")
    middle = pieces[len(pieces) // 2]
    assert middle["x"] == 1 and middle["y"] == pytest.approx(0.5)


def test_the_largest_change_up_or_down_is_the_thickest_line(drawn):
    width = {each["row"]: each["width"] for each in rows_of(drawn, "at")}
    assert width[1] == max(width.values()) > width[0]


def test_the_chosen_line_and_its_ends_have_the_colour(drawn):
    assert {each["row"] for each in rows_of(drawn, "at") if each["chosen"]} == {1}
    points = rows_of(drawn, "full_name")
    assert [each["name"] for each in points if each["chosen"]] == ["A", "B"]


def test_a_click_selects_a_line_by_its_number(drawn):
    [parameter] = drawn["params"]
    assert (parameter["name"], parameter["select"]["fields"]) == (PICKED, ["row"])
