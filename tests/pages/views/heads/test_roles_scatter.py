import base64
import json

import numpy as np
import pytest

from core.runs.run import load_run
from core.studies.effects.head_measures import head_measures
from core.studies.effects.measuring import stored_effects
from core.studies.effects.text_cost import costs_of_heads
from core.studies.heads.roles import roles_of_heads
from core.studies.heads.row_statistics import row_statistics
from pages.frame import notes
from tests.pages.conftest import ROOT, said
from tests.pages.drawing import assert_computes, assert_files, draw

QUERY = {"trial": "roles", "roles_shown": "scatter", "sentence": "a b c"}


@pytest.fixture(scope="module")
def measures():
    run = load_run(ROOT / "gallery" / "copy")
    return head_measures(roles_of_heads(run), row_statistics(run), stored_effects(run))


def points(at):
    """Return the heads of the figure, each with its place and whether its point is hollow."""
    found = {}
    for trace in json.loads(at.get("plotly_chart")[0].proto.spec)["data"]:
        hollow = trace["marker"]["symbol"].endswith("-open")
        places = zip(unpacked(trace["x"]), unpacked(trace["y"]), strict=True)
        found |= {
            head: (*place, hollow) for head, place in zip(trace["customdata"], places, strict=True)
        }
    return found


def unpacked(column):
    return np.frombuffer(base64.b64decode(column["bdata"]), column["dtype"]).tolist()


def test_it_opens_on_how_sharp_heads_are_and_what_silencing_costs(measures):
    drawing = draw("heads", QUERY | {"model": "copy"})
    found = points(drawing.at)
    lost, largest = measures.measures["exact_match_lost"], measures.measures["largest_weight"]
    for each in measures.heads:
        x, y, hollow = found[str(each.head)]
        expected = (largest[each.head].value, 100 * lost[each.head].value)
        assert (x, y) == pytest.approx(expected, abs=1e-4)
        assert hollow == (each.head not in measures.needed)
    n, m = len(measures.sharp), len(measures.sharp & measures.needed)
    [seen] = drawing.seen
    assert f"**{m} of {n} sharp heads matter** when silenced" in seen
    assert_files(drawing)
    assert_computes(drawing.python, drawing.about["columns"])


def test_a_link_names_two_measures_and_the_selected_heads(open_page, measures):
    head = measures.heads[3].head
    query = {"scatter_x": "distance", "scatter_y": "previous", "heads_selected": f"{head},x"}
    at = open_page("heads", model="copy", **QUERY | query)
    distance, previous = measures.measures["distance"], measures.measures["previous"]
    found = points(at)
    assert set(found) == {str(each) for each in distance}
    x, y, _hollow = found[str(head)]
    expected = (distance[head].value, 100 * previous[head].value)
    assert (x, y) == pytest.approx(expected, abs=1e-4)
    assert "**Selected heads**" in said(at)
    labels = [each.proto.label for each in at.get("page_link")]
    assert notes.site_and_head(head) in labels
    assert "rank correlation" in said(at)


@pytest.mark.slow
def test_of_one_stack_it_measures_what_silencing_costs_when_asked(
    open_text_roles, opened_kind, opened_run
):
    at = open_text_roles(roles_shown="scatter", all_costs="true")
    if opened_kind == "t5":
        # Without pairs it has no held-out text.
        assert not at.get("plotly_chart")
        return
    if opened_kind == "bert":
        assert points(at)
        assert "what silencing costs" not in {each.label for each in at.toggle}
        return
    costs, found = costs_of_heads(opened_run), points(at)
    for head, cost in costs.items():
        assert found[str(head)][1] == pytest.approx(cost.change, abs=1e-5)
        assert found[str(head)][2] == (cost.low <= 0)
