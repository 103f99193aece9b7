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
from tests.pages.conftest import ROOT, component, said, send_from, unfold
from tests.viz.unpacked import unpack_matrices as unpack

COPY = ROOT / "gallery" / "copy"


@pytest.fixture(scope="module")
def copy_run():
    return load_run(COPY)


def open_head(open_page, head="decoder.0.cross:0", **query):
    asked = Head.parse(head)
    chosen = {"kind": str(asked.kind), "layer": str(asked.layer), "head": str(asked.index)}
    return open_page(
        "heads", trial="head", **({"model": "copy", "sentence": "a b c"} | chosen | query)
    )


def test_a_link_opens_the_card_of_its_head(open_page, taken):
    at = open_head(open_page, "decoder.1.self:2")
    assert at.segmented_control(key="kind").value == "decoder.self"
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 2]
    assert taken[-1].title == "All that is known of decoder layer 1, self-attention head 2"
    assert unpack(component(at, "matrices").bytes).selected == (0, 1, 2)


def test_a_clicked_tile_opens_the_card_of_that_head(open_page):
    at = open_head(open_page)
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": 1, "column": 3})
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 3]
    assert "Decoder layer 1, cross-attention head 3" in said(at)


def test_the_strips_are_the_rows_with_the_largest_weights(open_page, copy_run):
    at = open_head(open_page)
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"))
    [written] = [each.proto.body for each in at.get("html") if "token-strips" in each.proto.body]
    assert written.count('class="strip"') == len(found.strongest) == 4
    for row in found.strongest:
        fed, key = row.queries[row.query].text, row.keys[row.key].text
        assert f"{fed} ▸ {row.predicted.text} → {key} {row.weight:.2f}" in written


def test_the_pairs_are_said_with_their_count_and_share_of_the_rows(open_page, copy_run):
    at = unfold(open_head(open_page), "head_rows")
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"))
    (query, key), count = found.pairs[0]
    share = f"{100 * count / found.n_rows:.1f}".removesuffix(".0")
    assert f"“{query}” → “{key}” · {count} rows ({share}\u00a0%)" in said(at)
    assert f"rows: {found.n_rows:,}, of 400 held-out rows of letters, seed 0" in said(at)


def test_the_histogram_has_every_row_in_its_place(open_page, copy_run):
    at = unfold(open_head(open_page), "head_rows")
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"))
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
    at = open_head(open_page)
    found = head_likeness(copy_run, Kind.CROSS)
    own = found.heads.index(Head.parse("decoder.0.cross:0"))
    others = sorted(
        (each for each in range(len(found.heads)) if each != own),
        key=lambda each: -found.likeness_NN[own, each],
    )[:3]
    links = [each.proto for each in at.get("page_link") if "trial=head" in each.proto.query_string]
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
    at = open_head(open_page, model="runs/mine")
    assert "what silencing it costs was not measured" in said(at)
    assert "not measured on these weights" in said(at)


@pytest.mark.parametrize("head", ["encoder.0.self:0", "decoder.0.self:0", "decoder.0.cross:0"])
def test_a_model_of_one_head_has_a_card(open_page, own_random, head):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at = open_head(open_page, head, model="runs/random")
    assert "there is no other head of its kind" in said(at)
    assert "no role" in said(at) or "looks at" in said(at) or "points at" in said(at)


def test_a_run_whose_pairs_are_gone_says_why_there_is_no_card(open_page, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    (own_copy / "run.json").write_text(json.dumps(settings | {"task": "pairs.tsv"}))
    at = open_head(open_page, model="runs/mine")
    assert at.error


def test_all_heads_of_its_kind_stand_where_they_are_alike(open_page, copy_run):
    at = unfold(open_head(open_page), "head_alike")
    found = head_likeness(copy_run, Kind.CROSS)
    own = found.heads.index(Head.parse("decoder.0.cross:0"))
    others, chosen = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert chosen["customdata"] == [own]
    assert sorted(others["customdata"] + [own]) == list(range(len(found.heads)))
    assert chosen["text"][0].startswith("0.0 ")
