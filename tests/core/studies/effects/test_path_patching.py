"""Paths between heads: against a model computed head by head in float64, and in a trained run."""

import math
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.decoding.sentence import SentenceError
from core.heads import Head, Site
from core.runs.run import load_run
from core.studies.effects.path_patching import (
    PathPatching,
    Read,
    is_direct,
    one_path,
    path_study,
    usual_receiver,
)
from core.studies.effects.second_sentence import Fed, PatchingError, paired
from core.vocabulary import BOS, EOS
from tests.core.studies.effects import by_hand

SIZES = {"vocab_size": 23, "d_model": 12, "d_ff": 20, "n_heads": 4, "d_k": 4, "d_v": 3}
BOTH = SIZES | {"n_encoder_layers": 2, "n_decoder_layers": 2, "n_heads": 3}
MODELS = {
    "post-norm": BOTH | {"norm": "post"},
    "pre-norm": BOTH | {"norm": "pre", "norm_kind": "rms"},
    "decoder alone": SIZES | {"n_encoder_layers": 0, "n_decoder_layers": 3, "norm": "pre"},
    "encoder alone, shared keys, rotary": SIZES
    | {"n_encoder_layers": 3, "n_decoder_layers": 0, "n_kv_heads": 2, "positions": "rotary"},
}
CLEAN = Fed((5, 9, 7, 12, 2), (1, 6, 4, 8))
OTHER = Fed((5, 3, 7, 14, 2), (1, 6, 4, 8))
OTHER_TARGET = (1, 3, 4, 11)
TOKEN = 15
READ_PARTS = {read: [read] for read in (Read.QUERY, Read.KEY, Read.VALUE)} | {
    Read.ALL: ["query", "key", "value"]
}


def sentences(config):
    """Return what a model of one or two stacks is fed in both."""
    if config.n_encoder_layers and config.n_decoder_layers:
        return CLEAN, OTHER
    if config.n_encoder_layers:
        return Fed(CLEAN.source_ids), Fed(OTHER.source_ids)
    return Fed(target_ids=CLEAN.target_ids), Fed(target_ids=OTHER_TARGET)


@pytest.fixture(scope="module", params=MODELS)
def known(request):
    """A model, its paths, and the passes over both sentences by hand."""
    config = ModelConfig(**MODELS[request.param])
    model = by_hand.drawn(config)
    fed = sentences(config)
    passes = [by_hand.run(model, each.source_ids, each.target_ids) for each in fed]
    return model, PathPatching(model, *fed), fed[0], *passes


@pytest.fixture(scope="module")
def stream_of(known):
    """Return a function that returns a pass in which one head alone adds what it adds in the other.

    Each is computed once for all its paths.
    """
    model, _paths, fed, clean, other = known

    @cache
    def stream(sender):
        change_QD = other.terms[sender] - clean.terms[sender]
        added = clean.added | {sender.site: clean.added[sender.site] + change_QD}
        return by_hand.run(model, fed.source_ids, fed.target_ids, added=added)

    return stream


def log_p_of(logits_V):
    return float(logits_V.log_softmax(dim=-1)[TOKEN])


def patched_by_hand(known, stream, receiver, read):
    """Return a pass in which one head's parts are computed from the stream of one path."""
    model, _paths, fed, *_rest = known
    stream = stream.given[receiver.site]
    given = {(receiver, part): stream[part] for part in READ_PARTS[read]}
    return by_hand.run(model, fed.source_ids, fed.target_ids, given=given)


@pytest.mark.parametrize("read", Read)
def test_each_path_is_that_of_a_model_computed_head_by_head(known, stream_of, read):
    _model, paths, *_rest = known
    n_paths = 0
    for sender, receiver in product(paths.heads, repeat=2):
        if not is_direct(sender, receiver, read):
            continue
        n_paths += 1
        expected = patched_by_hand(known, stream_of(sender), receiver, read)
        weights_QK = paths.weights(sender, receiver, read)
        torch.testing.assert_close(weights_QK, expected.weights[receiver], atol=1e-10, rtol=1e-8)
        log_p = log_p_of(expected.logits_V)
        found = log_p_of(paths.path_logits_V(sender, receiver, read))
        assert found == pytest.approx(log_p, abs=1e-9)
    assert n_paths > 20


def test_the_clean_sentence_is_computed_as_by_hand(known):
    _model, paths, _fed, clean, other = known
    torch.testing.assert_close(paths.clean_logits_V, clean.logits_V, atol=1e-10, rtol=1e-8)
    torch.testing.assert_close(paths.other_logits_V, other.logits_V, atol=1e-10, rtol=1e-8)
    for head in paths.heads:
        torch.testing.assert_close(
            paths.clean_weights(head), clean.weights[head], atol=1e-10, rtol=1e-8
        )


