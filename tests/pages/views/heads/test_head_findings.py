import json
from dataclasses import replace

import numpy as np
import pytest

from core.evaluate.intervals import Difference
from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.heads.card import Examples, HeadCard, HeadRow, Target
from core.studies.heads.question import Role, Score
from core.studies.heads.roles import Measure
from core.tokenizer.tokenizer import Token
from pages.views.heads import head_findings
from tests.pages.conftest import ROOT, said
from tests.pages.views.heads.test_head_map import role_of

UNSURE = Difference(0.9, 0.9, -0.01, 0.01, 400)
WORSE = Difference(0.9, 0.7, -0.25, -0.15, 400)
BETTER = Difference(0.7, 0.75, 0.01, 0.09, 400)
HEAD = Head.parse("encoder.0.self:0")
COPY = load_run(ROOT / "gallery" / "copy")


def card(**changed):
    targets = np.array(["word", "word", "same", "delimiter"])
    found = HeadCard(HEAD, (), (), {}, np.full(4, 0.5), targets, 0.1, 10)
    return replace(found, **changed)


def seen(role, effect=None, untrained=False):
    return head_findings.seen(card(), role, effect, untrained=untrained).replace("\u00a0", " ")


def effect(exact=UNSURE, loss=UNSURE, pronoun=None):
    return HeadEffect(HEAD, exact, loss, pronoun)


def test_a_leading_role_is_said_with_its_score_baseline_and_n():
    line = seen(role_of(Role.NEXT))
    assert line.startswith("Encoder layer 0, head 0 looks at the **token after**")
    assert "in 90 % of 100 rows (best rule, a random token: 10 %)" in line


@pytest.mark.parametrize("role", list(head_findings.LOOKS))
@pytest.mark.parametrize("offset", [-2, 0, 1])
@pytest.mark.parametrize("head", ["encoder.0.self:0", "decoder.0.cross:0"])
def test_every_role_can_be_said(role, offset, head):
    line = seen(role_of(role, offset=offset, head=head))
    assert "{" not in line
    assert line.count("**") == 2


def test_a_head_without_a_role_says_how_sharp_it_is():
    line = seen(role_of(None))
    assert "**no role**" in line
    assert "largest weight 0.50 on average, 0.10 if uniform" in line
    even = replace(role_of(None), evenness=Measure(0.99, 1.0))
    assert "points at **nothing**: its rows are nearly uniform" in seen(even)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "what silencing it costs was not measured"),
        (effect(), "no change was found when it is silenced"),
        (effect(WORSE), "silencing it costs **20.0 points** of exact match"),
        (effect(BETTER), "silencing it adds **5.0 points** of exact match"),
        (effect(loss=WORSE), "changes the loss alone, by −0.200 nats per token"),
        (effect(pronoun=WORSE), "silencing it costs **20.0 points** of right pronouns"),
        (effect(BETTER, pronoun=WORSE), "silencing it adds **5.0 points** of exact match"),
    ],
)
def test_what_silencing_costs_is_said_only_where_it_is_sure(found, words):
    assert words in seen(role_of(Role.NEXT), found)


def test_of_a_head_of_antecedents_the_pronouns_count():
    line = seen(role_of(Role.ANTECEDENT), effect(BETTER, pronoun=WORSE))
    assert "costs **20.0 points** of right pronouns" in line


def test_an_untrained_model_says_so():
    assert seen(role_of(None), untrained=True).startswith("The model is **untrained**")


def test_only_roles_that_beat_their_baselines_are_said_the_best_first():
    scores = {
        Role.NEXT: Score(0.3, 0.1, "any key", 100),
        Role.SAME: Score(0.11, 0.1, "any key", 100),
        Role.RARE: Score(0.8, 0.1, "any key", 100),
    }
    line = head_findings.roles(replace(role_of(None), scores=scores), {}).replace("\u00a0", " ")
    assert line == (
        "**Roles**\n- rare words: 80 % of 100 rows (baseline 10 %)\n"
        "- next token: 30 % of 100 rows (baseline 10 %)"
    )
    assert "none beats its baseline" in head_findings.roles(role_of(None), {})


def row(query, key, text="a *sentence*"):
    tokens = (Token(query, False, 0), Token(key, False, 1))
    weights, seen = np.array([0.1, 0.9], np.float32), np.ones(2, bool)
    return HeadRow(
        0, text, tokens, tokens, None, 0, 1, weights, seen, Target.WORD, (query, key), {}
    )


def test_sentences_that_made_a_score_are_said_as_they_were_typed():
    found = {Role.NEXT: Examples((row("*", "b"),), (row("c", "d"),))}
    [said_of_role] = head_findings.every_role(role_of(Role.NEXT), found)
    assert "has it: “&#42;” → “b” 0.90 in “a &#42;sentence&#42;”" in said_of_role
    assert "has it not: “c” → “d” 0.90" in said_of_role
    assert "as “&#42;” → “b”" in head_findings.roles(role_of(Role.NEXT), found)


def test_silencing_is_said_with_interval_n_and_seed():
    found = effect(WORSE, pronoun=UNSURE)
    line = head_findings.silenced(HeadEffects((found,), 400, 7, 10), found).replace("\u00a0", " ")
    assert "exact match 90 % → 70 % of 400 sentences (95 % of the change: −25.0 to −15.0" in line
    assert "right pronouns 90 % → 90 % of 400 ambiguous pronouns (95 %" in line
    assert line.startswith("**Silenced** (seed 7)\n- ")
    assert "not measured" in head_findings.silenced(None, None)


def test_pairs_of_a_decoder_say_from_which_word_they_are():
    said_of = [head_findings.pairs_from(kind) for kind in Kind]
    assert said_of == ["", "From the word fed.", "From the word to be written."]


def test_what_is_left_out_is_said_with_its_share():
    line = head_findings.left_out(card()).replace("\u00a0", " ")
    assert line == "Left out are rows on a delimiter (25 %), the same token (25 %)."
    assert head_findings.left_out(card(target_R=np.array(["word"] * 4))) == ""


def test_one_sentence_says_that_it_says_little():
    assert "these shares say little" in head_findings.measured(COPY, card(n_sentences=1))
    assert head_findings.measured(COPY, card()) == "rows: 4, of 10 held-out rows of letters, seed 0"


@pytest.mark.parametrize(
    ("model", "head", "score", "rule", "silenced"),
    [
        # As README has it.
        ("everyday", "encoder.2.self:0", "100", "51.2", "55.3"),
        ("translate-guided", "encoder.2.self:0", "100", "51.2", ""),
        ("translate", "encoder.2.self:3", "58.6", "51.2", "100"),
    ],
)
def test_a_card_says_of_pronouns_what_the_maps_say(open_page, model, head, score, rule, silenced):
    path = ROOT / "gallery" / model
    stored = json.loads((path / "evaluation.json").read_text())
    [entry] = [each for each in stored["heads"] if str(Head.read(each)) == head]
    silenced = silenced or f"{100 * entry['silenced_accuracy']:.1f}".removesuffix(".0")
    layer, index = Head.parse(head).layer, Head.parse(head).index
    asked = {"layer": str(layer), "head": str(index), "kind": "encoder.self"}
    card = said(open_page("heads", trial="head", model=model, **asked))
    assert f"{score}\u00a0% of 777 ambiguous pronouns" in card
    assert f"nearest noun: {rule}\u00a0%" in card or f"(baseline {rule}\u00a0%)" in card
    assert f"right pronouns 100\u00a0% → {silenced}\u00a0% of 777 ambiguous pronouns" in card
    assert "148" not in card
