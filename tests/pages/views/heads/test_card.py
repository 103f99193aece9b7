import json
from collections import Counter
from urllib.parse import parse_qs

import numpy as np
import pyarrow as pa
import pytest

from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.heads.card import head_card
from core.studies.heads.likeness import head_likeness
from core.studies.heads.roles import roles_of_heads
from pages.views.heads import card
from tests.pages.conftest import ROOT, component, said, send_from, unfold
from tests.pages.takeable import assert_takeable, computed, numbers_of
from viz.plane.matrices import unpack

COPY = ROOT / "gallery" / "copy"
N = 40
"""Held-out sentences: few, so that looking at them is quick."""


@pytest.fixture(autouse=True)
def _few_sentences():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card, "N_SENTENCES", N)
        yield


@pytest.fixture(scope="module")
def copy_run():
    return load_run(COPY)


def open_card(open_page, head="decoder.0.cross:0", **query):
    asked = Head.parse(head)
    chosen = {"kind": str(asked.kind), "layer": str(asked.layer), "head": str(asked.index)}
    return open_page(
        "heads", trial="card", **({"model": "copy", "sentence": "a b c"} | chosen | query)
    )


def test_a_link_opens_the_card_of_its_head(open_page, handed_over):
    at = open_card(open_page, "decoder.1.self:2")
    assert at.segmented_control(key="kind").value == "decoder.self"
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 2]
    assert handed_over[-1].title == "The card of decoder layer 1, self-attention head 2"
    assert unpack(component(at, "matrices").bytes).selected == (0, 1, 2)


def test_without_a_head_it_opens_on_the_one_that_finds_antecedents(open_page):
    at = open_page("heads", trial="card", model="translate-guided")
    assert "Encoder layer 2, self-attention head 0 looks from a pronoun at its" in said(at)


def test_a_clicked_tile_opens_the_card_of_that_head(open_page):
    at = open_card(open_page)
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": 1, "column": 3})
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 3]
    assert "Decoder layer 1, cross-attention head 3" in said(at)


def test_the_strips_are_the_rows_with_the_largest_weights(open_page, copy_run):
    at = open_card(open_page)
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"), N)
    [written] = [each.proto.body for each in at.get("html") if "token-strips" in each.proto.body]
    assert written.count('class="strip"') == len(found.strongest) == 4
    for row in found.strongest:
        fed, key = row.queries[row.query].text, row.keys[row.key].text
        assert f"{fed} ▸ {row.predicted.text} → {key} {row.weight:.2f}" in written


def test_the_pairs_are_said_with_their_count_and_share_of_the_rows(open_page, copy_run):
    at = unfold(open_card(open_page), "card_rows")
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"), N)
    (query, key), count = found.pairs[0]
    share = f"{100 * count / found.n_rows:.1f}".removesuffix(".0")
    assert f"“{query}” → “{key}” · {count} rows ({share}\u00a0%)" in said(at)
    assert f"rows: {found.n_rows:,}, of {N} held-out rows of letters, seed 0" in said(at)


def test_the_histogram_has_every_row_in_its_place(open_page, copy_run):
    at = unfold(open_card(open_page), "card_rows")
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"), N)
    places = np.minimum(np.floor(found.largest_R.astype(np.float64) * 20), 19)
    expected = Counter(zip(places.astype(int).tolist(), found.target_R.tolist(), strict=True))
    names = {"another word": "word", "a delimiter": "delimiter"}
    rows = bars_of(at)
    assert {(round(r["from"] * 20), names[r["series"]]): r["count"] for r in rows} == expected


def bars_of(at):
    """Rows of the chart's bars, whichever of its layers has them."""
    [chart] = at.get("vega_lite_chart")
    tables = [chart.proto.data.data, *(each.data.data for each in chart.proto.datasets)]
    read = [pa.ipc.open_stream(each).read_all().to_pylist() for each in tables if each]
    return next(rows for rows in read if rows and "series" in rows[0])


def test_the_heads_most_alike_are_named_and_lead_to_their_cards(open_page, copy_run):
    at = open_card(open_page)
    found = head_likeness(copy_run, Kind.CROSS)
    own = found.heads.index(Head.parse("decoder.0.cross:0"))
    others = sorted(
        (each for each in range(len(found.heads)) if each != own),
        key=lambda each: -found.likeness_NN[own, each],
    )[:3]
    links = [each.proto for each in at.get("page_link") if "trial=card" in each.proto.query_string]
    expected = [found.heads[each] for each in others]
    assert [link.label for link in links] == [
        f"layer {head.layer}, head {head.index}: {found.likeness_NN[own, at]:.2f}"
        for head, at in zip(expected, others, strict=True)
    ]
    query = {name: texts[0] for name, texts in parse_qs(links[0].query_string).items()}
    opened = open_page("heads", **query)
    where = f"Decoder layer {expected[0].layer}, cross-attention head {expected[0].index}"
    assert where in said(opened)


def test_heads_that_were_not_measured_say_so(open_page, own_copy):
    at = open_card(open_page, model="runs/mine")
    assert "what silencing it costs was not measured" in said(at)
    assert "not measured on these weights" in said(at)


@pytest.mark.parametrize("head", ["encoder.0.self:0", "decoder.0.self:0", "decoder.0.cross:0"])
def test_a_model_of_one_head_has_a_card(open_page, own_random, head):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at = open_card(open_page, head, model="runs/random")
    assert "there is no other head of its kind" in said(at)
    assert "no role" in said(at) or "looks at" in said(at) or "points at" in said(at)


def test_a_model_of_many_heads_has_a_card(open_page, own_random):
    own_random(n_encoder_layers=2, n_decoder_layers=2, n_heads=16)
    at = open_card(open_page, "encoder.1.self:15", model="runs/random")
    assert unpack(component(at, "matrices").bytes).panels[0].values.shape == (2, 16)


def test_a_run_whose_pairs_are_gone_says_why_there_is_no_card(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_card(open_page, model="runs/mine")
    assert at.error


@pytest.mark.parametrize("head", ["encoder.1.self:3", "decoder.1.self:2", "decoder.1.cross:1"])
def test_what_is_taken_away_is_computed_again(open_page, handed_over, copy_run, head):
    at = open_card(open_page, head)
    shown = handed_over[-1]
    assert_takeable(at, shown)
    assert computed(shown) == pytest.approx(numbers_of(shown, "weight", "count"), abs=1e-6)
    columns = shown.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    role = next(e for e in roles_of_heads(copy_run, N).heads if str(e.head) == head)
    assert {r["name"]: r["value"] for r in rows if r["what"] == "role"} == {
        str(name): score.value for name, score in role.scores.items()
    }


def test_a_german_reader_sees_german_numbers(german, open_page):
    at = open_card(open_page, lang="de")
    assert "1,00" in "".join(each.proto.body for each in at.get("html"))
