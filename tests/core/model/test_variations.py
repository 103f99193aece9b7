"""Models in which something of the paper's is left out or shared."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.config import ConfigError, ModelConfig
from core.describe import describe
from core.describe.formulas import count_formula, formulas, whole_formula
from core.describe.modules import attention_work
from core.heads import Kind, Site
from core.model import Cache, Record, Step, build
from core.model.attention import MultiHeadAttention
from core.model.building import count_parameters
from core.model.masks import padding_mask
from core.runs.checkpoint import load_model, save_weights

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])
VARIATIONS = {
    **{shared: {"shared": shared} for shared in ("qk", "kv", "qkv")},
    "no projections": {"projections": False},
    "no output projection": {"output_projection": False},
    "no projection at all": {"projections": False, "output_projection": False},
    "no norm": {"norm_kind": "none"},
    "no residual": {"residual": False},
    "no feed-forward": {"feed_forward": False},
    "pre-norm, no residual": {"residual": False, "norm": "pre"},
    "all at once": {
        **{"shared": "qkv", "norm_kind": "none", "residual": False, "feed_forward": False},
        **{"norm": "pre", "positions": "rotary"},
    },
}


@pytest.fixture(params=VARIATIONS)
def config(request):
    return replace(CONFIG, **VARIATIONS[request.param])


@pytest.fixture
def model(config):
    made = build(config, seed=3).eval()
    with torch.no_grad():
        # Biases and norms that are not 0 and 1, so that leaving one out would show.
        for parameter in made.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.5 * torch.randn_like(parameter))
    return made


def test_a_file_holds_what_is_shared_once_and_gives_the_same_logits(model, config, tmp_path):
    save_weights(model, tmp_path / "weights")
    again = load_model(tmp_path / "weights", config)
    with torch.inference_mode():
        assert torch.equal(again(SOURCE_BS, TARGET_BT), model(SOURCE_BS, TARGET_BT))
    assert len(set(map(id, again.parameters()))) == len(model.saved())


def test_its_parts_have_all_its_parameters(model, config):
    learned = sum(parameter.numel() for parameter in model.parameters())
    found = describe(config, 5, 6)
    assert learned == found.parameters == count_parameters(config)
    assert {arrow.kind for arrow in found.arrows} >= {"query", "key", "value", "memory"}
    assert ("residual" in {arrow.kind for arrow in found.arrows}) == config.residual
    assert any(part.kind == "feed_forward" for part in found.parts) == config.feed_forward
    assert any(part.kind == "norm" for part in found.parts) == (config.norm_kind != "none")


def test_token_by_token_it_computes_what_it_computes_at_once(model):
    with torch.inference_mode():
        memory_BSD, visible_B1S = model.encode(SOURCE_BS), padding_mask(SOURCE_BS)
        together_BTV = model.decode(TARGET_BT, memory_BSD, visible_B1S)
        cache = Cache()
        for at, token_B in enumerate(TARGET_BT.unbind(1)):
            step = model.decode(token_B[:, None], memory_BSD, visible_B1S, cache=cache)[:, 0]
            torch.testing.assert_close(step, together_BTV[:, at], atol=2e-5, rtol=1e-5)


def test_watched_it_computes_the_same(model):
    record = Record(frozenset(Step))
    with torch.inference_mode():
        watched = model(SOURCE_BS, TARGET_BT, record)
        torch.testing.assert_close(watched, model(SOURCE_BS, TARGET_BT), atol=2e-5, rtol=1e-5)


def test_it_learns(config):
    model = build(config, seed=1).train()
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    labels = torch.cat([TARGET_BT[:, 1:], TARGET_BT[:, :1]], dim=1)
    losses = []
    for _ in range(20):
        loss = nn.functional.cross_entropy(
            model(SOURCE_BS, TARGET_BT).flatten(0, 1), labels.flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        assert all(each.grad is not None for each in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]


@pytest.mark.parametrize("shared", ["qk", "kv", "qkv"])
def test_shared_projections_are_those_of_torch_with_equal_weights(shared):
    config = replace(CONFIG, shared=shared, dropout=0.0)
    site = Site("encoder", 0, "self")
    attention, x_BKD = MultiHeadAttention(config, site), torch.randn(3, 7, 16)
    theirs = nn.MultiheadAttention(16, 4, batch_first=True)
    made = (attention.query, attention.key, attention.value)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([each.weight for each in made]))
        theirs.in_proj_bias.copy_(torch.cat([each.bias for each in made]))
        theirs.out_proj.load_state_dict(attention.output.state_dict())
        ours = attention(x_BKD, attention.keys_values(x_BKD), None, None)
        torch.testing.assert_close(ours, theirs(x_BKD, x_BKD, x_BKD)[0], atol=1e-6, rtol=1e-5)
    n_matrices = {"qk": 2, "kv": 2, "qkv": 1}[shared]
    weights = {id(each.weight) for each in made}
    assert len(weights) == n_matrices


def test_the_gradient_of_a_shared_matrix_is_the_sum_of_both():
    x_BKD = torch.randn(2, 5, 16)
    site = Site("encoder", 0, "self")
    apart = MultiHeadAttention(CONFIG, site)
    shared = MultiHeadAttention(replace(CONFIG, shared="qk"), site)
    apart.key.load_state_dict(apart.query.state_dict())
    for name in ("query", "value", "output"):
        getattr(shared, name).load_state_dict(getattr(apart, name).state_dict())
    for each in (apart, shared):
        each(x_BKD, each.keys_values(x_BKD), None, None).square().sum().backward()
    torch.testing.assert_close(
        shared.query.weight.grad, apart.query.weight.grad + apart.key.weight.grad
    )


def test_where_queries_are_keys_scores_are_symmetric():
    model = build(replace(CONFIG, shared="qk"), seed=2).eval()
    record = Record(frozenset({Step.PRODUCTS}))
    with torch.inference_mode():
        model(SOURCE_BS, TARGET_BT, record)
    for site in model.sites():
        products_BHQK = record.tensors[site, Step.PRODUCTS]
        if site.attention is Kind.ENCODER_SELF:
            torch.testing.assert_close(products_BHQK, products_BHQK.transpose(-2, -1))


def test_without_projections_attention_is_the_softmax_of_its_input_with_itself():
    config = replace(CONFIG, projections=False, output_projection=False, dropout=0.0)
    attention = MultiHeadAttention(config, Site("encoder", 0, "self"))
    x_KD = torch.randn(7, 16, dtype=torch.float64)
    heads = []
    for head in range(4):
        own_KE = x_KD[:, 4 * head : 4 * head + 4]
        heads.append((own_KE @ own_KE.T / 2).softmax(dim=-1) @ own_KE)
    found_KD = attention(x_KD[None], attention.keys_values(x_KD[None]), None, None)[0]
    torch.testing.assert_close(found_KD, torch.cat(heads, dim=-1))
    assert not list(attention.parameters())
    assert attention_work(attention, 7, 7) == 4 * 7 * 7 * 8
    assert count_formula(attention) == "0"


def test_without_an_output_projection_heads_stand_side_by_side():
    model = build(replace(CONFIG, output_projection=False), seed=2).eval()
    record = Record(frozenset(Step))
    with torch.inference_mode():
        model(SOURCE_BS, TARGET_BT, record)
    for site in model.sites():
        mixed_BHQE = record.tensors[site, Step.MIXED]
        assert torch.equal(record.tensors[site, Step.ADDED], mixed_BHQE.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("name", ["no projections", "no output projection", "no projection at all"])
def test_the_formulas_name_no_matrix_that_is_not_there(name):
    config = replace(CONFIG, **VARIATIONS[name])
    attention = MultiHeadAttention(config, Site("decoder", 1, "cross"))
    text = " ".join([whole_formula(attention, "m"), *formulas(attention, 1).values()])
    assert ("W^Q" in text) == ("W_i^K" in text) == config.projections
    assert ("W^O_h" in text) == config.output_projection
    assert ("b^O" in text) == config.output_projection
    if not config.projections:
        assert r"q_i = x_i\quad \text{columns } 4 \dots 7" in text


def test_without_a_residual_a_block_is_its_sublayer_and_its_norm():
    for norm in ("post", "pre"):
        model = build(replace(CONFIG, residual=False, norm=norm), seed=2).eval()
        record = Record(frozenset(Step))
        with torch.inference_mode():
            model(SOURCE_BS, TARGET_BT, record)
        site = Site("encoder", 1, "feed_forward")
        sublayer, residual = model.block(site)
        x_BKD = record.tensors[site, Step.STREAM_IN].clone()
        expected = (
            residual.norm(sublayer(x_BKD)) if norm == "post" else sublayer(residual.norm(x_BKD))
        )
        torch.testing.assert_close(record.tensors[site, Step.STREAM_OUT], expected)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shared": "qk", "n_kv_heads": 2}, "which are no queries"),
        ({"shared": "kv", "d_v": 5}, "keys are 4 wide and values 5"),
        ({"shared": "everything"}, "shared is 'everything'"),
        ({"projections": False, "shared": "qk"}, "there is no matrix to share"),
        ({"projections": False, "d_k": 5}, "do not share d_model, 16, evenly"),
        ({"projections": False, "n_kv_heads": 2}, "do not share d_model, 16, evenly"),
        ({"output_projection": False, "d_v": 5}, "do not make d_model, 16, without a projection"),
    ],
)
def test_what_cannot_be_shared_is_refused(settings, said):
    with pytest.raises(ConfigError, match=said):
        replace(CONFIG, **settings)
