from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.config import ModelConfig
from core.decoding.step import Stepper
from core.describe import describe
from core.heads import Kind, Site
from core.model import Cache, Record, Step, build
from core.model.masks import padding_mask
from core.model.ssru import SSRU

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20, decoder_mixing="ssru")
SITE = Site("decoder", 0, "ssru")
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])


@pytest.fixture(params=["post", "pre"])
def model(request):
    model = build(replace(CONFIG, norm=request.param), seed=3).eval()
    with torch.no_grad():
        # Biases and norms that are not 0 and 1, so that leaving one out would show.
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.5 * torch.randn_like(parameter))
    return model


@pytest.fixture
def encoded(model):
    with torch.no_grad():
        return model.encode(SOURCE_BS), padding_mask(SOURCE_BS)


def test_states_are_those_of_a_loop_written_out_in_double_precision():
    unit, x_BTD = SSRU(CONFIG, SITE), torch.randn(2, 7, 16)
    state_BTD = unit(x_BTD).detach()
    w_DD, f_DD, b_D = (each.detach().double() for each in unit.parameters())
    for sentence in range(2):
        c_D = torch.zeros(16, dtype=torch.float64)
        for position in range(7):
            x_D = x_BTD[sentence, position].double()
            f_D = 1 / (1 + torch.exp(-(f_DD @ x_D + b_D)))
            c_D = f_D * c_D + (1 - f_D) * (w_DD @ x_D)
            assert (state_BTD[sentence, position] - c_D).abs().max() < 1e-5


def test_what_is_added_is_the_positive_part_of_the_state(model):
    record = Record(frozenset(Step))
    with torch.no_grad():
        model(SOURCE_BS, TARGET_BT, record)
    state_BTD = record.tensors[SITE, Step.STATE]
    assert state_BTD.min() < 0
    assert torch.equal(record.tensors[SITE, Step.ADDED], state_BTD.clamp(min=0))
    assert 0 < record.tensors[SITE, Step.FORGET].min() < record.tensors[SITE, Step.FORGET].max() < 1


@pytest.mark.parametrize("cuts", [(1, 2, 3, 4, 5), (3,), (2, 5)])
def test_a_target_in_pieces_gets_the_logits_of_the_whole(model, encoded, cuts):
    cache = Cache()
    with torch.no_grad():
        pieces = torch.tensor_split(TARGET_BT, cuts, dim=1)
        parts = [model.decode(piece_BT, *encoded, cache=cache) for piece_BT in pieces]
        whole_BTV = model.decode(TARGET_BT, *encoded)
    assert (torch.cat(parts, dim=1) - whole_BTV).abs().max() < 1e-5


def test_rows_of_a_decoding_go_on_as_their_sentences_and_leave_the_others_alone(model, encoded):
    index_B, stepper = torch.tensor([2, 0, 0]), Stepper(model, SOURCE_BS)
    for step in range(3):
        stepper.feed(TARGET_BT[:, step])
    chosen = stepper.rows(index_B)
    found_BV = [chosen.feed(TARGET_BT[index_B, step])[0] for step in range(3, 6)][-1]
    untouched_BV = [stepper.feed(TARGET_BT[:, step])[0] for step in range(3, 6)][-1]
    with torch.no_grad():
        expected_BV = model.decode(TARGET_BT, *encoded)[:, -1]
    # PAD and BOS are never said.
    assert (found_BV - expected_BV[index_B])[:, 2:].abs().max() < 1e-5
    assert (untouched_BV - expected_BV)[:, 2:].abs().max() < 1e-5


def test_padding_and_later_tokens_change_nothing_before_them(model):
    longer_BT = torch.cat([TARGET_BT, torch.tensor([[0, 0], [7, 8], [0, 0]])], dim=1)
    wider_BS = torch.cat([SOURCE_BS, torch.zeros(3, 2, dtype=torch.long)], dim=1)
    with torch.no_grad():
        found_BTV, alone_BTV = model(wider_BS, longer_BT), model(SOURCE_BS, TARGET_BT)
    assert (found_BTV[:, :6] - alone_BTV).abs().max() < 1e-5


def test_earlier_tokens_reach_later_predictions(model):
    other_BT = TARGET_BT.clone()
    other_BT[:, 1] = 12
    with torch.no_grad():
        difference_BT = (model(SOURCE_BS, other_BT) - model(SOURCE_BS, TARGET_BT)).abs().amax(-1)
    assert (difference_BT[:, 0] == 0).all()
    assert (difference_BT[:, 1:] > 1e-4).all()


def test_the_decoder_has_no_heads_but_those_of_cross_attention(model):
    assert {site.attention for site in model.sites()} == {Kind.ENCODER_SELF, Kind.CROSS}
    described = describe(model, 5, 6)
    assert [site.sublayer for site in described.sites if site.stack == "decoder"] == [
        "embedding",
        *("ssru", "cross", "feed_forward") * 2,
    ]


def test_a_unit_says_its_size_and_work(model):
    part = describe(CONFIG, 5, 6).part("decoder.0.ssru")
    unit = model.block(SITE)[0]
    assert part.parameters == sum(each.numel() for each in unit.parameters()) == 2 * 16**2 + 16
    assert dict(part.shapes)["state"] == tuple(unit(torch.zeros(1, 6, 16))[0].shape)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(SOURCE_BS[:1], TARGET_BT[:1], Record())
    assert counter.get_total_flops() == 2 * describe(CONFIG, 5, 6).multiply_adds


def test_gradients_reach_every_weight(model):
    model(SOURCE_BS, TARGET_BT).logsumexp(-1).sum().backward()
    assert all(each.grad.abs().max() > 0 for each in model.block(SITE)[0].parameters())
