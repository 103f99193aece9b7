"""What each probe makes of a pass, against computations of its own in float64."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.decoding.step import Stepper, mask_special_tokens
from core.heads import Head, Site
from core.model import Override, Patch, Probes, Record, Silence, Step, build
from core.model.probes import Freeze, Uniform

SITES = ["encoder.1.self", "decoder.0.self", "decoder.1.cross"]
CROSS = Site("decoder", 1, "cross")
EVERYTHING = frozenset(Step)


def recorded(model, batch, *probes):
    record = Record(EVERYTHING)
    with torch.no_grad():
        model(*batch, Probes([*probes, record]))
    return record.tensors


def attention_at(model, site):
    layer = (model.encoder if site.stack == "encoder" else model.decoder)[site.layer]
    return layer.cross_attention if site.sublayer == "cross" else layer.self_attention


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("silent", [(2,), (0, 3), (0, 1, 2, 3)])
def test_silencing_leaves_the_sum_of_the_other_heads_terms(model, batch, site, silent):
    site, model = Site.parse(site), model.double()
    before = recorded(model, batch)
    after = recorded(model, batch, Silence.of([Head(site, head) for head in silent]))
    # Independently, in numpy: the terms of the heads that are left, and the bias.
    mixed_BHQE = before[site, Step.MIXED].numpy()
    output = attention_at(model, site).output
    weight_DHE = output.weight.detach().numpy().reshape(16, 4, 3)
    left = [head for head in range(4) if head not in silent]
    expected_BQD = np.einsum("bhqe,dhe->bqd", mixed_BHQE[:, left], weight_DHE[:, left])
    expected_BQD = expected_BQD + output.bias.detach().numpy()
    np.testing.assert_allclose(after[site, Step.ADDED].numpy(), expected_BQD, atol=1e-12)


@pytest.mark.parametrize("site", SITES)
def test_a_uniform_head_spreads_evenly_over_what_each_row_may_see(model, batch, site):
    site = Site.parse(site)
    tensors = recorded(model, batch, Uniform.of([Head(site, 1), Head(site, 2)]))
    weights_BHQK = tensors[site, Step.WEIGHTS].numpy()
    visible_BQK = np.broadcast_to(tensors[site, Step.VISIBLE].numpy(), weights_BHQK[:, 0].shape)
    expected_BQK = visible_BQK / visible_BQK.sum(axis=-1, keepdims=True)
    for head in (1, 2):
        np.testing.assert_allclose(weights_BHQK[:, head], expected_BQK, atol=1e-7)
    others = recorded(model, batch)[site, Step.WEIGHTS].numpy()
    assert np.array_equal(weights_BHQK[:, [0, 3]], others[:, [0, 3]])
    assert np.abs(weights_BHQK[:, 1] - others[:, 1]).max() > 1e-3


@pytest.mark.parametrize("site", SITES)
def test_a_frozen_head_mixes_the_given_values_everywhere_and_the_others_their_own(
    model, batch, site
):
    site = Site.parse(site)
    given_E = torch.tensor([0.5, -2.0, 7.0])
    mixed_BHQE = recorded(model, batch, Freeze({Head(site, 3): given_E}))[site, Step.MIXED]
    before_BHQE = recorded(model, batch)[site, Step.MIXED]
    assert torch.equal(mixed_BHQE[:, 3], given_E.expand(mixed_BHQE[:, 3].shape))
    assert torch.equal(mixed_BHQE[:, :3], before_BHQE[:, :3])


@pytest.mark.parametrize("site", SITES)
def test_overriding_any_row_with_itself_changes_no_bit(model, batch, site):
    site = Site.parse(site)
    sentence = (batch[0][:1], batch[1][2:])
    with torch.no_grad():
        record = Record()
        before_BTV = model(*sentence, record)
        weights_HQK = record.weights(site)[0]
        for head, query in itertools.product(range(4), range(weights_HQK.shape[1])):
            override = Override(Head(site, head), query, weights_HQK[head, query])
            assert torch.equal(model(*sentence, Probes([override, Record()])), before_BTV)


def test_patching_leaves_positions_that_the_other_pass_did_not_have(model, batch):
    before_BHQE = recorded(model, batch)[CROSS, Step.MIXED]
    for n_given in (2, 9):
        patch = Patch({Head(CROSS, 1): torch.full((1, n_given, 3), 5.0)})
        mixed_BHQE = recorded(model, batch, patch)[CROSS, Step.MIXED]
        assert (mixed_BHQE[:, 1, :n_given] == 5).all()
        assert torch.equal(mixed_BHQE[:, 1, n_given:], before_BHQE[:, 1, n_given:])


def probes_of_rows(model, source_BS, target_BT):
    """Return probes that name rows: of the encoder, the decoder, and between them."""
    record = Record(EVERYTHING)
    with torch.no_grad():
        model(source_BS.flip(1), target_BT, record)
    patched = [Head(Site.parse(site), 2) for site in SITES]
    return [
        Override(Head(Site("encoder", 1, "self"), 0), 2, torch.eye(6)[4]),
        Override(Head(Site("decoder", 0, "self"), 1), 3, torch.tensor([0.0, 0.0, 1.0, 0.0])),
        Override(Head(CROSS, 3), 2, torch.eye(6)[0]),
        Patch({head: record.tensors[head.site, Step.MIXED][:, head.index] for head in patched}),
    ]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_probes_of_rows_do_the_same_step_by_step_as_in_one_pass(small_config, norm):
    model = build(replace(small_config, norm=norm), seed=1).eval()
    source_BS = torch.tensor([[4, 5, 6, 7, 8, 2]])
    target_BT = torch.tensor([[1, 5, 6, 7, 9]])
    for probe in probes_of_rows(model, source_BS, target_BT):
        for nested in (probe, Probes([Silence.of([Head(CROSS, 1)]), probe])):
            with torch.no_grad():
                whole_TV = mask_special_tokens(model(source_BS, target_BT, nested), model.config)[0]
                plain_TV = mask_special_tokens(model(source_BS, target_BT), model.config)[0]
            stepper = Stepper(model, source_BS, probe=nested)
            steps_TV = torch.cat([stepper.feed(target_BT[:, i : i + 1]) for i in range(5)])
            torch.testing.assert_close(steps_TV, whole_TV, rtol=1e-4, atol=1e-5)
            # PAD and BOS are −∞ in both.
            assert (whole_TV[:, 2:] - plain_TV[:, 2:]).abs().max() > 1e-3


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


def test_recorded_tensors_are_detached_unless_asked_for(model, batch):
    plain, graph = Record(), Record(keep_graph=True)
    model(*batch, Probes([plain, graph]))
    assert not plain.weights(CROSS).requires_grad
    assert graph.weights(CROSS).requires_grad
