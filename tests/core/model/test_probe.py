import pytest
import torch

from core.model import Override, Patch, Probes, Record, Silence, Site, Step

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


def test_record_holds_every_step_of_every_site_with_its_shape(model, batch):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(*batch, record)
    assert set(record.tensors) == {(site, step) for site in model.sites() for step in Step}
    assert record.tensors[CROSS, Step.WEIGHTS].shape == (3, 4, 5, 6)
    assert record.tensors[CROSS, Step.KEY].shape == (3, 4, 6, 5)
    assert record.tensors[CROSS, Step.MIXED].shape == (3, 4, 5, 3)


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
    attention = layer.cross_attention if site.kind == "cross" else layer.self_attention
    with torch.no_grad():
        silenced_BTV = model(*batch, Silence.of([(site, head)]))
        # Independently: without the columns of W^O that read this head (d_v = 3).
        attention.output.weight[:, 3 * head : 3 * head + 3] = 0
        expected_BTV = model(*batch)
    assert (silenced_BTV - expected_BTV).abs().max() < 1e-12


def test_silencing_changes_something(model, batch):
    with torch.no_grad():
        difference = model(*batch, Silence.of([(CROSS, 0)])) - model(*batch)
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
        after_BTV = model(source_BS, target_BT, Probes([Override(CROSS, 1, 2, row_K), Record()]))
    assert torch.equal(before_BTV, after_BTV)


def test_overriding_a_row_changes_that_row_and_what_follows_only(model, batch):
    source_BS, target_BT = batch[0][:1], batch[1][:1]
    wanted_K = torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    record = Record()
    with torch.no_grad():
        before_BTV = model(source_BS, target_BT)
        probes = Probes([Override(CROSS, 1, 2, wanted_K), record])
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
    patch = Patch({(s, h): record.tensors[s, Step.MIXED][:, h] for s in sites for h in range(4)})
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
            {(CROSS, head): record.tensors[CROSS, Step.MIXED][:, head] for head in (0, 3)}
        )
        assert (model(*batch, patch) - before_BTV).abs().max() < 1e-5
