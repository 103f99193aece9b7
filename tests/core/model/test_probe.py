import itertools
from dataclasses import replace

import pytest
import torch

from core.heads import Head, Kind, Site
from core.model import (
    Cache,
    Override,
    Probes,
    Record,
    Remask,
    Step,
    Unplace,
    build,
)

CROSS = Site("decoder", 1, "cross")


STREAM = {Step.STREAM_IN, Step.BEFORE_NORM, Step.AFTER_NORM, Step.ADDED, Step.STREAM_OUT}
EMBEDDED = {Step.TOKENS, Step.POSITIONS, Step.STREAM_OUT}
OTHERS = {Step.ROTATED_QUERY, Step.ROTATED_KEY, Step.POSITION_BIAS, Step.SEGMENTS, Step.GATE}
OTHERS |= {Step.STATE, Step.COPY_WEIGHTS, Step.P_GEN, Step.LENGTH}
"""Of other kinds of Transformers than the paper's."""
ATTENDED = set(Step) - EMBEDDED - {Step.HIDDEN} - OTHERS | STREAM


def everything(model, batch):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(*batch, record)
    return record.tensors


def test_record_holds_every_step_of_every_site_with_its_shape(model, batch):
    tensors = everything(model, batch)
    wanted = {(site, step) for site in model.sites() for step in ATTENDED}
    for stack, layers in (("encoder", 3), ("decoder", 2)):
        wanted |= {(Site(stack, 0, "embedding"), step) for step in EMBEDDED}
        fed = [Site(stack, layer, "feed_forward") for layer in range(layers)]
        wanted |= {(site, step) for site in fed for step in (*STREAM, Step.HIDDEN)}
    assert set(tensors) == wanted
    assert tensors[CROSS, Step.WEIGHTS].shape == (3, 4, 5, 6)
    assert tensors[CROSS, Step.KEY].shape == (3, 4, 6, 5)
    assert tensors[CROSS, Step.MIXED].shape == (3, 4, 5, 3)
    assert tensors[Site("encoder", 0, "feed_forward"), Step.HIDDEN].shape == (3, 6, 32)
    assert tensors[Site("decoder", 0, "embedding"), Step.POSITIONS].shape == (5, 16)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stream_is_what_came_in_and_what_every_sublayer_added(small_config, batch, norm):
    model = build(replace(small_config, norm=norm), seed=1).eval()
    tensors = everything(model, batch)
    for site in {site for site, _ in tensors if site.sublayer != "embedding"}:
        step = {name: tensors[site, name] for name in STREAM}
        total = step[Step.STREAM_IN] + step[Step.ADDED]
        if norm == "pre":
            torch.testing.assert_close(step[Step.STREAM_OUT], total)
            torch.testing.assert_close(step[Step.BEFORE_NORM], step[Step.STREAM_IN])
        else:
            torch.testing.assert_close(step[Step.BEFORE_NORM], total)
            torch.testing.assert_close(step[Step.AFTER_NORM], step[Step.STREAM_OUT])


def test_what_goes_out_of_a_sublayer_comes_into_the_next(model, batch):
    tensors = everything(model, batch)
    order = [Site("decoder", 0, "embedding")]
    for layer in range(2):
        order += [Site("decoder", layer, kind) for kind in ("self", "cross", "feed_forward")]
    for before, after in itertools.pairwise(order):
        assert torch.equal(tensors[before, Step.STREAM_OUT], tensors[after, Step.STREAM_IN])


def test_masks_are_replaced_for_the_given_kind_of_attention_only(model, batch):
    everything_BQK = torch.ones(1, 1, 1, dtype=torch.bool)
    record = Record()
    with torch.no_grad():
        model(*batch, Probes([Remask({Kind.DECODER_SELF: everything_BQK}), record]))
    weights_BHQK = record.weights(Site("decoder", 0, "self"))
    assert (weights_BHQK > 0).all()
    assert (record.weights(CROSS)[1, :, :, 3:] == 0).all()


def test_scores_are_the_dot_products_divided_by_the_root_of_d_k(model, batch):
    record = Record(frozenset({Step.QUERY, Step.KEY, Step.SCORES}))
    with torch.no_grad():
        model(*batch, record)
    query, key = (record.tensors[CROSS, step] for step in (Step.QUERY, Step.KEY))
    torch.testing.assert_close(
        record.tensors[CROSS, Step.SCORES] * 5**0.5,
        query @ key.transpose(-2, -1),
        rtol=1e-4,
        atol=1e-5,
    )


def test_without_positions_the_encoder_only_permutes_with_its_words(model):
    source_1S = torch.tensor([[4, 5, 6, 7, 8, 2]])
    order = torch.tensor([3, 1, 5, 0, 2, 4])
    with torch.no_grad():
        memory_1SD = model.encode(source_1S, Unplace())
        shuffled_1SD = model.encode(source_1S[:, order], Unplace())
        placed_1SD = model.encode(source_1S[:, order])
    torch.testing.assert_close(shuffled_1SD, memory_1SD[:, order], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(placed_1SD, model.encode(source_1S)[:, order], atol=1e-2)


def test_recorded_tensors_are_detached_unless_asked_for(model, batch):
    plain, graph = Record(), Record(keep_graph=True)
    model(*batch, Probes([plain, graph]))
    assert not plain.weights(CROSS).requires_grad
    assert graph.weights(CROSS).requires_grad


def test_overriding_a_row_changes_that_row_and_what_follows_only(model, batch):
    source_BS, target_BT = batch[0][:1], batch[1][:1]
    wanted_K = torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    record = Record()
    with torch.no_grad():
        before_BTV = model(source_BS, target_BT)
        probes = Probes([Override(Head(CROSS, 1), 2, wanted_K), record])
        after_BTV = model(source_BS, target_BT, probes)
    assert torch.equal(record.weights(CROSS)[0, 1, 2], wanted_K)
    changed_T = (before_BTV - after_BTV).abs().amax(dim=(0, 2)) > 1e-5
    # The last layer's cross-attention: no later row reads what this one made.
    assert changed_T.tolist() == [False, False, True, False, False]


def test_a_watched_decoding_with_a_cache_sees_the_memory_once_and_new_positions_only(model, batch):
    source_BS, target_BT = batch[0][:1], batch[1][2:]
    seen = []

    class Watch:
        def sees(self, site):
            return site.stack == "decoder" and site.layer == 0

        def at(self, site, step, tensor):
            if step is Step.MEMORY:
                seen.append((site.sublayer, tensor.shape[1]))
            return tensor

    cache = Cache()
    with torch.no_grad():
        memory_BSD = model.encode(source_BS)
        logits = [
            model.decode(target_BT[:, i : i + 1], memory_BSD, None, Watch(), cache)
            for i in range(3)
        ]
        whole_BTV = model.decode(target_BT[:, :3], memory_BSD, None)
    assert seen == [("self", 1), ("cross", 6), ("self", 1), ("self", 1)]
    torch.testing.assert_close(torch.cat(logits, dim=1), whole_BTV, rtol=1e-4, atol=1e-5)
