import json

import pytest

from core.evaluate.intervals import Difference
from core.runs.run import RunError, load_run
from core.studies.effects.ablation import every_head
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.pruning import (
    BY_SCORE,
    GREEDY,
    greedy_pruning,
    heads_needed,
    pruning_by_score,
)
from core.studies.effects.stored import PRUNING, store_effects, store_pruning
from pages.frame.language import percent
from pages.views.heads import prune
from pages.views.heads.prune_findings import ORDERS
from tests.pages.conftest import chart_rows, said
from tests.pages.views.heads.conftest import assert_computed_again

N = 6
"""Held-out sentences: few, so that pruning is quick."""


GREEDY_NAME, FIXED_NAME = ORDERS["greedy"], ORDERS["by_score"]


@pytest.fixture(autouse=True)
def _few_sentences():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune, "N_PRUNED", N)
        yield


@pytest.fixture
def open_prune(open_page, own_copy):
    return lambda: open_page("heads", trial="prune", model="runs/mine")


def buttons(at):
    return [button.key for button in at.button if button.key in (prune.START, prune.STOP)]


def pruned(at):
    """Press the button, and look again and again until nothing is left to be done."""
    at.button(key=prune.START).click().run()
    for _ in range(400):
        assert not at.exception, at.exception
        if not buttons(at):
            return
        at.run()
    raise AssertionError("it does not come to an end")


def shown(at, name):
    """Return heads left → exact match, of one line."""
    return {row["x"]: row["y"] for row in chart_rows(at) if row["series"] == name}


def measured(path):
    """Store effects with a loss for each head: the later in the model, the cheaper."""
    own, nothing = load_run(path), Difference(1.0, 1.0, -0.1, 0.1, 400)
    heads = every_head(own.model)
    found = [
        HeadEffect(head, nothing, Difference(0.1, 0.1 + cost, 0.0, 1.0, 400), None)
        for cost, head in zip(range(len(heads), 0, -1), heads, strict=True)
    ]
    store_effects(path, HeadEffects(tuple(found), 400, 0, own.step))
    return dict(zip(heads, (each.loss.change for each in found), strict=True))


def test_nothing_is_measured_before_somebody_asks(open_prune, own_copy):
    at = open_prune()
    n = len(every_head(load_run(own_copy).model))
    assert buttons(at) == [prune.START]
    assert not at.get("vega_lite_chart")
    assert "**What you see**] Nothing is measured yet: press “Prune”." in said(at)
    assert f"{n} heads one after the other: about {n * (n + 1) // 2} passes" in said(at)


def looked_until_more(at):
    """Look again and again until there is a point more."""
    before = points(at)
    for _ in range(100):
        at.run()
        if points(at) > before:
            return
    raise AssertionError("no point is added")


def points(at):
    return len(chart_rows(at)) if at.get("vega_lite_chart") else 0


def test_looking_adds_points_and_says_how_far_it_is(open_prune, own_copy):
    at = open_prune()
    at.button(key=prune.START).click().run()
    looked_until_more(at)
    looked_until_more(at)
    [bar] = at.get("progress")
    n = len(every_head(load_run(own_copy).model))
    assert bar.proto.text.startswith(
        f"order “{GREEDY_NAME}”: {points(at) - 1} of {n} heads silenced"
    )
    assert f"{bar.proto.value}" in bar.proto.text
    assert buttons(at) == [prune.STOP]


def test_the_greedy_order_comes_first_and_the_bar_is_of_the_order_at_work(open_prune, own_copy):
    measured(own_copy)
    at = open_prune()
    at.button(key=prune.START).click().run()
    looked_until_more(at)
    assert shown(at, FIXED_NAME) == {}
    for _ in range(300):
        if shown(at, FIXED_NAME):
            break
        at.run()
    [bar] = at.get("progress")
    done = len(shown(at, FIXED_NAME)) - 1
    assert bar.proto.text.startswith(f"order “{FIXED_NAME}”: {done} of ")


