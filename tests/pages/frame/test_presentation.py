import re

from pages.frame import presentation
from pages.frame.tour_file import own_tour

STOPS = own_tour().stops


def test_nothing_is_shown_besides_where_a_stop_asks_for_no_control():
    assert presentation.shown_too(()) == "<style></style>"


def test_what_a_stop_asks_to_click_is_left_in_sight_and_only_while_it_is_presented():
    style = presentation.shown_too(("view", presentation.STEPS))
    assert ".st-key-view" in style and "--steps: flex" in style
    assert all("[data-presenting]" in rule for rule in style.split("}")[:-1])


def test_the_rule_for_a_key_is_not_that_of_a_longer_one():
    [found] = set(re.findall(r":is\((.*?)\)", presentation.shown_too(("off",))))
    assert found == '.st-key-off, [class*="st-key-off--"]'


def test_every_stop_whose_task_names_a_view_leaves_the_views_in_sight():
    for stop in STOPS:
        if "the view" in stop.task:
            assert stop.clicks, stop.title
