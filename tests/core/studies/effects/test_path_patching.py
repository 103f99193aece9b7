"""One path at a time, against a model computed head by head in float64."""

from functools import cache
from itertools import product

import pytest
import torch

from core.config import ModelConfig
from core.heads import Head
from core.studies.effects.path_patching import (
    PathError,
    PathPatching,
    Read,
    heads_in_order,
    is_direct,
)
from core.studies.effects.second_sentence import Fed
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


@pytest.fixture(scope="module")
def both():
    """The paths of an encoder with a decoder."""
    return PathPatching(by_hand.drawn(ModelConfig(**BOTH)), CLEAN, OTHER)


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
        log_p = float(expected.logits_V.log_softmax(dim=-1)[TOKEN])
        found = paths.log_probability(sender, receiver, read, TOKEN)
        assert found == pytest.approx(log_p, abs=1e-9)
    assert n_paths > 20


def test_paths_change_what_is_looked_at_and_what_is_written(known):
    """Or else the comparison above would be one of nothing with nothing."""
    _model, paths, _fed, clean, _other = known
    before = float(clean.logits_V.log_softmax(dim=-1)[TOKEN])
    found = [
        (
            float((paths.weights(one, other, Read.ALL) - clean.weights[other]).abs().max()),
            abs(paths.log_probability(one, other, Read.ALL, TOKEN) - before),
        )
        for one, other in product(paths.heads, repeat=2)
        if is_direct(one, other, Read.ALL) and paths.writes_otherwise(one)
    ]
    assert min(weight for weight, _log_p in found) > 1e-6
    assert max(log_p for _weight, log_p in found) > 1e-3


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
    log_p = float(paths.clean_logits_V.log_softmax(dim=-1)[TOKEN])
    for one, other in product(paths.heads, repeat=2):
        if is_direct(one, other, Read.ALL):
            weights_QK = paths.weights(one, other, Read.ALL)
            torch.testing.assert_close(weights_QK, paths.clean_weights(other))
            found = paths.log_probability(one, other, Read.ALL, TOKEN)
            assert found == pytest.approx(log_p, abs=1e-12)


def test_what_a_decoder_is_fed_alike_its_first_layer_says_alike(both):
    silent = {str(head.site) for head in both.heads if not both.writes_otherwise(head)}
    assert silent == {"decoder.0.self"}


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


def test_heads_come_as_the_stream_meets_them():
    heads = heads_in_order(by_hand.drawn(ModelConfig(**BOTH)))
    sites = list(dict.fromkeys(str(head.site) for head in heads))
    encoder = ["encoder.0.self", "encoder.1.self"]
    decoder = ["decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"]
    assert sites == [*encoder, *decoder]
    assert [head.index for head in heads] == [0, 1, 2] * 6


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


def test_sentences_of_other_lengths_are_refused_with_both_lengths():
    model = by_hand.drawn(ModelConfig(**BOTH))
    longer = Fed((*CLEAN.source_ids, 2), CLEAN.target_ids)
    with pytest.raises(PathError, match="have 5 and 6 tokens"):
        PathPatching(model, CLEAN, longer)
    with pytest.raises(PathError, match="have 4 and 3 tokens"):
        PathPatching(model, CLEAN, Fed(CLEAN.source_ids, CLEAN.target_ids[:-1]))


@pytest.mark.parametrize(
    ("sender", "receiver", "read", "complaint"),
    [
        ("encoder.1.self:0", "encoder.0.self:0", Read.ALL, "from encoder.1.self:0 to encoder.0"),
        ("encoder.0.self:0", "encoder.0.self:1", Read.ALL, "no direct path"),
        ("encoder.0.self:0", "decoder.1.cross:1", Read.QUERY, "to the query of decoder.1.cross:1"),
        ("decoder.0.self:0", "decoder.1.cross:1", Read.KEY, "to the key of decoder.1.cross:1"),
        ("encoder.0.self:9", "encoder.1.self:0", Read.ALL, "no direct path"),
        ("encoder.0.self:0", "encoder.7.self:0", Read.QUERY, "no direct path"),
    ],
)
def test_where_there_is_no_direct_path_none_is_patched(both, sender, receiver, read, complaint):
    one, other = Head.parse(sender), Head.parse(receiver)
    with pytest.raises(PathError, match=complaint):
        both.weights(one, other, read)
    with pytest.raises(PathError, match=complaint):
        both.log_probability(one, other, read, TOKEN)
