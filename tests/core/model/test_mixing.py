from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.config import ModelConfig
from core.heads import Site
from core.model.masks import padding_mask
from core.model.mixing import Average, Convolution
from core.model.recurrence import Recurrence
from core.model.sublayers import LayerInputs
from tests.core.model.test_every_kind import SOURCE_BS, TARGET_BT

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)


def test_the_average_is_attention_with_equal_scores():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, visible_BQK in (
        ("encoder", padding_mask(TARGET_BT.masked_fill(TARGET_BT > 7, 0))),
        ("decoder", torch.ones(1, 6, 6, dtype=torch.bool).tril()),
    ):
        average = Average(CONFIG, Site(stack, 0, "mixing")).double()
        found = average.added(x_BKD, LayerInputs(visible_BQK), None)
        zeros_BQE = torch.zeros(3, 6, 16, dtype=torch.float64)
        mean_BKD = F.scaled_dot_product_attention(
            zeros_BQE, zeros_BQE, x_BKD, attn_mask=visible_BQK.expand(3, 6, 6)
        )
        torch.testing.assert_close(found, average.value(mean_BKD))


def test_the_convolution_is_that_of_torch():
    x_BKD = torch.randn(3, 6, 16, dtype=torch.float64)
    for stack, padding in (("encoder", (1, 1)), ("decoder", (2, 0))):
        ours = Convolution(CONFIG, Site(stack, 0, "mixing")).double()
        theirs = nn.Conv1d(16, 16, 3).double()
        with torch.no_grad():
            theirs.weight.copy_(ours.value.weight.unflatten(1, (3, 16)).transpose(1, 2))
            theirs.bias.copy_(ours.value.bias)
        expected = theirs(F.pad(x_BKD.transpose(1, 2), padding)).transpose(1, 2)
        inputs = LayerInputs(torch.ones(1, 1, 6, dtype=torch.bool))
        torch.testing.assert_close(ours.added(x_BKD, inputs, None), expected)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
@pytest.mark.parametrize("two_way", [False, True])
def test_states_are_those_of_torch_whatever_pads_the_batch(kind, two_way):
    config = replace(CONFIG, encoder_mixing=f"{kind}_two_way" if two_way else kind)
    unit = Recurrence(config, Site("encoder", 0, "recurrent"))
    made, width = {"gru": nn.GRU, "lstm": nn.LSTM}[kind], 8 if two_way else 16
    theirs = made(16, width, batch_first=True, bidirectional=two_way)
    states = unit.forward_unit.state_dict()
    if two_way:
        backward = unit.backward_unit.state_dict()
        states = {**states, **{f"{name}_reverse": each for name, each in backward.items()}}
    theirs.load_state_dict(states)
    x_BSD, visible_B1S = torch.randn(3, 5, 16), padding_mask(SOURCE_BS)
    lengths = visible_B1S[:, 0].sum(dim=-1)
    packed = pack_padded_sequence(x_BSD, lengths, batch_first=True, enforce_sorted=False)
    expected_BSD = pad_packed_sequence(theirs(packed)[0], batch_first=True)[0]
    with torch.no_grad():
        found_BSD = unit.added(x_BSD, LayerInputs(visible_B1S), None)
    words = visible_B1S[:, 0]
    torch.testing.assert_close(found_BSD[words], expected_BSD[words])


def test_a_decoder_begins_with_the_last_states_of_its_encoder():
    config = replace(CONFIG, encoder_mixing="gru_two_way", decoder_mixing="gru", cross="none")
    unit = Recurrence(config, Site("decoder", 0, "recurrent"))
    memory_BSD, x_BTD = torch.randn(3, 5, 16), torch.randn(3, 4, 16)
    with torch.no_grad():
        found_BTD = unit.added(x_BTD, LayerInputs(None, memory_BSD, padding_mask(SOURCE_BS)), None)
        for row, length in enumerate((5, 2, 4)):
            ends_D = torch.cat([memory_BSD[row, length - 1, :8], memory_BSD[row, 0, 8:]])
            first_D = unit.begin(ends_D).tanh()
            expected_TD = unit.forward_unit(x_BTD[row], first_D[None])[0]
            torch.testing.assert_close(found_BTD[row], expected_TD)
