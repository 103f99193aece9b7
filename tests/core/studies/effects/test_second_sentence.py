"""A second sentence of equal length: what both are fed, and which one is chosen."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.decoding.sentence import SentenceError, translate
from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.model import Patch, Record, Step, build
from core.runs.run import load_run
from core.studies.effects.patching import patching_study
from core.studies.effects.path_patching import Read, path_study
from core.studies.effects.second_sentence import (
    PatchingError,
    alike_in_length,
    length,
    next_token,
    one_word_changed,
    paired,
)
from core.tasks import TASKS, task_named
from core.training.prepare import prepare_run
from core.training.presets import with_settings
from core.training.trainer import train_run
from tests.core.conftest import MINIATURE, draw_few

CLEAN, OTHER = "k d a f =", "k d z f ="


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A decoder alone with weights that make much of each token."""
    path = tmp_path_factory.mktemp("runs") / "gpt2"
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        preset = with_settings(MINIATURE, {"like": "gpt2", "steps": 1})
        prepare_run(path, TASKS["copy"], "miniature", preset, "python -m core train …")
        list(train_run(path))
    found = load_run(path)
    model = build(found.settings.model, seed=3).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for tensor in model.parameters():
            tensor += 0.7 * torch.randn(tensor.shape, generator=generator)
    return replace(found, model=model)


def logits(run, fed, probe=None):
    with torch.no_grad():
        return run.model(None, torch.tensor([fed.target_ids]), probe)[0, -1]


def test_prompts_of_other_lengths_and_no_text_are_refused(run):
    assert length(run, CLEAN) == len(CLEAN.split()) + 1
    with pytest.raises(PatchingError, match="have 6 and 7 tokens, special ones counted"):
        paired(run, CLEAN, f"a {CLEAN}")
    with pytest.raises(SentenceError):
        paired(run, CLEAN, " ")


def test_each_head_of_a_decoder_alone_brings_back_what_it_does_when_patched(run):
    study = patching_study(run, CLEAN, OTHER)
    clean, other = paired(run, CLEAN, OTHER).fed(study.step)
    tokens = [next_token(run, text) for text in (CLEAN, OTHER)] if study.step == 0 else None
    assert tokens is not None and tokens[0] != tokens[1]
    record = Record(frozenset({Step.MIXED}))
    kept = logits(run, clean, record)
    gap = [float(each[tokens[0]] - each[tokens[1]]) for each in (kept, logits(run, other))]
    assert study.clean_difference == pytest.approx(gap[0], abs=1e-4)
    assert study.corrupt_difference == pytest.approx(gap[1], abs=1e-4)
    for head, share in study.heads.items():
        patch = Patch({head: record.tensors[head.site, Step.MIXED][:, head.index]})
        found = logits(run, other, patch)
        difference = float(found[tokens[0]] - found[tokens[1]])
        assert share == pytest.approx((difference - gap[1]) / (gap[0] - gap[1]), abs=1e-3)
    # The stream itself is the other prompt's: heads alone need not bring back all of it.
    assert set(study.restored_maps()) == {Kind.DECODER_SELF}


def test_paths_of_a_decoder_alone_are_looked_at_in_the_prompts(run):
    receiver = Head(Kind.DECODER_SELF.site(run.model.config.n_decoder_layers - 1), 0)
    found = path_study(run, CLEAN, OTHER, Read.QUERY, receiver)
    study, one = found.senders, found.path
    assert study.clean.n_given == length(run, CLEAN) - 1
    assert {sender.layer < receiver.layer for sender in study.senders} == {True}
    n_fed = study.clean.n_given + 1 + study.step
    shown = inspect_sentence(run, CLEAN).weights_of(receiver)[:n_fed, :n_fed]
    assert one.before_QK == pytest.approx(shown, abs=1e-5)
    assert abs(one.after_QK - one.before_QK).max() > 0


GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


def test_of_sentences_as_long_the_most_similar_is_chosen(guided_run):
    offered = [TIRED, "The goats avoided the bridges.", WIDE, TIRED.replace("too", "far too")]
    assert alike_in_length(guided_run, TIRED, offered) == WIDE
    assert alike_in_length(guided_run, TIRED, [TIRED, "The goats avoided the bridges."]) == ""
    assert length(guided_run, TIRED) == length(guided_run, WIDE) == 14


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
def test_the_nearest_word_takes_the_place(guided_run, word):
    vectors = guided_run.model.source_embedding.tokens.weight.detach().numpy().astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    [token] = guided_run.tokenizer.encode(word).ids
    found = {}
    for other in range(guided_run.tokenizer.vocab_size):
        after = guided_run.tokenizer.decode([token, other]).split()[1:]
        if other != token and after and after[0] in guided_run.known_words:
            found[after[0]] = vectors[other] @ vectors[token]
    assert one_word_changed(guided_run, word) == max(found, key=found.get)


@pytest.fixture(scope="module")
def guided_run():
    return load_run(GALLERY / "translate-guided")