def test_the_greedy_curve_is_that_of_the_model(open_prune, own_copy):
    at = open_prune()
    pruned(at)
    expected = list(greedy_pruning(load_run(own_copy), N))
    assert shown(at, GREEDY_NAME) == {point.n_left: point.exact_match for point in expected}
    assert shown(at, FIXED_NAME) == {}
    needed, of = heads_needed(expected), expected[0].n_left
    assert f"**{of - needed}** of {of} heads can go" in said(at)
    [at_needed] = [point.exact_match for point in expected if point.n_left == needed]
    shares = percent(at_needed), percent(expected[0].exact_match)
    found = "{} of 6 sentences are still right (with all {})"
    assert found.format(*shares) in said(at)
    assert f"{expected[0].n} held-out rows of letters, seed 0" in said(at)
    assert "The same sentences choose" in said(at)


def test_heads_go_by_what_each_costs_by_itself_where_that_was_measured(open_prune, own_copy):
    scores = measured(own_copy)
    at = open_prune()
    pruned(at)
    expected = list(pruning_by_score(load_run(own_copy), scores, N))
    assert shown(at, FIXED_NAME) == {point.n_left: point.exact_match for point in expected}
    assert len(shown(at, GREEDY_NAME)) == len(expected)
    assert "needs what each head costs" not in said(at)


def test_a_pause_leaves_the_curve_as_it_is_and_it_goes_on_from_there(open_prune):
    at = open_prune()
    at.button(key=prune.START).click().run()
    looked_until_more(at)
    at.button(key=prune.STOP).click().run()
    before = len(chart_rows(at))
    last = chart_rows(at)[-1]
    share, n_left = percent(last["y"]), last["x"]
    assert f"“{GREEDY_NAME}”, exact match is **{share}** with {n_left} of " in said(at)
    at.run()
    assert len(chart_rows(at)) == before
    assert at.button(key=prune.START).label == "Go on"
    at.button(key=prune.START).click().run()
    looked_until_more(at)
    assert len(chart_rows(at)) > before


def test_what_was_measured_is_there_for_the_next_visitor(open_prune):
    first = open_prune()
    pruned(first)
    second = open_prune()
    assert chart_rows(second) == chart_rows(first)
    assert not buttons(second)


def test_why_it_cannot_be_measured_is_said(open_prune, monkeypatch):
    def refuse(*_arguments):
        raise RunError("its task cannot be read")
        yield

    monkeypatch.setattr(prune, "greedy_passes", refuse)
    at = open_prune()
    at.button(key=prune.START).click().run()
    assert not at.exception
    assert "its task cannot be read" in at.error[0].value
    assert buttons(at) == [prune.START]


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(
    open_prune, own_copy, handed_over
):
    measured(own_copy)
    at = open_prune()
    assert handed_over[-1].columns()["order"] == []
    pruned(at)
    columns = handed_over[-1].columns()
    for name, label in ORDERS.items():
        rows = [row for row, order in enumerate(columns["order"]) if order == name]
        found = {columns["heads_left"][row]: columns["exact_match"][row] for row in rows}
        assert found == shown(at, label)
    names = ("exact_match", "loss")
    assert_computed_again(at, handed_over[-1], *names, root=own_copy.parents[1])


def test_what_was_measured_before_is_shown_at_once(open_prune, own_copy):
    own = load_run(own_copy)
    scores = measured(own_copy)
    curves = {
        GREEDY: tuple(greedy_pruning(own, N)),
        BY_SCORE: tuple(pruning_by_score(own, scores, N)),
    }
    store_pruning(own, curves)
    at = open_prune()
    assert buttons(at) == []
    for name, points in curves.items():
        wanted = {each.n_left: each.exact_match for each in points}
        assert shown(at, ORDERS[name]) == wanted
    assert "Fixed order: **" in said(at)


def test_a_damaged_file_is_said_and_pruning_can_begin(open_prune, own_copy):
    store_pruning(load_run(own_copy), {GREEDY: tuple(greedy_pruning(load_run(own_copy), N))})
    stored = json.loads((own_copy / PRUNING).read_text())
    stored["orders"]["greedy"].pop()
    (own_copy / PRUNING).write_text(json.dumps(stored))
    at = open_prune()
    assert "json is damaged" in at.error[0].value
    assert buttons(at) == [prune.START]
