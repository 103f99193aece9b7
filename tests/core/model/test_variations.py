"""Models in which something of the paper's is left out or shared."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.config import ModelConfig
from core.describe.formulas import count_formula, formulas
from core.heads import Site
from core.model import Record, Step, build
from core.model.attention import MultiHeadAttention

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])
LEFT_OUT = [
    {"projections": False},
    {"output_projection": False},
    {"projections": False, "output_projection": False},
]


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
    assert count_formula(attention) == "0"


@pytest.mark.parametrize("changes", LEFT_OUT)
def test_the_formulas_name_no_matrix_that_is_not_there(changes):
    config = replace(CONFIG, **changes)
    attention = MultiHeadAttention(config, Site("decoder", 1, "cross"))
    text = " ".join(formulas(attention, 1).values())
    assert ("W^Q" in text) == config.projections
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
