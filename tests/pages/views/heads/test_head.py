import re
from urllib.parse import parse_qs

import numpy as np
import pytest

from core.evaluate.intervals import Difference
from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect
from core.studies.effects.head_report import head_card, head_likeness
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import HeadRole, roles_of_heads
from pages.frame.language import number
from pages.views.heads import head_findings, head_map
from tests.pages.conftest import ROOT, component, said, send_from
from tests.viz.unpacked import unpack_matrices as unpack

UNSURE = Difference(0.9, 0.9, -0.01, 0.01, 400)
WORSE = Difference(0.9, 0.7, -0.25, -0.15, 400)
BETTER = Difference(0.7, 0.75, 0.01, 0.09, 400)
HEAD = Head.parse("encoder.0.self:0")


@pytest.fixture(scope="module")
def copy_run():
    return load_run(ROOT / "gallery" / "copy")


def open_head(open_page, head="decoder.0.cross:0", **query):
    asked = Head.parse(head)
    chosen = {"kind": str(asked.kind), "layer": str(asked.layer), "head": str(asked.index)}
    return open_page(
        "heads", trial="head", **({"model": "copy", "sentence": "a b c"} | chosen | query)
    )


def role_of(role, *, offset=-2, head="encoder.0.self:0"):
    score = {} if role is None else {role: Score(0.9, 0.1, "any key", 100)}
    return HeadRole(
        head=Head.parse(head),
        scores=score,
        offset=offset,
        evenness=0.5,
        confidence=0.5,
        n_rows=100,
        n_sentences=10,
    )


def seen(role, effect=None, **more):
    return head_findings.seen(role, effect, **more).replace("\u00a0", " ")


def effect(exact=UNSURE, loss=UNSURE, pronoun=None):
    return HeadEffect(HEAD, exact, loss, pronoun)


@pytest.mark.slow
def test_a_clicked_tile_opens_what_is_known_of_that_head(open_page, taken):
    at = open_head(open_page, "decoder.1.self:2")
    assert unpack(component(at, "matrices").bytes).selected == (0, 1, 2)
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": 1, "column": 3})
    assert [at.selectbox(key=name).value for name in ("layer", "head")] == [1, 3]
    assert taken[-1].title == "All that is known of decoder layer 1, self-attention head 3"


@pytest.mark.slow
def test_tiles_are_the_heads_by_layer_with_role_and_how_often_it_holds(open_page, copy_run):
    [panel] = unpack(component(open_head(open_page), "matrices").bytes).panels
    found = {each.head: each for each in roles_of_heads(copy_run, 400).heads}
    expected = [
        [found[Head(Kind.CROSS.site(layer), index)] for index in range(4)] for layer in range(2)
    ]
    shares = [
        [each.scores[each.leading].value if each.leading else 0 for each in row] for row in expected
    ]
    assert panel.values == pytest.approx(np.array(shares, np.float32))
    assert panel.texts == [[head_map.tile(each) for each in row] for row in expected]


@pytest.mark.slow
def test_a_strip_of_each_fifth_shows_where_the_head_looks(open_page, copy_run):
    at = open_head(open_page)
    found = head_card(copy_run, Head.parse("decoder.0.cross:0"), roles_of_heads(copy_run))
    [written] = [each.proto.body for each in at.get("html") if "token-strips" in each.proto.body]
    assert written.count('class="strip"') == len(found.strata) == 5
    for row in found.strata:
        fed, key = row.queries[row.query].text, row.keys[row.key].text
        most = f"{row.weights_K.max():.2f}"
        assert f"{fed} ▸ {row.predicted.text} → {key} {most}" in written
        assert f"{most}</span>" in written


@pytest.mark.slow
def test_a_row_has_one_number_where_the_word_looked_at_is_in_pieces(open_page):
    # The pieces of a made-up word have 0.64 and 0.10 of the weight: the word has 0.74.
    at = open_head(open_page, "encoder.2.self:1", model="everyday")
    [written] = [each.proto.body for each in at.get("html") if "token-strips" in each.proto.body]
    for strip in written.split('class="strip"')[1:]:
        numbers = re.findall(r">(\d\.\d\d)<", strip)
        assert len(numbers) == 1 and f' {numbers[0]}"' in strip


@pytest.mark.slow
def test_it_is_said_what_a_decoder_head_writes_in_the_chosen_example(open_page, copy_run):
    found = head_card(copy_run, Head.parse("decoder.1.cross:0"), roles_of_heads(copy_run))
    for example, row in enumerate(found.strata[:2]):
        text = said(open_head(open_page, "decoder.1.cross:0", example=str(example)))
        token, effect = row.predicted.text, number(row.written.on_target, 2, signed=True)
        assert f"- this token: **{token}** {effect}\n- promotes most: " in text
        token, effect = row.written.promoted[0]
        assert f"promotes most: **{token.text}** {number(effect, 2, signed=True)}; " in text
    text = said(open_head(open_page, "encoder.0.self:0"))
    assert "changes the output only through cross-attention" in text
    assert "promotes most" not in text


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
    where = f"Decoder layer {expected[0].layer}, cross-attention head {expected[0].index}"
    assert where in said(open_page("heads", **query))


def test_a_model_of_one_head_has_a_card(open_page, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=1, n_heads=1)
    at = open_head(open_page, "encoder.0.self:0", model="runs/random")
    assert "there is no other head of its kind" in said(at)
    assert "not measured on these weights" in said(at)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "what silencing it costs was not measured"),
        (effect(), "when it is silenced, no change was found"),
        (effect(WORSE), "exact match goes from 90 % to **70 %**"),
        (effect(loss=WORSE), "only the loss changes: by −0.200 nats per token"),
        (effect(pronoun=WORSE), "**70 %** of the pronouns are right instead of 90 %"),
        (effect(BETTER, pronoun=WORSE), "exact match goes from 70 % to **75 %**"),
    ],
)
def test_what_silencing_costs_is_said_only_where_it_is_sure(found, words):
    assert words in seen(role_of(Role.NEXT), found)
