import re

import numpy as np
import pytest

from core.heads import Kind, Site
from core.inspection import inspect_sentence, merged
from core.runs.run import load_run
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.summaries import head_summaries
from pages.views.attention import heads
from tests.pages.conftest import ROOT, said, tick_rows, ticked_rows
from tests.pages.views.attention.conftest import run_lines, seen

TIRED = "The animal didn't cross the street because it was too tired."
KINDS = {"encoder self": "encoder.self", "decoder self": "decoder.self", "cross": "decoder.cross"}
NUMBERS = ("in_rows", "by_chance", "entropy", "distance", "largest", "evenness")


def table(at):
    [found] = at.dataframe
    return found.value


def places(at):
    rows = table(at)
    return list(zip(rows["layer"], rows["head"], strict=True))


def tick(at, *rows):
    [found] = at.dataframe
    tick_rows(at, found, *rows)


def ticked(at):
    """Return layer and head of the row that is ticked."""
    [row] = ticked_rows(at, heads.TABLE)
    return places(at)[row]


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_that_of_the_summaries(open_view, kind):
    at, taken = open_view("heads", kind=kind)
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)
    expected = {
        (s.head.layer, s.head.index): s for s in head_summaries(inspection, Kind(KINDS[kind]))
    }
    rows = table(at)
    assert set(places(at)) == set(expected)
    for _, row in rows.iterrows():
        summary = expected[row["layer"], row["head"]]
        assert (row["entropy"], row["distance"], row["largest"]) == (
            summary.entropy,
            summary.distance,
            summary.confidence,
        )
        assert row["in_rows"] == 100 * summary.pattern.share
        assert row["by_chance"] == 100 * summary.pattern.chance


def test_the_heads_that_differ_most_from_chance_stand_on_top(open_view):
    at, _ = open_view("heads")
    rows = table(at)
    assert (rows["in_rows"] - rows["by_chance"]).dropna().is_monotonic_decreasing


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_which_head_differs_most_from_chance_and_how_many_have_a_pattern(
    open_view, kind
):
    at, taken = open_view("heads", kind=kind, sort="entropy")
    columns = taken.columns()
    above = np.subtract(columns["in_rows"], columns["by_chance"])
    top = min(
        (-round(gain, 9), layer, head, row)
        for row, (gain, layer, head) in enumerate(
            zip(above, columns["layer"], columns["head"], strict=True)
        )
    )[-1]
    stack, name = KINDS[kind].split(".")
    where = f"{stack.capitalize()} layer {columns['layer'][top]}, {name}-attention head "
    alike = sum(abs(each - above[top]) < 1e-9 for each in above) > 1
    how = "differs from chance as much as any" if alike else "differs most from chance"
    assert seen(at).startswith(f"**{where}{columns['head'][top]}** {how}: ")
    share, chance = (100 * columns[name][top] for name in ("in_rows", "by_chance"))
    assert f"{share:.1f}".removesuffix(".0") + " % of" in seen(at)
    assert f"by chance {chance:.1f}".removesuffix(".0") + " %)" in seen(at)
    clear = sum(
        share >= max(0.5, 2 * chance)
        for share, chance in zip(columns["in_rows"], columns["by_chance"], strict=True)
    )
    assert f"Clear patterns: **{clear}** of {len(above)} heads." in seen(at)
    found = best_pronoun_head(load_run(ROOT / "gallery" / "translate-guided"), Kind(KINDS[kind]))
    told = [str(does).replace("\u00a0", " ") for does in columns["does"]]
    known = [each.split("; ")[-1] for each in told if "antecedents" in each]
    is_known = found is not None and found.beats_baseline
    measured = "in tests finds antecedents (100 % of 777 ambiguous pronouns)"
    assert known == [measured] * is_known


def test_of_a_sentence_without_a_pronoun_nothing_is_said_of_antecedents(open_view):
    at, _ = open_view("heads", sentence="Schwarzenegger was here", unit="words")
    rows = table(at)
    assert not rows["does"].str.contains("antecedents").any()
    # Only heads without any pattern have no share of rows, and stand below the others.
    assert rows["in_rows"].isna().is_monotonic_increasing


def test_the_head_of_which_this_is_said_is_not_described_twice(open_view):
    at, _ = open_view("heads")
    layer, head = places(at)[0]
    at, _ = open_view("heads", layer=str(layer), head=str(head))
    assert said(at).count("by chance ") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_of_one_letter_no_more_is_said_than_there_is(open_view, kind):
    at, taken = open_view("heads", model="copy", sentence="a", kind=kind)
    columns = taken.columns()
    patterns = [share for share in table(at)["in_rows"] if share == share]
    above = np.subtract(columns["in_rows"], columns["by_chance"])
    if not patterns:
        assert seen(at).startswith("Each head here: ")
    elif max(above) <= 0:
        assert seen(at) == "No head differs from chance here."
    else:
        alike = sum(above == max(above)) > 1
        how = "differs from chance as much as any" if alike else "differs most from chance"
        assert f"** {how}: " in seen(at)


