import itertools
from dataclasses import replace

import pytest
import torch

from core.heads import Head, Kind, Site
from core.model import (
    Cache,
    Override,
    Patch,
    Probes,
    Record,
    Remask,
    Rescale,
    Silence,
    Step,
    Unplace,
    build,
)

CROSS = Site("decoder", 1, "cross")


@pytest.mark.parametrize("text", ["encoder.0.self", "decoder.11.self", "decoder.3.cross"])
def test_site_is_read_as_it_is_written(text):
    assert str(Site.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "encoder.0.cross", "encoder.x.self", "encoder.-1.self", "a.b"]
)
def test_what_is_no_site_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match=r"not a site such as encoder\.1\.self"):
        Site.parse(text)


def test_model_names_all_its_sites_once(model):
    names = [str(site) for site in model.sites()]
    assert names == [
        "encoder.0.self",
        "encoder.1.self",
        "encoder.2.self",
        "decoder.0.self",
        "decoder.1.self",
        "decoder.0.cross",
        "decoder.1.cross",
    ]


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


def test_a_probe_of_no_interest_changes_nothing(model, batch):
    with torch.no_grad():
        assert torch.equal(model(*batch), model(*batch, Record(frozenset(Step), frozenset())))


def test_masks_are_replaced_for_the_given_kind_of_attention_only(model, batch):
    everything_BQK = torch.ones(1, 1, 1, dtype=torch.bool)
    record = Record()
    with torch.no_grad():
        model(*batch, Probes([Remask({Kind.DECODER_SELF: everything_BQK}), record]))
    weights_BHQK = record.weights(Site("decoder", 0, "self"))
    assert (weights_BHQK > 0).all()
    assert (record.weights(CROSS)[1, :, :, 3:] == 0).all()


def test_rescaling_by_the_root_of_d_k_leaves_the_bare_dot_products(model, batch):
    record = Record(frozenset({Step.QUERY, Step.KEY, Step.SCORES}))
    with torch.no_grad():
        model(*batch, Probes([Rescale(5**0.5), record]))
    query, key = (record.tensors[CROSS, step] for step in (Step.QUERY, Step.KEY))
    torch.testing.assert_close(
        record.tensors[CROSS, Step.SCORES], query @ key.transpose(-2, -1), rtol=1e-4, atol=1e-5
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


def test_a_probe_that_sees_one_site_leaves_the_others_fused(model, batch):
    record = Record(frozenset(Step), frozenset({CROSS}))
    with torch.no_grad():
        model(*batch, record)
    assert {site for site, _ in record.tensors} == {CROSS}


@pytest.mark.parametrize("site", ["encoder.1.self", "decoder.0.self", "decoder.1.cross"])
def test_silencing_is_removing_the_heads_term_before_the_output_projection(model, batch, site):
    site, head = Site.parse(site), 2
    # In float64, so that the two paths' rounding does not hide a difference.
    layer = getattr(model.double(), site.stack)[site.layer]
    attention = layer.cross_attention if site.sublayer == "cross" else layer.self_attention
    with torch.no_grad():
        silenced_BTV = model(*batch, Silence.of([Head(site, head)]))
        # Independently: without the columns of W^O that read this head (d_v = 3).
        attention.output.weight[:, 3 * head : 3 * head + 3] = 0
        expected_BTV = model(*batch)
    assert (silenced_BTV - expected_BTV).abs().max() < 1e-12


def test_silencing_changes_something(model, batch):
    with torch.no_grad():
        difference = model(*batch, Silence.of([Head(CROSS, 0)])) - model(*batch)
    assert difference.abs().max() > 1e-3


def test_silencing_no_head_changes_nothing(model, batch):
    with torch.no_grad():
        assert torch.equal(model(*batch, Silence.of([])), model(*batch))


def test_overriding_a_row_with_itself_changes_nothing(model, batch):
    source_BS, target_BT = batch[0][:1], batch[1][:1]
    record = Record()
    with torch.no_grad():
        before_BTV = model(source_BS, target_BT, record)
        row_K = record.weights(CROSS)[0, 1, 2]
        # Recorded too, so that every site takes the same path in both passes.
        after_BTV = model(
            source_BS, target_BT, Probes([Override(Head(CROSS, 1), 2, row_K), Record()])
        )
    assert torch.equal(before_BTV, after_BTV)


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


def test_patching_every_encoder_head_gives_the_other_sentences_attention(model):
    one_BS, other_BS = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[4, 9, 6, 2]])
    record = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        model.encode(other_BS, record)
    sites = [site for site in model.sites() if site.stack == "encoder"]
    heads = [head for site in sites for head in site.heads(4)]
    patch = Patch({h: record.tensors[h.site, Step.MIXED][:, h.index] for h in heads})
    patched = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        model.encode(one_BS, Probes([patch, patched]))
    for site in sites:
        assert torch.equal(patched.tensors[site, Step.MIXED], record.tensors[site, Step.MIXED])


def test_patching_a_run_with_itself_changes_nothing(model, batch):
    record = Record(frozenset({Step.MIXED}))
    with torch.no_grad():
        before_BTV = model(*batch, record)
        patch = Patch(
            {Head(CROSS, head): record.tensors[CROSS, Step.MIXED][:, head] for head in (0, 3)}
        )
        assert (model(*batch, patch) - before_BTV).abs().max() < 1e-5


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_queries_come_from_the_stream_normed_first_in_a_pre_norm_model(small_config, batch, norm):
    model = build(replace(small_config, norm=norm), seed=1).eval()
    tensors = everything(model, batch)
    given = Step.AFTER_NORM if norm == "pre" else Step.STREAM_IN
    for site in model.sites():
        assert torch.equal(tensors[site, Step.QUERY_INPUT], tensors[site, given])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_keys_and_values_come_from_the_sequence_itself_or_from_what_the_encoder_made(
    small_config, batch, norm
):
    model = build(replace(small_config, norm=norm), seed=1).eval()
    tensors = everything(model, batch)
    with torch.no_grad():
        # Watched too, so that both passes take the same path.
        memory_BSD = model.encode(batch[0], Record())
    for site in model.sites():
        own = memory_BSD if site.sublayer == "cross" else tensors[site, Step.QUERY_INPUT]
        assert torch.equal(tensors[site, Step.MEMORY], own)


def test_scores_are_the_products_divided_by_the_root_of_d_k(model, batch):
    tensors = everything(model, batch)
    query, key = tensors[CROSS, Step.QUERY], tensors[CROSS, Step.KEY]
    assert torch.equal(tensors[CROSS, Step.PRODUCTS], query @ key.transpose(-2, -1))
    assert torch.equal(tensors[CROSS, Step.SCORES], tensors[CROSS, Step.PRODUCTS] / 5**0.5)


def test_a_probe_can_change_what_keys_and_values_are_made_of_and_nothing_else(model, batch):
    class Forget:
        def sees(self, site):
            return site == CROSS

        def at(self, site, step, tensor):
            return torch.zeros_like(tensor) if step is Step.MEMORY else tensor

    record = Record(frozenset(Step))
    with torch.no_grad():
        model(*batch, Probes([Forget(), record]))
    query, key = (record.tensors[CROSS, step] for step in (Step.QUERY, Step.KEY))
    bias = model.decoder[1].cross_attention.key.bias.view(4, 1, 5)
    assert torch.equal(key, bias.expand(3, 4, 6, 5))
    assert torch.equal(query, everything(model, batch)[CROSS, Step.QUERY])


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
