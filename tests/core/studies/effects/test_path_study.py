"""Paths between heads in two sentences that a run of the gallery translates."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from core.decoding.sentence import SentenceError
from core.heads import Head, Site
from core.inspection import inspect_sentence
from core.model import Patch, Record, Step
from core.runs.run import load_run
from core.studies.effects.path_patching import (
    PathError,
    PathPatching,
    Read,
    heads_in_order,
    is_direct,
)
from core.studies.effects.path_study import (
    one_path,
    path_outcomes,
    path_pair,
    path_senders,
    path_study,
    usual_receiver,
)
from core.studies.effects.second_sentence import Fed
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
    return path_senders(run, TIRED, WIDE, Read.QUERY, GUIDED)


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
    study = path_senders(run, TIRED, ALIKE, Read.ALL, GUIDED)
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


def test_sentences_of_other_lengths_are_refused_with_both_lengths(run):
    with pytest.raises(PathError, match="have 14 and 16 tokens, special ones counted"):
        path_senders(run, TIRED, WIDE.replace("too", "far too"), Read.ALL, GUIDED)


def test_the_same_sentence_twice_is_refused(run):
    with pytest.raises(PathError, match="are the same to the model"):
        path_senders(run, TIRED, f" {TIRED}", Read.ALL, GUIDED)


def test_no_text_is_refused(run):
    with pytest.raises(SentenceError):
        path_senders(run, TIRED, "", Read.ALL, GUIDED)


def test_a_head_that_the_model_lacks_is_refused(run):
    sender, missing = Head.parse("encoder.0.self:0"), Head.parse("encoder.9.self:0")
    with pytest.raises(PathError, match="no direct path leads from"):
        one_path(run, TIRED, WIDE, Read.ALL, sender, missing)


BOTH = (TIRED, TIRED.replace("tired", "wide"))


ENDS = (Head.parse("encoder.0.self:3"), Head.parse("encoder.2.self:0"))


def test_the_path_and_both_sentences_have_the_chances_that_the_study_finds(run):
    found = path_outcomes(run, *BOTH, Read.QUERY, *ENDS)
    one = one_path(run, *BOTH, Read.QUERY, *ENDS)
    assert found.clean.chance == pytest.approx(math.exp(one.before_log_p))
    assert found.path.chance == pytest.approx(math.exp(one.after_log_p))
    assert found.clean.stays and not found.other.stays
    assert (found.clean.chosen.text, found.other.chosen.text) == ("il", "elle")


@torch.inference_mode()
def test_all_readers_are_given_the_message(run):
    found = path_outcomes(run, *BOTH, Read.QUERY, *ENDS)
    pair, (sender, _receiver) = path_pair(run, *BOTH), ENDS
    clean, other = (
        [torch.tensor([ids]) for ids in (each.source_ids, pair.clean.fed_ids[: pair.step + 1])]
        for each in (pair.clean, pair.other)
    )
    record = Record(frozenset({Step.MIXED}))
    run.model(*other, record)
    mixed = record.tensors[sender.site, Step.MIXED][:, sender.index]
    chances_V = run.model(*clean, Patch({sender: mixed}))[0, -1].double().softmax(dim=-1)
    assert found.exchanged.chance == pytest.approx(float(chances_V[pair.token]), rel=1e-4)
    assert found.exchanged.stays == (int(chances_V.argmax()) == pair.token)


def test_who_writes_the_same_in_both_sentences_changes_nothing(run):
    ends = Head.parse("decoder.0.self:0"), Head.parse("decoder.0.cross:1")
    found = path_outcomes(run, *BOTH, Read.QUERY, *ends)
    assert found.path == found.exchanged == found.clean


def test_the_guided_head_hears_where_it_should_look_from_one_head(run, study):
    at = int(np.abs(study.log_p_change_N).argmax())
    assert study.senders[at] == ENDS[0]
    # By itself it explains little: all that differs makes "il" improbable.
    change = study.log_p_change_N[at]
    assert 0.1 * (study.other_log_p - study.clean_log_p) < change < 0
    assert abs(change) > 100 * np.median(np.abs(study.log_p_change_N[study.differs_N]))
    found = one_path(run, TIRED, WIDE, Read.QUERY, *ENDS)
    words = [token.text for token in run.tokenizer.describe(study.clean.source_ids)]
    assert (words[found.query], words[found.key]) == ("it", "animal")
    assert found.after_QK[found.query, found.key] < found.before_QK[found.query, found.key] - 0.2
    # The writer reads the word that differs, at the place of the pronoun.
    assert (words[found.sent_at], words[int(found.sent_K.argmax())]) == ("it", "tired")


@pytest.mark.parametrize("read", Read)
@pytest.mark.parametrize("receiver", ["encoder.2.self:0", "decoder.0.cross:1", "decoder.1.cross:2"])
def test_each_sender_among_all_is_what_it_is_alone(run, read, receiver):
    receiver = Head.parse(receiver)
    study = path_senders(run, TIRED, WIDE, read, receiver)
    assert set(study.senders) == {
        sender for sender in heads_in_order(run.model) if is_direct(sender, receiver, read)
    }
    last = (
        receiver.kind.stack == "decoder" and receiver.layer == run.model.config.n_decoder_layers - 1
    )
    for at, sender in enumerate(study.senders):
        found = one_path(run, TIRED, WIDE, read, sender, receiver)
        moved_Q = np.abs(found.after_QK.astype(float) - found.before_QK).sum(axis=-1) / 2
        # Nothing after a decoder's last layer looks from place to place.
        moved = moved_Q[-1] if last else moved_Q.max()
        assert study.moved_N[at] == pytest.approx(moved, abs=1e-5)
        change = found.after_log_p - found.before_log_p
        assert study.log_p_change_N[at] == pytest.approx(change, abs=1e-5)
        if not study.differs_N[at]:
            assert study.moved_N[at] == study.log_p_change_N[at] == 0
    assert not (read == Read.VALUE and study.moved_N.any())
    assert study.log_p_change_N.any() == study.differs_N.any()
    assert all(len(column) == len(study.senders) for column in study.table().values())


def test_the_strongest_path_and_what_it_does_stand_in_one_table(run):
    found = path_study(run, *BOTH, Read.ALL, GUIDED)
    changes = np.abs(found.senders.log_p_change_N)
    assert found.path.sender == found.senders.senders[int(changes.argmax())]
    table, n = found.table(), len(changes)
    assert {len(column) for column in table.values()} == {n + 4}
    assert table["chance"][n] == pytest.approx(math.exp(found.senders.clean_log_p))
    assert table["chance"][-1] == pytest.approx(math.exp(found.senders.other_log_p))


def test_the_usual_receiver_carries_most_of_the_difference(run):
    assert usual_receiver(run, *BOTH, Read.QUERY) == GUIDED
    assert usual_receiver(run, TIRED, ALIKE, Read.ALL) is not None
