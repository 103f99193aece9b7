import json

import pytest

from tests.pages.views.decoding.conftest import assert_python_leaves_the_same_numbers, stepper


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


def test_a_beam_search_draws_its_tree_below_the_stepper(open_view):
    at, _shown = open_view("steps")
    at.segmented_control(key="method").set_value("beam").run()
    [tree] = at.get("vega_lite_chart")
    assert len(json.loads(tree.proto.spec)["layer"]) == 3


def test_a_click_on_a_prefix_makes_the_stepper_follow_it(open_view):
    _at, shown = open_view("tree", beam="3")
    numbers = shown.columns()
    # Another one than the model would choose there by itself.
    greedy = {
        token
        for token, step, kept in zip(*map(numbers.get, ("token", "step", "kept")), strict=True)
        if step == 3 and kept
    }
    node = next(
        node
        for node, (step, kept) in enumerate(zip(numbers["step"], numbers["kept"], strict=True))
        if step == 3 and not kept and numbers["token"][node] not in greedy
    )
    at, _shown = open_view("steps", method="beam", beam="3")
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


@pytest.mark.parametrize("asked", [{}, {"beam": "1"}, {"beam": "2", "alpha": "0"}])
def test_python_computes_every_number_again(open_view, asked):
    _at, shown = open_view("tree", **asked)
    assert_python_leaves_the_same_numbers(shown, "score", "log_probability")


def test_every_prefix_has_the_number_of_the_one_it_continues(open_view):
    _at, shown = open_view("tree")
    found = shown.columns()
    for node, parent in enumerate(found["parent"]):
        if parent is None:
            assert found["step"][node] == 0
        else:
            assert found["step"][parent] == found["step"][node] - 1
            assert found["prefix"][node].startswith(found["prefix"][parent].rstrip("\ufffd"))


def test_the_best_score_is_said_as_it_is_computed(open_view):
    _at, shown = open_view("tree", alpha="0.6")
    found = shown.columns()
    rows = zip(
        *map(found.get, ("finished", "kept", "score", "log_probability", "step")), strict=True
    )
    score, total, step = max(row[2:] for row in rows if row[0] and row[1])
    penalty = ((5 + step + 1) / 6) ** 0.6
    assert score == pytest.approx(total / penalty)
    assert f"((5 + {step + 1}) / 6)^0.6 = {penalty:.3g})" in shown.seen


@pytest.mark.parametrize(("model", "marks"), [("copy", False), ("everyday", True)])
def test_pieces_of_words_show_where_words_begin(open_view, model, marks):
    at, _shown = open_view("tree", model=model, sentence="a b", beam="1")
    [tree] = at.get("vega_lite_chart")
    assert ("␣".encode() in tree.proto.SerializeToString()) == marks


def test_a_beam_that_cannot_be_is_named(open_view):
    at, shown = open_view("tree", beam="99")
    assert shown is None
    assert "beam is 99" in at.error[0].value