@pytest.mark.parametrize("sort", ["entropy", "distance"])
def test_heads_are_sorted_by_what_is_asked_for(open_view, sort):
    at, _ = open_view("heads", sort=sort)
    assert table(at)[sort].is_monotonic_increasing


def test_the_pair_begins_with_the_pronoun_and_what_it_stands_for(open_view):
    at, taken = open_view("heads", sort="pair")
    assert at.selectbox(key="query").value == 8
    assert at.selectbox(key="key").value == 1
    assert taken.title.endswith("it → animal")
    assert places(at)[0] == (2, 0)
    assert table(at)["pair"].is_monotonic_decreasing


def test_the_pair_begins_with_the_largest_weight_where_there_is_no_pronoun(open_view):
    at, _ = open_view("heads", model="copy", kind="cross", sort="pair", sentence="a b c")
    attention = inspect_sentence(load_run(ROOT / "gallery" / "copy"), "a b c").attention
    largest = max(
        found.weights_HQK.max() for site, found in attention.items() if site.sublayer == "cross"
    )
    assert table(at)["pair"].max() == largest


def test_the_weight_of_another_pair_is_the_models_own(open_view):
    at, _ = open_view("heads", sort="pair")
    at.selectbox(key="query").set_value(3).run()
    at.selectbox(key="key").set_value(6).run()
    assert (at.query_params["query"], at.query_params["key"]) == ("3", "6")
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)
    for place, weight in zip(places(at), table(at)["pair"], strict=True):
        attention = inspection.attention[Site("encoder", place[0], "self")]
        assert weight == attention.weights_HQK[place[1], 3, 6]


def test_a_link_opens_the_same_pair(open_view):
    at, taken = open_view("heads", sort="pair", query="2", key="4")
    assert (at.selectbox(key="query").value, at.selectbox(key="key").value) == (2, 4)
    assert taken.title.endswith("did → cross")


@pytest.mark.parametrize("value", ["99", "-1", "it", "", "1.5", "9" * 5000, "²"])
def test_a_link_to_a_token_that_is_not_there_falls_back(open_view, value):
    at, _ = open_view("heads", sort="pair", query=value, key=value)
    assert (at.selectbox(key="query").value, at.selectbox(key="key").value) == (8, 1)


def test_a_pair_that_the_mask_hides_has_no_weight(open_view):
    at, taken = open_view("heads", kind="decoder self", sort="pair", query="1", key="5")
    assert table(at)["pair"].isna().all()
    assert set(taken.columns()["pair"]) == {None}
    assert run_lines(taken.snippet()) == [x for name in NUMBERS for x in taken.columns()[name]]


def test_a_ticked_row_chooses_its_head(open_view):
    at, _ = open_view("heads")
    row, chosen = next(each for each in enumerate(places(at)) if each[1] != ticked(at))
    tick(at, row)
    assert ticked(at) == chosen
    at.segmented_control(key="view").set_value("maps").run()
    assert (at.selectbox(key="layer").value, at.selectbox(key="head").value) == chosen


def test_a_head_stays_chosen_when_its_tick_is_taken_away(open_view):
    at, _ = open_view("heads")
    tick(at)
    assert ticked(at) == (2, 0)


def test_the_chosen_head_is_ticked_and_described(open_view):
    at, _ = open_view("heads", layer="1", head="2")
    assert ticked(at) == (1, 2)
    assert "Encoder layer 1, self-attention head 2: " in said(at)
    assert "14 rows" in said(at)


