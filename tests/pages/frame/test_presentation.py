import re

from pages.frame import layout
from pages.frame.tour import own_tour


def test_what_a_stop_asks_to_click_is_left_in_sight_and_only_while_it_is_presented():
    style = layout.shown_too(("view", layout.STEPS))
    assert ".st-key-view" in style and "--steps: flex" in style
    assert all("[data-presenting]" in rule for rule in style.split("}")[:-1])
    # Not that of a longer key.
    [found] = set(re.findall(r":is\((.*?)\)", layout.shown_too(("off",))))
    assert found == '.st-key-off, [class*="st-key-off--"]'


def test_every_stop_whose_task_names_a_view_leaves_the_views_in_sight():
    for stop in own_tour().stops:
        if "the view" in stop.task:
            assert stop.clicks, stop.title
