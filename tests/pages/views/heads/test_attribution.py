from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.attribution.leaving_out import telling_step
from core.studies.attribution.methods import Method, attribute, said_at
from core.studies.attribution.trust import Trust, trust_steps
from core.vocabulary import BOS, EOS, PAD
from pages.frame.language import number, percent
from pages.views.heads import attribution, attribution_methods
from tests.pages.conftest import ROOT, component, said, send_from
from tests.pages.views.heads.conftest import assert_computed_again
from viz.plane.matrices import unpack

SENTENCE = "d a f q"
METHODS = list(attribution_methods.NAMES)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "copy")


@pytest.fixture(scope="module")
def inspection(run):
    return inspect_sentence(run, SENTENCE)


def attributed(run, inspection, step):
    ids = (*inspection.translation.target_ids, EOS)
    return attribute(run.model, said_at(inspection.translation.source_ids, ids, step))


def open_attribution(open_page, **query_params):
    opened = {"model": "copy", "sentence": SENTENCE, "all_methods": "true", **query_params}
    return open_page("heads", trial="attribution", **opened)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def test_a_clicked_cell_is_said_with_three_digits(open_page, run, inspection):
    at = open_attribution(open_page, attributed_word="1")
    scores = attributed(run, inspection, 1).scores
    largest = int(scores[Method.LEAVE_ONE_OUT].argmax())
    assert unpack(component(at, "matrices").bytes).selected == (0, 0, largest)
    assert "nats" in said(at)
    row = METHODS.index(Method.ATTENTION)
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": row, "column": 2})
    assert f"attention: “f” → “a” {number(float(scores[Method.ATTENTION][2]))}" in said(at)


@pytest.mark.parametrize("cell", ["", "6,0", "0,99", "a,b", "1", "-1,0", "9" * 99 + ",0"])
def test_a_link_to_a_cell_that_is_not_there_falls_back(open_page, cell):
    at = open_attribution(open_page, attributed_cell=cell, attributed_word="1")
    assert unpack(component(at, "matrices").bytes).selected[:2] == (0, 0)


def test_it_opens_on_the_word_that_hangs_most_on_one_token(open_page, run, inspection):
    at = open_attribution(open_page)
    ids = (*inspection.translation.target_ids, EOS)
    expected = telling_step(run.model, inspection.translation.source_ids, ids)
    assert at.selectbox(key=attribution.STEP).value == expected


def test_another_word_is_asked_about_and_kept_in_the_link(open_page, run, inspection):
    at = open_attribution(open_page, attributed_word="0")
    at.selectbox(key=attribution.STEP).set_value(4).run()
    assert not at.exception
    assert at.query_params["attributed_word"] in ("4", ["4"])
    assert panels(at)[0].title.endswith("“EOS”")


@pytest.mark.parametrize("word", ["", "-1", "99", "il", "1.5", "²", "9" * 5000])
def test_a_link_to_a_word_that_is_not_there_falls_back(open_page, word):
    at = open_attribution(open_page, attributed_word=word)
    assert at.selectbox(key=attribution.STEP).value in range(5)


def test_trust_over_sentences_is_measured_only_on_request(open_page, monkeypatch):
    trust = {method: Trust((0.5, 0.75, 1.0), 1) for method in METHODS[1:]}
    trust[Method.ROLLOUT] = Trust((0.9, 0.9, 0.9, 0.9), 0)
    monkeypatch.setattr(attribution, "_trusted", lambda run, whole_words: trust)
    at = open_attribution(open_page)
    assert attribution_methods.TRUSTED not in at.table[0].value
    at.toggle(key=attribution.TRUST).set_value(True).run()
    assert not at.exception
    shown = dict(zip(at.table[0].value["method"], at.table[0].value.iloc[:, -1], strict=True))
    assert shown["attention"] == "0.75 ± 0.25 [0.62, 0.88], n = 3 (1 undefined)"
    assert shown["rollout"] == "0.90 ± 0.00 [0.90, 0.90], n = 4"
    assert "Over 4 held-out rows of letters, seed 0 (one word of each) rollout agrees best" in said(
        at
    )


def test_where_words_have_several_tokens_they_can_get_the_numbers(open_page):
    run = load_run(ROOT / "gallery" / "translate")
    zorbik = "The zorbik slept."
    opened = partial(open_attribution, open_page, model="translate", sentence=zorbik)
    at = opened(attributed_per="words", attributed_word="1", attributed_cell="0,1")
    inspection = inspect_sentence(run, zorbik)
    words = [token.word for token in inspection.source_tokens]
    assert len(set(words)) < len(words)
    ids = attribution.target_ids(inspection)
    said_there = said_at(inspection.translation.source_ids, ids, 1)
    found = attribute(run.model, said_there, words).scores[Method.LEAVE_ONE_OUT]
    [panel] = panels(at)
    assert panel.columns.name == "source word"
    assert [label.text for label in panel.columns.labels] == list(inspection.source_words)
    assert [label.unknown for label in panel.columns.labels][:2] == [False, True]
    assert panel.values[0] == pytest.approx(found / np.abs(found).max(), abs=1e-3)
    assert unpack(component(at, "matrices").bytes).selected == (0, 0, 1)
    assert "when the whole word is hidden" in at.table[0].value["its numbers"][0]
    assert f"over its n = {len(found)} source words" in said(at)
    assert "hides them all together" in panel.note
    at.segmented_control(key=attribution.PER).set_value("tokens").run()
    assert not at.exception
    assert panels(at)[0].values.shape[1] == len(words)
    # A column of words is none of tokens.
    assert "attributed_cell" not in at.query_params


