import numpy as np
import pytest

from core.heads import Site
from tests.pages.conftest import component, inspected, send_from, texts
from tests.pages.views.attention.conftest import seen, written
from tests.viz.unpacked import unpack_lines as unpack

KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}


def shown(at):
    """Return the lines that the page shows, as the component reads them."""
    return unpack(component(at, "lines").bytes)


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_is_the_models_own(open_view, kind):
    at, _ = open_view("lines", model="translate", kind=kind, layer="1", head="2")
    stack, attention = KINDS[kind].split(".")
    expected = inspected("translate").attention[Site(stack, 1, attention)]
    assert np.array_equal(shown(at).weights_HQK, expected.weights_HQK[[2]])
    assert np.array_equal(shown(at).visible_QK, expected.visible_QK)
    at.segmented_control(key="shown").set_value("all").run()
    assert np.array_equal(shown(at).weights_HQK, expected.weights_HQK)
    assert shown(at).heads == (0, 1, 2, 3)


def test_what_is_done_in_the_picture_stands_in_the_link(open_view):
    at, _ = open_view("lines", shown="all heads")
    send_from(at, component(at, "lines"), "pin", {"side": "query", "index": 7})
    send_from(at, component(at, "lines"), "threshold", 0.25)
    send_from(at, component(at, "lines"), "heads", {"hidden": [0, 2]})
    found = [at.query_params[name] for name in ("side", "token", "threshold", "hidden")]
    assert found == ["source", "7", "0.25", "0,2"]
    lines = shown(at)
    assert (lines.threshold, lines.hidden, lines.pinned) == (0.25, {0, 2}, ("query", 7))
    send_from(at, component(at, "lines"), "pin", {"side": None, "index": None})
    assert not {"side", "token"} & set(at.query_params)


def test_of_all_heads_it_is_said_which_points_most(open_view):
    at, _ = open_view("lines", model="translate", kind="encoder self", layer="1", shown="all")
    lines = shown(at)
    row = texts(lines.queries).index("it")
    largest = [max(map(float, head[row])) for head in lines.weights_HQK]
    head = largest.index(max(largest))
    key = texts(lines.keys)[int(lines.weights_HQK[head, row].argmax())]
    most = written(max(largest))
    where = f"encoder layer 1, head {head}"
    assert seen(at).startswith(f"“it” gives “{key}” **{most}** of its attention in {where}.")
    assert seen(at).endswith("The other 3 heads give no word more.")
