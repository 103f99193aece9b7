"""Paths between heads in two sentences that a run of the gallery translates."""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.decoding.sentence import SentenceError
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.paired import Fed
from core.studies.effects.path_patching import PathError, PathPatching, Read
from core.studies.effects.path_study import one_path, path_probabilities, path_study
from core.vocabulary import BOS, EOS

GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")
ALIKE = TIRED.replace("didn't", "did not")
GUIDED = Head(Site("encoder", 2, "self"), 0)


@pytest.fixture(scope="module")
def run():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def study(run):
    return path_study(run, TIRED, WIDE, Read.QUERY)


@pytest.fixture(scope="module")
def changes_NN(run):
    return path_probabilities(run, TIRED, WIDE, Read.QUERY)


def log_p(run, source_ids, fed_ids, token):
    with torch.no_grad():
        logits_1TV = run.model(torch.tensor([source_ids]), torch.tensor([fed_ids]))
    return float(logits_1TV[0, -1].double().log_softmax(dim=-1)[token])


def test_it_is_measured_where_the_translations_part(run, study):
    assert study.part
    assert study.token.text == "il"
    assert study.clean.target_ids[: study.step] == study.other.target_ids[: study.step]
    token = study.clean.target_ids[study.step]
    fed_ids = (BOS, *study.clean.target_ids[: study.step])
    before = log_p(run, study.clean.source_ids, fed_ids, token)
    after = log_p(run, study.other.source_ids, fed_ids, token)
    assert study.clean_log_p == pytest.approx(before, abs=1e-5)
    assert study.other_log_p == pytest.approx(after, abs=1e-4)
    assert after < before - 5


def test_the_path_that_il_hangs_on_most_leads_to_the_guided_head(study, changes_NN):
    row, column = study.effects.strongest(changes_NN)
    assert study.effects.heads[column] == GUIDED
    assert changes_NN[row, column] < 0
    # By itself it explains little: all that differs makes "il" improbable.
    assert changes_NN[row, column] > 0.1 * (study.other_log_p - study.clean_log_p)
    assert abs(changes_NN[row, column]) > 100 * study.effects.median(changes_NN)


def test_without_it_the_pronoun_looks_less_at_its_antecedent(run, study, changes_NN):
    row, column = study.effects.strongest(changes_NN)
    heads = study.effects.heads
    found = one_path(run, TIRED, WIDE, Read.QUERY, heads[row], heads[column])
    words = [token.text for token in run.tokenizer.describe(study.clean.source_ids)]
    assert (words[found.query], words[found.key]) == ("it", "animal")
    assert found.after_QK[found.query, found.key] < found.before_QK[found.query, found.key] - 0.2


@pytest.mark.parametrize(
    ("read", "sender", "receiver", "reads_query"),
    [
        (Read.QUERY, "encoder.0.self:3", "encoder.2.self:0", True),
        (Read.ALL, "encoder.0.self:3", "encoder.2.self:0", True),
        (Read.KEY, "encoder.1.self:1", "encoder.2.self:2", False),
        # What the encoder writes is looked at; it never looks from the decoder.
        (Read.ALL, "encoder.2.self:0", "decoder.1.cross:0", False),
    ],
)
def test_the_message_is_that_of_the_position_that_is_read(run, read, sender, receiver, reads_query):
    ends = Head.parse(sender), Head.parse(receiver)
    found = one_path(run, TIRED, WIDE, read, *ends)
    assert found.sent_at == (found.query if reads_query else found.key)
    for text, weights_K in ((TIRED, found.sent_K), (WIDE, found.sent_other_K)):
        shown_QK = inspect_sentence(run, text).weights_of(ends[0])
        np.testing.assert_allclose(weights_K, shown_QK[found.sent_at], atol=1e-5)


def test_the_writer_reads_the_word_that_differs(run, study, changes_NN):
    row, column = study.effects.strongest(changes_NN)
    heads = study.effects.heads
    found = one_path(run, TIRED, WIDE, Read.QUERY, heads[row], heads[column])
    words = [token.text for token in run.tokenizer.describe(study.clean.source_ids)]
    assert words[found.sent_at] == "it"
    assert words[int(found.sent_K.argmax())] == "tired"


