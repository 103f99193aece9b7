import json
import shutil

import numpy as np
import pytest

from core.heads import Kind, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from tests.pages.conftest import ROOT, TIRED, said, shown, texts

GUIDED = Site("encoder", 2, "self")


@pytest.mark.parametrize("kind", list(Kind))
def test_every_weight_shown_is_the_models_own(open_app, kind):
    at = open_app(model="translate")
    at.segmented_control(key="kind").set_value(kind).run()
    maps = shown(at)
    inspection = inspect_sentence(load_run(ROOT / "gallery" / "translate"), TIRED)
    sites = [site for site in inspection.attention if site.attention == kind]
    expected = np.stack([inspection.attention[site].weights_HQK for site in sites])
    assert np.abs(maps.weights - expected).max() <= 0.5 / 255 + 1e-6
    assert np.array_equal(maps.weights[maps.selected], expected[maps.selected])
    assert np.array_equal(maps.visible, inspection.attention[sites[0]].visible_QK)


def test_decoder_rows_say_what_was_fed_and_what_was_predicted(open_app):
    at = open_app()
    at.segmented_control(key="kind").set_value("decoder.cross").run()
    maps = shown(at)
    assert texts(maps.queries)[:3] == ["BOS", "L'", "animal"]
    assert texts(maps.predicted)[:2] == ["L'", "animal"]
    assert texts(maps.predicted)[-1] == "EOS"
    assert texts(maps.keys)[-1] == "EOS"


def test_the_finding_has_score_baseline_n_seed_and_the_effect_of_silencing(open_app):
    finding = shown(open_app(model="translate-guided")).finding
    stored = json.loads((ROOT / "gallery" / "translate-guided" / "evaluation.json").read_text())
    [head] = [h for h in stored["heads"] if h["head"] == f"{GUIDED}:0"]
    for number in (head["score"], head["baseline"], head["silenced_accuracy"]):
        assert f"{100 * number:.1f}".removesuffix(".0") + "\u00a0%" in finding
    assert f"of {stored['pronoun']['n']} held-out" in finding
    assert f"seed {stored['seed']}" in finding
    assert "“it”" in finding


def test_subwords_merge_to_words(open_app):
    sentence = "Zorbik saw the dog."
    whole = shown(open_app(sentence=sentence, unit="whole words"))
    pieces = shown(open_app(sentence=sentence))
    assert texts(whole.source) == ["Zorbik", "saw", "the", "dog", ".", "EOS"]
    assert "".join(texts(pieces.source)).replace("␣", "") == "".join(texts(whole.source))
    assert len(pieces.source) > len(whole.source)
    assert whole.weights[whole.selected].sum(-1) == pytest.approx(1, abs=1e-5)


def test_words_never_seen_in_training_are_marked_and_counted(open_app):
    at = open_app(sentence="The xylophone slept.")
    assert "1 of 4 words (dotted) was never seen in training." in said(at)
    unknown = "".join(label.text for label in shown(at).source if label.unknown)
    assert unknown.lstrip("␣") == "xylophone"


def test_an_empty_sentence_is_asked_for(open_app):
    at = open_app()
    at.text_input(key="sentence").set_value("   ").run()
    assert not at.exception
    assert "Type a sentence" in said(at)


@pytest.mark.parametrize(
    "sentence",
    ["你好，世界。 😀🇫🇷 👩‍👩‍👧", "....!!!???", "e\u0301\u0323\u200b\u202ereversed\ufffd\x07"],
)
def test_any_text_gets_a_picture(open_app, sentence):
    maps = shown(open_app(sentence=sentence))
    assert maps.weights.shape[-1] == len(maps.source)
    assert not any("\ufffd" in text or "Ġ" in text for text in texts(maps.source))
    assert sum(label.special for label in maps.source) == 1


def test_a_head_that_is_silenced_in_the_whole_pass_is_named(open_app):
    silenced = "encoder.2.self:0,decoder.0.cross:1,encoder.9.self:0"
    at = open_app(model="everyday", pass_silenced=silenced)
    heads = "encoder layer 2, head 0 · decoder layer 0, cross-attention head 1"
    assert f"Silenced in the whole pass: {heads}. Here all heads work." in said(at)
    assert "Silenced in the whole pass" not in said(open_app(model="everyday"))


@pytest.mark.slow
def test_ten_thousand_characters_are_cut_and_it_is_said(open_app):
    at = open_app(model="copy")
    at.text_input(key="sentence").set_value("a b c d e " * 1000).run()
    assert not at.exception
    assert "cut after 511 tokens" in said(at)
    assert len(shown(at).source) == 512


def test_a_damaged_run_is_named_and_the_rest_goes_on(open_app, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_app(model="runs/mine")
    assert "runs/mine" in "".join(error.value for error in at.error).replace("&#47;", "/")
    at.selectbox(key="model").set_value("copy").run()
    assert shown(at).target


def test_an_unfinished_training_is_announced(open_app, own_copy):
    settings = json.loads((own_copy / "run.json").read_text())
    settings["training"]["steps"] *= 2
    (own_copy / "run.json").write_text(json.dumps(settings))
    assert "Training has done" in said(open_app(model="runs/mine"))


def test_a_run_that_is_deleted_while_it_is_shown_is_named(open_app, own_copy):
    at = open_app(model="runs/mine", sentence="x y z")
    shutil.rmtree(own_copy)
    at.segmented_control(key="kind").set_value("encoder.self").run()
    assert not at.exception
    assert shown(at).target
