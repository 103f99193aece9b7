import pytest

from tests.pages.conftest import component, pick, send_from, shown

WIDE = "The animal didn't cross the street because it was too wide."


def zoom(at, value):
    send_from(at, component(at, "attention_maps"), "zoom", value)


def test_a_zoom_becomes_part_of_the_link_and_the_whole_map_takes_it_out_again(open_app):
    at = open_app()
    zoom(at, {"row": 1, "column": 2, "rows": 3, "columns": 4})
    assert at.query_params["zoom"] == "1,2,3,4"
    assert shown(at).zoom == (1, 2, 3, 4)
    zoom(at, None)
    assert "zoom" not in at.query_params
    assert shown(at).zoom is None


def test_a_link_opens_its_zoom_and_another_head_keeps_it(open_app):
    at = open_app(zoom="1,2,3,4")
    assert shown(at).zoom == (1, 2, 3, 4)
    pick(at, 1, 2)
    assert (shown(at).selected, shown(at).zoom) == ((1, 2), (1, 2, 3, 4))


@pytest.mark.parametrize("change", ["sentence", "kind", "unit"])
def test_other_maps_are_shown_whole(open_app, change):
    at = open_app(zoom="1,2,3,4")
    if change == "sentence":
        at.text_input(key="sentence").set_value(WIDE).run()
    else:
        chosen = {"kind": "decoder.cross", "unit": "words"}[change]
        at.segmented_control(key=change).set_value(chosen).run()
    assert shown(at).zoom is None
    assert "zoom" not in at.query_params


@pytest.mark.parametrize(
    "written",
    ["", "1,2,3", "1,2,3,4,5", "a,b,c,d", "-1,0,2,2", "0,0,0,2", "12,0,5,2", "0,0,1e2,2", "²,0,1,1"]
    + ["9" * 5000 + ",0,1,1", "0,0,14,14", "0.5,0,1,1", ",,,"],
)
def test_what_is_no_part_of_the_map_shows_all_of_it(open_app, written):
    assert shown(open_app(zoom=written)).zoom is None
