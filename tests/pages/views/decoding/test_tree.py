import json

import pytest

from tests.pages.views.decoding.conftest import stepper


def click_node(at, node):
    """Click a node of the tree, as the browser tells it."""
    [tree] = at.get("vega_lite_chart")
    widget_states = type(at._tree).get_widget_states

    def with_click():
        states = widget_states(at._tree)
        kept = [state for state in states.widgets if state.id != tree.proto.id]
        del states.widgets[:]
        states.widgets.extend(kept)
        state = states.widgets.add()
        state.id = tree.proto.id
        state.string_value = json.dumps({"selection": {"picked": [{"node": node}]}})
        return states

    at._tree.get_widget_states = with_click
    at.run()
    assert not at.exception, at.exception


def test_a_click_on_a_prefix_makes_the_stepper_follow_it(open_view):
    at, shown = open_view("steps", method="beam", beam="3")
    _at, tree = open_view("tree", beam="3")
    numbers = tree.columns()
    # Another one than the model would choose there by itself.
    nodes = range(len(numbers["node"]))
    greedy = {numbers["token"][n] for n in nodes if numbers["step"][n] == 3 and numbers["kept"][n]}
    node = next(
        n
        for n in nodes
        if numbers["step"][n] == 3 and not numbers["kept"][n] and numbers["token"][n] not in greedy
    )
    click_node(at, node)
    view = stepper(at)
    assert view.free.fed[4].text == numbers["token"][node]
    assert view.free.steps[3].overridden
    assert view.start == 3


def test_a_click_in_the_trees_own_view_opens_the_stepper(open_view):
    at, shown = open_view("tree", beam="2")
    node = shown.columns()["kept"].index(False)
    click_node(at, node)
    assert at.segmented_control(key="decoding").value == "steps"
    assert at.segmented_control(key="method").value == "beam"
    assert stepper(at).free.fed[1].text == shown.columns()["token"][node]


def test_the_best_score_is_said_as_it_is_computed(open_view):
    _at, shown = open_view("tree", alpha="0.6", sentence="The dog slept.")
    found = shown.columns()
    rows = zip(
        *map(found.get, ("finished", "kept", "score", "log_probability", "step", "prefix")),
        strict=True,
    )
    score, total, step, prefix = max(row[2:] for row in rows if row[0] and row[1])
    penalty = ((5 + step + 1) / 6) ** 0.6
    assert score == pytest.approx(total / penalty)
    assert f"((5 + {step + 1}) / 6)^0.6 = {penalty:.3g}): “{prefix.rstrip('.')}" in shown.seen
    n_dropped = found["kept"].count(False)
    assert f"Prefixes dropped: {n_dropped} of {len(found['kept'])}." in shown.seen


@pytest.mark.parametrize(("model", "marks"), [("copy", False), ("everyday", True)])
def test_pieces_of_words_show_where_words_begin(open_view, model, marks):
    at, _shown = open_view("tree", model=model, sentence="a b", beam="1")
    [tree] = at.get("vega_lite_chart")
    assert ("␣".encode() in tree.proto.SerializeToString()) == marks
