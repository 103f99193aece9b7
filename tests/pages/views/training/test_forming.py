import re

import pyarrow as pa
import pytest

from core.heads import Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.runs.weights import stops
from core.studies.heads.evenness import evenness
from pages.frame.language import percent
from pages.views.training import forming
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
            expected = evenness(weights, attention.even_QK)
            assert found[step, f"layer 1, head {head}"] == pytest.approx(expected)


def test_the_ends_of_the_axis_and_what_is_sharp_are_drawn(open_view, kept):
    at = open_view("forming", kept, sentence="a b c", layer="1")
    strips = [each for each in at.get("html") if "token-strips" in str(each.proto)]
    assert [re.search(r'aria-label="(.*?)"', str(each.proto.body))[1] for each in strips] == [
        "100\xa0%: all alike",
        "0\xa0%: one alone",
    ]
    chart = at.get("vega_lite_chart")[0].proto
    tables = [pa.ipc.open_stream(each.data.data).read_all().to_pylist() for each in chart.datasets]
    [level] = [table for table in tables if "text" in table[0]]
    assert level == [{"y": forming.SHARP, "text": f"sharp: below {percent(forming.SHARP)}"}]


def test_the_python_computes_the_entropies_that_are_drawn(open_page, kept, taken):
    open_page("training", training="forming", model="runs/mine", sentence="a b c", layer="1")
    [shown] = taken
    numbers = shown.columns()
    found = run_lines(shown.snippet(), kept.parents[1])
    assert found == [value for row in zip(*numbers.values(), strict=True) for value in row]
    assert sorted(set(numbers["step"])) == list(stops(kept))


def test_a_sentence_without_text_is_asked_for(open_page, taken):
    at = open_page("training", training="forming", model="copy", sentence=" ")
    assert "Type a sentence" in at.info[0].value
    assert not taken


def test_the_line_says_of_the_last_snapshot_how_evenly_heads_spread(open_page, kept, taken):
    open_page("training", training="forming", model="runs/mine", sentence="a b c", layer="1")
    [shown] = taken
    columns = shown.columns()
    last = max(columns["step"])
    of_last = [
        value
        for step, value in zip(columns["step"], columns["entropy"], strict=True)
        if step == last
    ]
    assert max(of_last) > forming.SHARP
    assert (
        f"At step **{last}**, the last, not all heads of decoder layer 1 cross-attention"
        in shown.seen
    )
    assert f"**{percent(min(of_last))} to {percent(max(of_last))}**" in shown.seen


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            {0: [0.9, 0.8], 100: [0.5, 0.2], 200: [0.2, 0.1], 300: [0.1, 0.1]},
            "By step **200** all heads of decoder layer 0 cross-attention are sharp: **10 % to "
            "20 %**; at step 100 still 20 % to 50 %.",
        ),
        (
            {0: [0.9, 0.8], 100: [0.2, 0.1], 200: [0.3, 0.1]},
            "At step **200**, the last, not all heads of decoder layer 0 cross-attention are "
            "sharp: **10 % to 30 %**; at step 0, 80 % to 90 %.",
        ),
        (
            {0: [0.2, 0.2], 100: [0.1, 0.1]},
            "All heads of decoder layer 0 cross-attention are sharp from step **0** on: **20 %**.",
        ),
        ({0: [0.2]}, "Only one snapshot was kept, so there is no change to see."),
    ],
)
def test_heads_are_sharp_from_the_step_on_after_which_none_spreads_again(found, said):
    site = Site.parse("decoder.0.cross")
    assert forming._seen(found, site).replace("\u00a0", " ") == said
