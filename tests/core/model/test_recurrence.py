from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.config import ModelConfig
from core.heads import Site
from core.model.masks import padding_mask
from core.model.recurrence import Recurrence
from core.model.sublayers import LayerInputs
from tests.core.model.test_every_kind import (
    SOURCE_BS,
)

CONFIG = ModelConfig(
    **{"vocab_size": 23, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 16, "d_ff": 32},
    **{"n_heads": 1, "max_positions": 20, "positions": "none"},
)


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
