import json

import pytest
import torch

from core.decoding.beam_tree import FOUND_BY_BEAM
from core.decoding.generate import forced_steps
from core.evaluate.side_by_side import decode_sentence
from core.evaluate.strategies import STRATEGIES
from core.inspection import inspect_sentence
from core.runs.run import load_run
from pages.frame.language import number, plain
from tests.pages.conftest import MODEL, ROOT
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


@pytest.mark.slow
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


def test_the_best_score_is_said_and_ends_the_tree(open_view):
    at, shown = open_view("tree", alpha="0.6", sentence="The dog slept.")
    found = shown.columns()
    rows = zip(
        *map(found.get, ("finished", "kept", "score", "log_probability", "step", "prefix")),
        strict=True,
    )
    score, total, step, prefix = max(row[2:] for row in rows if row[0] and row[1])
    assert score == pytest.approx(total / ((5 + step + 1) / 6) ** 0.6)
    assert f"“**{plain(prefix)}**” (score {number(score, 2)})" in shown.seen
    assert shown.seen.startswith("**Here it is**")
    [picture] = shown.pictures
    steps = picture.chart.to_dict()["datasets"].values()
    assert max(row["step"] for rows in steps for row in rows if "step" in row) >= step


@pytest.mark.parametrize("model", FOUND_BY_BEAM)
def test_it_opens_on_a_sentence_of_which_the_beam_finds_the_better_translation(open_page, model):
    at = open_page("decoding", decoding="tree", model=model, sentence=None)
    assert at.text_input(key="sentence").value == FOUND_BY_BEAM[model]
    [seen] = [each.value for each in at.markdown if "**Not here**" in each.value]
    assert "which the model scores higher" in seen
    [tree] = at.get("vega_lite_chart")
    assert "greedy decoding" in tree.proto.spec


def test_a_click_takes_along_the_sentence_that_the_view_opened_on(open_page):
    at = open_page("decoding", decoding="tree", model="everyday", sentence=None)
    click_node(at, 3)
    assert at.segmented_control(key="decoding").value == "steps"
    assert at.text_input(key="sentence").value == FOUND_BY_BEAM["everyday"]


def test_by_width_stands_what_each_strategy_writes(open_view):
    run = load_run(ROOT / "gallery" / MODEL)
    _at, shown = open_view("tree", tree_shown="widths", sentence="The dog slept.")
    rows = shown.columns()
    inspection = inspect_sentence(run, "The dog slept.")
    for strategy, text, total in zip(
        STRATEGIES, rows["text"], rows["log_probability"], strict=True
    ):
        steps = decode_sentence(run, inspection, strategy)
        tokens = [step.chosen for step in steps]
        assert text == run.target_tokenizer.decode(tokens)
        source_S = torch.tensor(inspection.translation.source_ids)
        forced = forced_steps(run.model, source_S, tokens, ends=False)
        assert total == pytest.approx(sum(each.log_probability for each in forced), abs=1e-4)
    # A beam keeps more than greedy decoding does.
    assert max(rows["log_probability"][:4]) >= rows["log_probability"][0]
    assert number(rows["log_probability"][3], 2) in shown.seen
