"""Components as elements of a page."""

from tests.pages.conftest import chosen_since, component, pick
from tests.viz.unpacked import unpack_maps as unpack


def test_maps_come_with_the_head_that_they_open_on_and_go_back_to_it(open_app):
    at = open_app(kind="cross", layer="1", head="2")
    maps = component(at, "attention_maps").bytes
    assert unpack(maps).selected == (1, 2)
    assert chosen_since(at) is None
    pick(at, 0, 3)
    assert unpack(maps, chosen_since(at)).selected == (0, 3)
    pick(at, 1, 2)
    assert component(at, "attention_maps").bytes == maps
    assert chosen_since(at) is None
    pick(at, 0, 3)
    at.text_input(key="sentence").set_value("The cat slept.").run()
    # Other maps open on what is chosen by now.
    assert unpack(component(at, "attention_maps").bytes).selected == (0, 3)
    assert chosen_since(at) is None


def test_the_page_has_the_scripts_of_components_and_no_element_brings_one(open_app):
    at = open_app(view="pass")
    elements = [each.proto for each in at.get("bidi_component")]
    assert elements
    assert all(len(proto.js_content) < 1000 for proto in elements)
    [script] = lent_to(at)
    assert all(f'lend("{name}"' in script for name in ("plane", "lines", "stepper"))
    at.run()
    assert not lent_to(at)


def lent_to(at):
    """Return the scripts that the page gets in this run."""
    return [each.proto.body for each in at.get("html") if "lend(" in each.proto.body]