@pytest.mark.parametrize("read", Read)
def test_one_path_is_the_same_as_among_all(run, read):
    study = path_study(run, TIRED, WIDE, read)
    change_NN = path_probabilities(run, TIRED, WIDE, read)
    effects = study.effects
    row, column = effects.strongest(change_NN)
    sender, receiver = effects.heads[row], effects.heads[column]
    found = one_path(run, TIRED, WIDE, read, sender, receiver)
    assert (found.sender, found.receiver) == (sender, receiver)
    change_K = (found.after_QK - found.before_QK)[found.query]
    assert np.abs(change_K).sum() / 2 == pytest.approx(effects.moved_NN[row, column], abs=1e-5)
    if read != Read.VALUE:
        assert found.query == effects.query_NN[row, column]
        assert found.key == effects.key_NN[row, column]
    assert found.before_log_p == study.clean_log_p
    change = found.after_log_p - found.before_log_p
    assert change == pytest.approx(change_NN[row, column], abs=1e-5)


def test_one_path_is_that_of_the_tokens_that_are_fed(run, study):
    fed_ids = (BOS, *study.clean.target_ids[: study.step])
    pair = [Fed(each.source_ids, fed_ids) for each in (study.clean, study.other)]
    sender, receiver = Head.parse("decoder.0.cross:1"), Head.parse("decoder.1.self:2")
    weights_QK = PathPatching(run.model, *pair).weights(sender, receiver, Read.ALL)
    found = one_path(run, TIRED, WIDE, Read.ALL, sender, receiver)
    np.testing.assert_array_equal(found.after_QK, weights_QK.numpy())
    assert found.before_QK.shape == (len(fed_ids), len(fed_ids))


def test_who_writes_the_same_in_both_sentences_has_exactly_no_effect(run):
    sender, receiver = Head.parse("decoder.0.self:1"), Head.parse("decoder.1.cross:2")
    found = one_path(run, TIRED, WIDE, Read.ALL, sender, receiver)
    assert np.array_equal(found.after_QK, found.before_QK)
    assert found.after_log_p == found.before_log_p


def test_where_nothing_parts_the_step_is_that_of_the_largest_change(run):
    study = path_study(run, TIRED, ALIKE, Read.ALL)
    assert not study.part
    assert study.clean.target_ids == study.other.target_ids
    written = (*study.clean.target_ids, EOS)
    change_T = [
        abs(
            log_p(run, study.other.source_ids, (BOS, *written[:step]), token)
            - log_p(run, study.clean.source_ids, (BOS, *written[:step]), token)
        )
        for step, token in enumerate(written)
    ]
    assert study.step == int(np.argmax(change_T))


def test_with_the_values_alone_nothing_moves_and_yet_other_words_become_probable(run):
    effects = path_study(run, TIRED, WIDE, Read.VALUE).effects
    assert not effects.moved_NN.any()
    assert effects.strongest(path_probabilities(run, TIRED, WIDE, Read.VALUE))


def test_sentences_of_other_lengths_are_refused_with_both_lengths(run):
    with pytest.raises(PathError, match="have 14 and 16 tokens, special ones counted"):
        path_study(run, TIRED, WIDE.replace("too", "far too"), Read.ALL)


def test_the_same_sentence_twice_is_refused(run):
    with pytest.raises(PathError, match="are the same to the model"):
        path_study(run, TIRED, f" {TIRED}", Read.ALL)


def test_no_text_is_refused(run):
    with pytest.raises(SentenceError):
        path_study(run, TIRED, "", Read.ALL)


def test_a_head_that_the_model_lacks_is_refused(run):
    sender, missing = Head.parse("encoder.0.self:0"), Head.parse("encoder.9.self:0")
    with pytest.raises(PathError, match="no direct path leads from"):
        one_path(run, TIRED, WIDE, Read.ALL, sender, missing)


def test_of_the_decoder_s_last_layer_the_position_is_told_that_makes_the_output(run, study):
    last = run.model.config.n_decoder_layers - 1
    sender, receiver = Head(Site("encoder", 2, "self"), 0), Head(Site("decoder", last, "cross"), 1)
    found = one_path(run, TIRED, WIDE, Read.ALL, sender, receiver)
    assert found.query == len(found.before_QK) - 1 == study.step
    # What it mixes elsewhere changes nothing that is measured.
    at = study.effects.heads.index(receiver)
    moved = study.effects.moved_NN[:, at] > 0
    assert moved.any() and (study.effects.query_NN[moved, at] == study.step).all()