def test_its_map_is_one_click_away(open_view):
    at, _ = open_view("heads", layer="1", head="2")
    at.button(key="heads_to_maps").click().run()
    assert not at.exception
    assert at.segmented_control(key="view").value == "maps"
    assert (at.selectbox(key="layer").value, at.selectbox(key="head").value) == (1, 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", ["tokens", "whole words"])
def test_lines_compute_the_same_numbers(open_view, kind, unit):
    _, taken = open_view("heads", kind=kind, unit=unit, sentence="Zorbik saw it.")
    columns = taken.columns()
    assert run_lines(taken.snippet()) == [x for name in NUMBERS for x in columns[name]]


def test_lines_compute_the_weight_of_the_pair(open_view):
    _, taken = open_view("heads", sort="pair", query="2", key="4")
    columns = taken.columns()
    wanted = [x for name in (*NUMBERS, "pair") for x in columns[name]]
    assert run_lines(taken.snippet()) == wanted
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate-guided"), TIRED)
    expected = [
        attention.weights_HQK[:, 2, 4].tolist()
        for site, attention in inspection.attention.items()
        if site.attention == "encoder.self"
    ]
    assert columns["pair"] == sorted(np.ravel(expected).tolist(), reverse=True)


def test_whole_words_are_summarised_as_words(open_view):
    sentence = "Zorbik saw the dog."
    at, _ = open_view("heads", sentence=sentence, unit="whole words")
    run = load_run(ROOT / "gallery" / "translate-guided")
    expected = head_summaries(merged(inspect_sentence(run, sentence)), Kind.ENCODER_SELF)
    assert sorted(table(at)["entropy"]) == sorted(each.entropy for each in expected)
    assert f"{expected[0].rows} rows" in said(at)


@pytest.mark.parametrize(
    ("sentence", "word", "n_tokens", "n_all"),
    [
        ("He photographed Schwarzenegger yesterday.", "Schwarzenegger", 9, 18),
        ("She visited Constantinople.", "Constantinople", 5, 10),
        ("I like Mississippi.", "Mississippi", 6, 10),
    ],
)
def test_a_word_of_many_tokens_is_no_pattern_of_heads_that_are_nearly_even(
    open_view, sentence, word, n_tokens, n_all
):
    asked = {"model": "everyday", "sentence": sentence, "unit": "words", "kind": "encoder.self"}
    at, _ = open_view("heads", **asked)
    rows = table(at)
    about_it = rows[rows["does"].str.contains(word)]
    assert len(about_it) > 0
    assert about_it["by_chance"].tolist() == pytest.approx([100 * n_tokens / n_all] * len(about_it))
    assert about_it["does"].str.startswith("varies").all()
    clear = int(re.search(r"Clear patterns: \*\*(\d+)\*\* of 12 heads", seen(at))[1])
    assert clear < 6


def test_a_head_without_a_pattern_has_no_share_of_rows(open_view, own_random):
    own_random(n_encoder_layers=1)
    at, _ = open_view("heads", model="runs/random", sentence="a a a a", kind="encoder self")
    even = table(at)["does"] == "spreads nearly evenly"
    assert even.any()
    assert table(at)["in_rows"][even].isna().all()


@pytest.mark.parametrize(("layers", "n_heads"), [(1, 1), (12, 16)])
def test_every_head_of_any_model_has_a_row(open_view, own_random, layers, n_heads):
    own_random(n_encoder_layers=layers, n_decoder_layers=layers, n_heads=n_heads)
    at, taken = open_view("heads", model="runs/random", sentence="a b", sort="pair")
    assert len(table(at)) == layers * n_heads
    assert len(taken.columns()["entropy"]) == layers * n_heads


@pytest.mark.parametrize("sort", heads.SORTS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_token_has_a_row_for_each_head(open_view, sort, kind):
    at, _ = open_view("heads", model="copy", sentence="a", kind=kind, sort=sort)
    assert len(table(at)) == 8


def test_five_hundred_tokens_are_summarised(open_view):
    at, taken = open_view("heads", model="copy", sentence="a b c d " * 200, sort="pair")
    assert set(taken.columns()["of_rows"]) == {512}


@pytest.mark.parametrize("sort", heads.SORTS)
def test_files_have_the_table_s_rows_and_columns_and_say_which_head_is_chosen(open_view, sort):
    at, taken = open_view("heads", sort=sort, layer="1", head="2")
    columns, rows = taken.columns(), table(at)
    assert list(zip(columns["layer"], columns["head"], strict=True)) == places(at)
    assert list(columns) == [*list(rows)[1:], "evenness", "of_rows"]
    assert columns["entropy"] == rows["entropy"].tolist()
    assert taken.about["head"] == "Encoder layer 1, self-attention head 2"
    assert run_lines(taken.snippet()) == [
        x for name in (*NUMBERS, *(["pair"] if sort == "pair" else [])) for x in columns[name]
    ]


def test_the_order_stays_when_another_view_was_looked_at_meanwhile(open_view):
    at, _ = open_view("heads", sort="distance")
    at.segmented_control(key="view").set_value("word").run()
    assert at.segmented_control(key="order").value == "largest"
    at.segmented_control(key="order").set_value("layer").run()
    at.segmented_control(key="view").set_value("heads").run()
    assert at.segmented_control(key="sort").value == at.query_params["sort"] == "distance"
    distances = table(at)["distance"].tolist()
    assert distances == sorted(distances)
    at.segmented_control(key="view").set_value("word").run()
    assert at.segmented_control(key="order").value == at.query_params["order"] == "layer"
