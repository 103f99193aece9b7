"""The pass as a view: what it says, and what silencing a head from it changes."""

import html
from pathlib import Path

import pytest
import torch

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.forward_pass import forward_pass
from pages.frame.language import percent
from tests.pages.conftest import said
from tests.viz.unpacked import unframed

TIRED = "The animal didn't cross the street because it was too tired."
HEAD = Head.parse("encoder.2.self:0")


def picture(at):
    [element] = at.get("bidi_component")
    return unframed(element.proto.bytes)[0]


@pytest.mark.slow
def test_silencing_a_head_computes_the_pass_without_it(open_view):
    run = load_run(Path("gallery/everyday"))
    whole, _ = open_view("pass", model="everyday", sentence=TIRED)
    silenced, _ = open_view("pass", model="everyday", sentence=TIRED, pass_silenced=str(HEAD))
    before, after = picture(whole), picture(silenced)
    assert after["silenced"] == [str(HEAD)]
    step = before["step"] - 1
    found = forward_pass(run, inspect_sentence(run, TIRED, None, (HEAD,)), (HEAD,))
    text, chance = after["best"][step][0]
    assert (text, before["best"][step][0][0]) == ("il", "il")
    assert chance == pytest.approx(found.best.probabilities_TN[step, 0], abs=1e-5)
    assert chance < 0.6 < before["best"][step][0][1]
    chances = percent(before["best"][step][0][1]), percent(chance)
    said_of = "“**il**” at step 11 goes from {} to **{}**".format(*chances)
    other, rest = after["best"][step][1]
    same = f"with “{other}” at {percent(rest)}; the text stays the same."
    assert f"Without encoder layer 2, head 0, {said_of}, {same}" in said(silenced)
    assert "The model writes “L'animal n'a pas traversé" in html.unescape(said(whole))


def test_the_line_follows_the_step_that_is_chosen(open_view):
    view, _ = open_view("pass", model="everyday", sentence=TIRED, pass_step="8")
    word, chance = picture(view)["best"][7][0]
    assert f"At step 8 the model writes “**{word}**” ({percent(chance)})." in said(view)
    assert "looks most at “**street**”" in said(view)


def test_the_picture_goes_to_the_step_at_which_a_head_is_missed(open_view):
    silenced, _ = open_view(
        "pass", model="everyday", sentence=TIRED, pass_silenced="decoder.1.cross:0"
    )
    shown = picture(silenced)
    assert shown["step"] != shown["focus_step"]
    assert f"at step {shown['step']}" in said(silenced)


def test_a_line_stands_ready_for_the_time_in_which_the_picture_plays(open_view):
    view, _ = open_view("pass", model="everyday", sentence=TIRED)
    assert "Step by step, the model is fed one more word" in said(view)


def test_heads_that_the_model_does_not_have_are_not_silenced(open_view):
    at, _ = open_view("pass", model="everyday", sentence=TIRED, pass_silenced="encoder.9.self:0,x")
    assert picture(at)["silenced"] == []


def test_the_true_translation_is_fed_where_one_is_known(open_view):
    known, _ = open_view("pass", model="everyday", sentence=TIRED)
    forced = picture(known)["forced"]
    assert [text for text, _ in forced["truth"][:3]] == ["L'", "animal", "n'"]
    assert len(forced["truth"]) == len(forced["fed"]) == 16
    unknown, _ = open_view("pass", model="everyday", sentence="The clouds like my car.")
    assert picture(unknown)["forced"] is None


def test_a_decoder_that_only_begins_with_the_encoders_state_is_said_to(open_view):
    recurrent, _ = open_view("pass", model="bottleneck-fixed", sentence="a b c")
    attending, _ = open_view("pass", model="bottleneck-attention", sentence="a b c")
    assert picture(recurrent)["hands_over"]
    assert not picture(attending)["hands_over"]


def test_an_encoder_alone_shows_what_it_guesses_at_each_masked_word(
    open_view, run_of_kind, elsewhere
):
    folder = run_of_kind("like bert")
    elsewhere("OWN", folder.parent)
    view, _ = open_view("pass", model="runs/run", sentence="k d a = k [MASK] [MASK]")
    shown, run = picture(view), load_run(folder)
    masked = [at for at, (text, *_rest) in enumerate(shown["source"]) if text == "MASK"]
    assert list(shown["fills"]) == list(map(str, masked))
    assert shown["focus"] == masked[0]
    source_ids = inspect_sentence(run, "k d a = k [MASK] [MASK]").translation.source_ids
    chances_SV = run.model(torch.tensor([source_ids]), None)[0].double().softmax(-1)
    best, chance = shown["fills"][str(masked[1])][0]
    assert chance == pytest.approx(chances_SV[masked[1]].max().item(), abs=1e-3)
    [token] = run.tokenizer.describe_alone([int(chances_SV[masked[1]].argmax())])
    assert best == token.text


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("a tag for each word", "It tags “{masked}” as “{written}”"),
        ("a class for the sentence", "Where “{masked}” stands, it labels the text"),
    ],
)
def test_an_encoder_that_labels_shows_its_labels_and_which_come_without_a_head(
    open_view, run_of_kind, elsewhere, kind, words
):
    folder = run_of_kind(kind)
    elsewhere("OWN", folder.parent)
    asked = {"model": "runs/run", "sentence": "The kings followed the queen."}
    view, _ = open_view("pass", **asked)
    shown, run = picture(view), load_run(folder)
    labelled = run.model.config.labelled(len(shown["source"]))
    assert list(shown["fills"]) == list(map(str, labelled))
    assert words in shown["texts"]["at.filled"]
    label = inspect_sentence(run, asked["sentence"]).translation.text
    assert f"The model predicts “{label}”" in said(view)
    silenced, _ = open_view("pass", **asked, pass_silenced="encoder.0.self:1")
    head = Head.parse("encoder.0.self:1")
    other = inspect_sentence(run, asked["sentence"], None, (head,)).translation.text
    verdict = f"“{other}”, not “{label}”" if other != label else f"the same: “{label}”"
    assert f"Without encoder layer 0, head 1 the model predicts {verdict}" in said(silenced)


def test_a_decoder_alone_opens_on_the_first_word_that_it_writes(open_view, run_of_kind, elsewhere):
    elsewhere("OWN", run_of_kind("like gpt2").parent)
    view, _ = open_view("pass", model="runs/run", sentence="k d a =")
    shown = picture(view)
    texts = [text for text, *_rest in shown["fed"]]
    # BOS and four letters are fed; at the fifth step the first word is written.
    assert (shown["given"], shown["step"]) == (4, 5)
    assert texts[:5] == ["BOS", "k", "d", "a", "="]
    assert texts[5:6] in ([], [shown["best"][4][0][0]])
