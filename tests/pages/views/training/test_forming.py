import itertools

import pyarrow as pa
import pytest

from core.analysis.heads.evenness import evenness
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.weights import stops
from tests.pages.views.attention.conftest import run_lines


def test_the_heads_of_a_layer_are_followed_through_all_snapshots(open_view, kept):
    at = open_view("forming", kept, sentence="a b c", layer="1")
    [chart] = at.get("vega_lite_chart")
    rows = pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pylist()
    found = {(row["x"], row["series"]): row["y"] for row in rows}
    assert len(found) == len(stops(kept)) * 4
    for step in stops(kept):
        inspection = inspect_sentence(load_run(kept, step), "a b c")
        site = [site for site in inspection.attention if site.attention == "decoder.cross"][1]
        attention = inspection.attention[site]
        for head, weights in enumerate(attention.weights_HQK):
            expected = evenness(weights, attention.visible_QK)
            assert found[step, f"head {head}"] == pytest.approx(expected)


def test_the_python_computes_the_entropies_that_are_drawn(open_page, kept, taken):
    open_page("training", training="forming", model="runs/mine", sentence="a b c", layer="1")
    [shown] = taken
    numbers = shown.numbers()
    found = run_lines(shown.python, kept.parents[1])
    assert found == [value for row in zip(*numbers.values(), strict=True) for value in row]
    assert sorted(set(numbers["step"])) == list(stops(kept))


def test_a_sentence_without_text_is_asked_for(open_page, taken):
    at = open_page("training", training="forming", model="copy", sentence=" ")
    assert "Type a sentence" in at.info[0].value
    assert not taken


def test_the_line_names_the_head_that_became_sharpest_and_when(open_page, kept, taken):
    open_page("training", training="forming", model="runs/mine", sentence="a b c", layer="1")
    [shown] = taken
    columns = shown.numbers()
    values = dict(
        zip(zip(columns["step"], columns["head"], strict=True), columns["entropy"], strict=True)
    )
    steps = sorted(set(columns["step"]))
    head = min(range(4), key=lambda each: values[steps[-1], each])
    falls = {(a, b): values[a, head] - values[b, head] for a, b in itertools.pairwise(steps)}
    start, end = max(falls, key=falls.get)
    assert f"Of head {head}, the sharpest in the end, the spread falls" in shown.seen
    assert f"most between steps **{start}** and **{end}**." in shown.seen
    share = f"{100 * values[steps[-1], head]:.1f}".removesuffix(".0")
    assert f"to {share}" in shown.seen
