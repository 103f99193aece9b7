"""Which sentence goes with another in an experiment."""

import re
from pathlib import Path

import numpy as np
import pytest

from core.decoding.sentence import SentenceError, translate
from core.runs.run import load_run
from core.studies.effects.counterparts import (
    alike_in_length,
    length,
    one_word_changed,
)
from core.tasks import task_named

GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


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


def test_no_text_has_no_length(run):
    with pytest.raises(SentenceError):
        length(run, " ")
