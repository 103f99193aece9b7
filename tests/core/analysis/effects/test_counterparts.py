"""What goes with what in an experiment."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.analysis.effects.counterparts import (
    alike_in_length,
    counterparts,
    guided_head,
    length,
    one_word_changed,
    share_interval,
    silenced_outcome,
)
from core.analysis.effects.interventions import before_after
from core.decoding.sentence import SentenceError, translate
from core.heads import Head, Site
from core.model import Silence
from core.runs.run import load_run, read_settings
from core.tasks import task_named

GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def settings():
    names = ("translate", "translate-guided", "copy", "copy-learned")
    return {name: read_settings(GALLERY / name) for name in names}


def test_the_free_and_the_guided_run_belong_together(settings):
    assert counterparts(settings["translate"], settings) == ["translate-guided"]
    assert counterparts(settings["translate-guided"], settings) == ["translate"]


@pytest.mark.parametrize("name", ["copy", "copy-learned"])
def test_runs_that_nobody_guided_have_no_counterpart(settings, name):
    assert counterparts(settings[name], settings) == []


def test_runs_of_other_sizes_or_tasks_are_no_counterparts(settings):
    guided = settings["translate-guided"]
    others = {
        "smaller": replace(guided, model=replace(guided.model, n_encoder_layers=1)),
        "other task": replace(guided, task="copy"),
    }
    assert counterparts(settings["translate"], others) == []


def test_what_was_trained_in_the_same_way_comes_first(settings):
    guided = settings["translate-guided"]
    longer = replace(guided, training=replace(guided.training, steps=9))
    others = {"longer": longer, "heavier": guided, "same": guided}
    assert counterparts(settings["translate"], others) == ["heavier", "same", "longer"]


def test_of_sentences_as_long_the_most_similar_is_chosen(run):
    offered = [TIRED, "The goats avoided the bridges.", WIDE, TIRED.replace("too", "far too")]
    assert alike_in_length(run, TIRED, offered) == WIDE
    assert length(run, TIRED) == length(run, WIDE) == 14


def test_where_no_sentence_is_as_long_one_word_is_changed(run):
    offered = [TIRED, "The goats slept."]
    assert alike_in_length(run, TIRED, offered) == one_word_changed(run, TIRED)


@pytest.mark.parametrize("name", ["translate-guided", "copy"])
def test_a_changed_word_is_known_as_long_and_translated_differently(name):
    run = load_run(GALLERY / name)
    task = task_named(run.settings.task, run.path)
    for source in [example.source for example in task.examples]:
        found = one_word_changed(run, source)
        assert length(run, found) == length(run, source)
        assert translate(run, found).target_ids != translate(run, source).target_ids
        words = [re.findall(r"[\w']+", each) for each in (source, found)]
        [(_, new)] = [pair for pair in zip(*words, strict=True) if pair[0] != pair[1]]
        assert new in run.known_words


@pytest.mark.parametrize("word", ["goat", "street", "horse"])
def test_the_nearest_word_takes_the_place(run, word):
    vectors = run.model.source_embedding.tokens.weight.detach().numpy().astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    [token] = run.tokenizer.encode(word).ids
    found = {}
    for other in range(run.tokenizer.vocab_size):
        after = run.tokenizer.decode([token, other]).split()[1:]
        if other != token and after and after[0] in run.known_words:
            found[after[0]] = vectors[other] @ vectors[token]
    assert one_word_changed(run, word) == max(found, key=found.get)


def test_where_no_word_is_known_nothing_is_changed(run):
    assert one_word_changed(run, "Xyzzy") == ""
    assert alike_in_length(run, "Xyzzy", [TIRED]) == ""


def test_a_guided_head_is_that_of_the_settings_if_the_model_has_it(run):
    def guided(guide):
        training = replace(run.settings.training, guide=guide)
        return guided_head(replace(run, settings=replace(run.settings, training=training)))

    assert guided_head(run) == Head(Site("encoder", 2, "self"), 0)
    assert [guided(each) for each in ("", "some head", "encoder.9.self:0")] == [None] * 3


def test_no_text_has_no_length(run):
    with pytest.raises(SentenceError):
        length(run, " ")


def test_the_interval_of_a_share_is_wilsons():
    low, high = share_interval(403 / 820, 820)
    # By hand: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
    p, n, z = 403 / 820, 820, 1.959963984540054
    reach = z * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    middle, whole = p + z**2 / (2 * n), 1 + z**2 / n
    assert (low, high) == pytest.approx(((middle - reach) / whole, (middle + reach) / whole))
    assert share_interval(1.0, 820)[1] == 1


def test_a_silenced_outcome_is_that_of_the_probe(run):
    site = Site("encoder", 2, "self")
    found = silenced_outcome(run, WIDE, Head(site, 0))
    assert found == before_after(run, WIDE, Silence.of([Head(site, 0)]))
    assert found.after.translation.text.endswith("parce qu'il était trop large.")