def test_who_writes_the_same_in_both_sentences_changes_nothing(known):
    model, _paths, fed, *_rest = known
    paths = PathPatching(model, fed, fed)
    assert not any(map(paths.writes_otherwise, paths.heads))
    log_p = log_p_of(paths.clean_logits_V)
    for one, other in product(paths.heads, repeat=2):
        if is_direct(one, other, Read.ALL):
            weights_QK = paths.weights(one, other, Read.ALL)
            torch.testing.assert_close(weights_QK, paths.clean_weights(other))
            found = log_p_of(paths.path_logits_V(one, other, Read.ALL))
            assert found == pytest.approx(log_p, abs=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_only_path_that_there_is_makes_the_receiver_look_as_in_the_other_sentence(norm):
    """One head a layer, and feed-forward layers that add the same for every token."""
    config = ModelConfig(**BOTH | {"n_heads": 1, "norm": norm})
    model = by_hand.drawn(config)
    for layer in model.layers():
        torch.nn.init.zeros_(layer.feed_forward.contract.weight)
    paths = PathPatching(model, CLEAN, OTHER)
    sender, receiver = Head.parse("decoder.0.cross:0"), Head.parse("decoder.1.self:0")
    other = by_hand.run(model, OTHER.source_ids, OTHER.target_ids)
    found_QK = paths.weights(sender, receiver, Read.ALL)
    torch.testing.assert_close(found_QK, other.weights[receiver], atol=1e-10, rtol=1e-8)
    assert (found_QK - paths.clean_weights(receiver)).abs().max() > 1e-3


@pytest.mark.parametrize("read", Read)
def test_a_path_is_direct_where_the_sender_alone_changes_what_is_read(known, stream_of, read):
    """By hand: everything else frozen, does what the receiver reads differ?"""
    _model, paths, _fed, clean, _other = known
    for sender in filter(paths.writes_otherwise, paths.heads):
        given = stream_of(sender).given
        for receiver in paths.heads:
            differs = any(
                not torch.equal(given[receiver.site][part], clean.given[receiver.site][part])
                for part in READ_PARTS[read]
            )
            assert is_direct(sender, receiver, read) == differs, (sender, receiver)


# ---- a trained run

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
    return path_study(run, TIRED, WIDE, Read.QUERY, GUIDED)


def log_p(run, source_ids, fed_ids, token):
    with torch.no_grad():
        logits_1TV = run.model(torch.tensor([source_ids]), torch.tensor([fed_ids]))
    return float(logits_1TV[0, -1].double().log_softmax(dim=-1)[token])


def test_it_is_measured_where_the_translations_part(run, study):
    found, outcomes = study.senders, study.outcomes
    assert found.token.text == outcomes.clean.chosen.text == "il"
    assert found.clean.target_ids[: found.step] == found.other.target_ids[: found.step]
    token = found.clean.target_ids[found.step]
    fed_ids = (BOS, *found.clean.target_ids[: found.step])
    for each, outcome in ((found.clean, outcomes.clean), (found.other, outcomes.other)):
        chance = math.exp(log_p(run, each.source_ids, fed_ids, token))
        assert outcome.chance == pytest.approx(chance, rel=1e-3)
    assert outcomes.clean.stays and not outcomes.other.stays
    assert outcomes.other.chosen.text == "elle"


def test_where_nothing_parts_the_step_is_that_of_the_largest_change(run):
    study = path_study(run, TIRED, ALIKE, Read.ALL, GUIDED).senders
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


@pytest.mark.parametrize(
    ("other", "sender", "error", "complaint"),
    [
        (WIDE.replace("too", "far too"), None, PatchingError, "have 14 and 16 tokens, special"),
        (f" {TIRED}", None, PatchingError, "are the same to the model"),
        ("", None, SentenceError, "no text"),
        (WIDE, "encoder.2.self:1", PatchingError, "no direct path leads from encoder.2.self:1"),
    ],
)
def test_what_has_no_path_is_refused(run, other, sender, error, complaint):
    with pytest.raises(error, match=complaint):
        path_study(run, TIRED, other, Read.ALL, GUIDED, sender and Head.parse(sender))


def test_the_guided_head_reads_where_it_should_look_from_one_head(run, study):
    senders, found = study.senders, study.path
    assert found.sender == Head.parse("encoder.0.self:3")
    change_N = np.abs(senders.log_p_change_N)
    assert found.sender == senders.senders[int(change_N.argmax())]
    assert change_N.max() > 100 * np.median(change_N[senders.differs_N])
    words = [token.text for token in run.tokenizer.describe(senders.clean.source_ids)]
    assert (words[found.query], words[found.key]) == ("it", "animal")
    assert found.after_QK[found.query, found.key] < found.before_QK[found.query, found.key] - 0.2


@pytest.mark.parametrize("read", Read)
@pytest.mark.parametrize("receiver", ["encoder.2.self:0", "decoder.0.cross:1", "decoder.1.cross:2"])
def test_each_sender_among_all_is_what_it_is_alone(run, read, receiver):
    receiver = Head.parse(receiver)
    study = path_study(run, TIRED, WIDE, read, receiver)
    found, token = study.senders, study.senders.clean.target_ids[study.senders.step]
    paths = PathPatching(run.model, *paired(run, TIRED, WIDE).fed(found.step))
    last = receiver.site.stack == "decoder" and receiver.layer == 1
    before = float(paths.clean_logits_V.double().log_softmax(dim=-1)[token])
    for at, sender in enumerate(found.senders):
        one = one_path(paths, sender, receiver, read)
        moved_Q = np.abs(one.after_QK.astype(float) - one.before_QK).sum(axis=-1) / 2
        # Nothing after a decoder's last layer mixes positions.
        assert found.moved_N[at] == pytest.approx(moved_Q[-1] if last else moved_Q.max(), abs=1e-5)
        after = float(paths.path_logits_V(sender, receiver, read).double().log_softmax(-1)[token])
        assert found.log_p_change_N[at] == pytest.approx(after - before, abs=1e-5)
        if not found.differs_N[at]:
            assert found.moved_N[at] == found.log_p_change_N[at] == after - before == 0
    assert not (read == Read.VALUE and found.moved_N.any())
    table, n = study.table(), len(found.senders)
    assert {len(column) for column in table.values()} == {n + 4}
    assert table["log_p_change"][:n] == found.log_p_change_N.tolist()
    assert table["chance"][n] == study.outcomes.clean.chance


def test_the_usual_receiver_carries_most_of_the_difference(run):
    assert usual_receiver(run, TIRED, WIDE, Read.QUERY) == GUIDED
    assert usual_receiver(run, TIRED, ALIKE, Read.ALL) is not None
