from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.autograd.functional import jacobian

from core.config import ModelConfig
from core.heads import Site
from core.model import build
from core.studies.lessons.mixing import LONGEST, Moved, directions, influence, sublayer_inputs
from core.vocabulary import EOS
from tests.core.describe.invented import Gate, gated

SMALL = ModelConfig(30, 2, 1, 16, 32, 4, d_k=5, d_v=3, dropout=0.3, max_positions=90)
SOURCE = (5, 9, 7, 12, 9, EOS)


@pytest.fixture(params=["post", "pre"])
def model(request):
    return build(replace(SMALL, norm=request.param), seed=3).eval()


def attend(module, x):
    """Self-attention by the formula, in float64."""

    def heads(linear):
        weight, bias = linear.weight.detach().double(), linear.bias.detach().double()
        return (x @ weight.T + bias).reshape(len(x), 4, -1).transpose(0, 1)

    query, key, value = (heads(getattr(module, name)) for name in ("query", "key", "value"))
    weights = (query @ key.transpose(1, 2) / 5**0.5).softmax(dim=-1)
    mixed = (weights @ value).transpose(0, 1).reshape(len(x), -1)
    output = module.output
    return mixed @ output.weight.detach().double().T + output.bias.detach().double()


def transform(module, x):
    """The feed-forward layer by the formula, in float64."""
    first, second = (
        (linear.weight.detach().double(), linear.bias.detach().double())
        for linear in (module.expand, module.contract)
    )
    return (x @ first[0].T + first[1]).clamp_min(0) @ second[0].T + second[1]


@pytest.mark.parametrize("layer", [0, 1])
def test_influence_is_the_jacobian_times_the_direction(model, layer):
    found = influence(model, layer, SOURCE)
    sublayers = model.encoder[layer]
    around, inner = (x.clone() for x in sublayer_inputs(model, layer, SOURCE))
    moves = directions(*around.shape)
    for matrix, function, x in (
        (found.attention.ratio_KK, lambda x: attend(sublayers.self_attention, x), around),
        (found.feed_forward.ratio_KK, lambda x: transform(sublayers.feed_forward, x), inner),
    ):
        slopes = jacobian(function, x)  # output position, feature, input position, feature
        expected = torch.einsum("idje,je->ijd", slopes, moves).norm(dim=-1)
        np.testing.assert_allclose(matrix, expected.numpy(), atol=1e-6)


def test_attention_mixes_all_positions_and_feed_forward_none(model):
    found = influence(model, 1, SOURCE)
    assert (found.attention.ratio_KK > 1e-4).all()
    diagonal = np.eye(len(SOURCE), dtype=bool)
    assert (found.feed_forward.ratio_KK[diagonal] > 1e-2).all()
    assert (found.feed_forward.ratio_KK[~diagonal] == 0).all()


def test_inputs_are_what_the_sublayers_get_in_the_model(model):
    seen = []
    layer = model.encoder[1]
    for module in (layer.self_attention.query, layer.feed_forward.expand):
        hook = module.register_forward_hook(lambda _, given, __: seen.append(given[0][0].double()))
        with torch.no_grad():
            model.encode(torch.tensor([SOURCE]))
        hook.remove()
    for found, expected in zip(sublayer_inputs(model, 1, SOURCE), seen, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_the_model_stays_as_it_is(model):
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    influence(model, 0, SOURCE)
    after = model.state_dict()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())
    assert {tensor.dtype for tensor in after.values()} == {torch.float32}
    assert not any(tensor.is_inference() for tensor in model.parameters())


def test_influence_is_the_same_each_time(model):
    one, other = influence(model, 0, SOURCE), influence(model, 0, SOURCE)
    assert (one.attention.ratio_KK == other.attention.ratio_KK).all()


def test_no_more_than_the_first_tokens_are_read(model):
    long = tuple(3 + k % 27 for k in range(LONGEST + 9))
    found = influence(model, 0, long)
    assert found.attention.ratio_KK.shape == found.feed_forward.ratio_KK.shape == (LONGEST, LONGEST)
    assert (
        found.attention.ratio_KK == influence(model, 0, long[:LONGEST]).attention.ratio_KK
    ).all()
    assert (found.feed_forward.ratio_KK[~np.eye(LONGEST, dtype=bool)] == 0).all()


def test_directions_are_unit_vectors_unlike_each_other():
    found = directions(7, 16)
    torch.testing.assert_close(found.norm(dim=-1), torch.ones(7, dtype=torch.float64))
    assert ((found @ found.T).abs() - torch.eye(7) < 0.99).all()


def test_a_layer_that_the_encoder_lacks_is_refused(model):
    with pytest.raises(ValueError, match=r"no sublayer at encoder\.2\.self"):
        influence(model, 2, SOURCE)


def test_a_layer_with_a_sublayer_more_is_studied_in_the_two_that_it_shares_with_others():
    model = gated(SMALL, seed=4)
    found = influence(model, 0, SOURCE)
    assert (found.attention.ratio_KK > 1e-4).all()
    assert (found.feed_forward.ratio_KK[~np.eye(len(SOURCE), dtype=bool)] == 0).all()


@pytest.mark.parametrize(
    ("name", "site"), [("self_attention", "self"), ("feed_forward", "feed_forward")]
)
def test_a_sublayer_of_another_kind_is_refused_by_name(model, name, site):
    setattr(model.encoder[1], name, Gate(SMALL, Site("encoder", 1, site)))
    with pytest.raises(ValueError, match=rf"encoder\.1\.{site} is no .* but a Gate"):
        influence(model, 1, SOURCE)


def test_what_lies_away_from_the_diagonal_is_summed_up():
    moved = Moved(np.array([[9.0, 2.0], [0.5, 7.0]]))
    assert (moved.largest, moved.away_from_diagonal) == (9.0, (0.5, 2.0))
    assert Moved(np.array([[3.0]])).away_from_diagonal == (0.0, 0.0)


def test_in_a_decoder_alone_nothing_later_moves_what_comes_before():
    alone = ModelConfig(30, 0, 2, 16, 32, 4, max_positions=90, positions="rotary")
    found = influence(build(alone, seed=3).eval(), 1, SOURCE)
    ratio_KK = found.attention.ratio_KK
    assert (np.triu(ratio_KK, 1) == 0).all()
    assert (ratio_KK[np.tril_indices(len(SOURCE))] > 0).all()
    assert found.feed_forward.away_from_diagonal == (0.0, 0.0)