def test_where_every_word_is_one_token_there_is_nothing_to_choose(open_page):
    at = open_attribution(open_page, attributed_per="words")
    assert attribution.PER not in [each.key for each in at.segmented_control]
    assert panels(at)[0].columns.name == "source token"


def test_of_a_model_that_writes_nothing_nothing_is_asked(open_page, own_random):
    own_random(max_positions=1)
    assert "writes nothing" in said(open_attribution(open_page, model="runs/random"))


def test_the_word_asked_about_does_not_outlive_its_sentence(open_page, run):
    at = open_attribution(open_page, attributed_word="4")
    at.text_input(key="sentence").set_value("d a f").run()
    assert not at.exception
    fresh = open_attribution(open_page, sentence="d a f")
    assert at.selectbox(key=attribution.STEP).value == fresh.selectbox(key=attribution.STEP).value


def test_what_is_trusted_is_what_is_known_after_all_sentences(run, monkeypatch):
    few = partial(trust_steps, n=3)
    monkeypatch.setattr(attribution, "trust_steps", few)
    *_, last = trust_steps(run, 3)
    assert attribution._trusted(run, whole_words=False) == last.trust
    assert {each.n + each.undefined for each in last.trust.values()} == {3}


@pytest.mark.parametrize("view", ["one word", "rollout"])
@pytest.mark.parametrize(
    "sentence", ["a", "<b>*x*</b> $y$ `z` 😀", "{row} [a](b)", "\u202eabc\u0000"]
)
def test_any_text_gets_a_picture(open_page, sentence, view):
    assert panels(open_attribution(open_page, sentence=sentence, attributed=view))


@pytest.mark.parametrize("per", ["tokens", "words"])
def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_page, handed_over, per):
    opened = {"model": "translate", "sentence": "The zorbik slept.", "attributed_word": "1"}
    at = open_attribution(open_page, **opened, attributed_per=per)
    columns = handed_over[-1].columns()
    assert len(columns["score"]) == panels(at)[0].values.size
    assert_computed_again(at, handed_over[-1], "score")


def test_what_is_trusted_is_taken_away_too(open_page, monkeypatch, handed_over):
    trust = {method: Trust((0.5, 0.75, 1.0), 1) for method in METHODS[1:]}
    monkeypatch.setattr(attribution, "_trusted", lambda run, whole_words: trust)
    open_attribution(open_page, trust="true")
    columns = handed_over[-1].columns()
    means = dict(zip(columns["method"], columns["trust_mean"], strict=True))
    assert means == {str(method): None if method is METHODS[0] else 0.75 for method in METHODS}


def test_a_link_to_one_word_of_before_opens_it(open_page):
    at = open_attribution(open_page, attributed="one word")
    assert at.segmented_control(key=attribution.OF).value == attribution.METHODS


IT = "The animal didn't cross the street because it was too {}."


def seen(at):
    [line] = [each.value for each in at.markdown if "**What you see**" in each.value]
    return line


def without(run, sentence, step, at):
    """Return how probable the word of a step is with a source token hidden, in float64."""
    inspection = inspect_sentence(run, sentence)
    fed = torch.tensor([[BOS, *inspection.translation.target_ids[:step]]])
    source = torch.tensor([inspection.translation.source_ids])
    source[0, at] = PAD
    logits = run.model(source, fed)[0, -1].double()
    logits[[PAD, BOS]] = -torch.inf
    return logits.softmax(-1)[inspection.translation.target_ids[step]].item()


@pytest.mark.parametrize("word", ["tired", "wide"])
def test_it_opens_on_the_pronoun_and_one_method(open_page, word):
    run, sentence = load_run(ROOT / "gallery" / "everyday"), IT.format(word)
    at = open_attribution(open_page, model="everyday", sentence=sentence, all_methods="")
    inspection = inspect_sentence(run, sentence)
    tokens = [token.text for token in inspection.source_tokens]
    step = at.selectbox(key=attribution.STEP).value
    written = run.tokenizer.describe(inspection.translation.target_ids)[step].text
    assert written == {"tired": "il", "wide": "elle"}[word]
    [panel] = panels(at)
    assert len(panel.rows.labels) == 1
    hidden = [without(run, sentence, step, each) for each in range(len(tokens))]
    least, second = sorted(range(len(tokens)), key=lambda each: hidden[each])[:2]
    assert f"**{written}** depends most on **{tokens[least]}**" in seen(at)
    assert f"its probability is **{percent(hidden[least])}** instead of" in seen(at)
    assert f"Next is **{tokens[second]}**: {percent(hidden[second])}." in seen(at)
    assert panel.texts[0][least] == attribution_methods.short_share(hidden[least])
    assert not at.table


def test_other_methods_are_counted_that_find_the_same_token_first(open_page, run, inspection):
    at = open_attribution(open_page, attributed_word="1")
    scores = attributed(run, inspection, 1).scores
    wanted = int(scores[Method.LEAVE_ONE_OUT].argmax())
    ordered = [sorted(np.abs(scores[each])) for each in METHODS[1:]]
    same = [
        abs(scores[each][wanted]) == sizes[-1] > sizes[-2]
        for each, sizes in zip(METHODS[1:], ordered, strict=True)
    ]
    assert f"{sum(same)} of 4 other methods find the same token first." in seen(at)


def test_a_word_that_depends_on_no_token_is_said_to(run, inspection):
    found = attributed(run, inspection, 1)
    lost = {Method.LEAVE_ONE_OUT: np.full(3, 0.001)}
    said = attribution_methods.seen(replace(found, scores=lost), ["a", "*", "c"], "x")
    assert said.startswith("**x** depends on no single part of the source")
