from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.config import ConfigError, ModelConfig
from core.describe import describe
from core.heads import Kind, Site
from core.model import Record, Step, build
from core.model.building import count_parameters
from core.model.masks import padding_mask
from core.model.recurrence import Recurrence
from core.model.sublayers import Seen
from tests.core.model.mixing_rules import (
    SOURCE_BS,
    TARGET_BT,
    assert_it_learns,
    assert_later_words_and_padding_change_nothing,
    assert_pieces_get_the_logits_of_the_whole,
    assert_rows_go_on_as_their_sentences,
)

CONFIG = ModelConfig(
    **{"vocab_size": 23, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 16, "d_ff": 32},
    **{"n_heads": 1, "max_positions": 20, "positions": "none"},
)
KINDS = {
    "GRU, fixed vector": {"encoder_mixing": "gru", "decoder_mixing": "gru", "cross": "none"},
    "GRU with attention": {"encoder_mixing": "gru", "decoder_mixing": "gru"},
    "LSTM, two ways": {"encoder_mixing": "lstm_two_way", "decoder_mixing": "lstm"},
    "LSTM, two ways, fixed vector": {
        **{"encoder_mixing": "lstm_two_way", "decoder_mixing": "lstm", "cross": "none"},
    },
    "GRU reads, attention writes": {"encoder_mixing": "gru_two_way"},
    "bare": {
        **{"encoder_mixing": "lstm", "decoder_mixing": "gru", "residual": True},
        **{"norm_kind": "none", "feed_forward": False},
    },
}


@pytest.fixture(params=KINDS)
def config(request):
    return replace(CONFIG, **KINDS[request.param])


@pytest.fixture
def model(config):
    return build(config, seed=3).eval()


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_one_way_states_are_those_of_torch_whatever_pads_the_batch(kind):
    unit = Recurrence(replace(CONFIG, encoder_mixing=kind), Site("encoder", 0, "recurrent"))
    theirs = {"gru": nn.GRU, "lstm": nn.LSTM}[kind](16, 16, batch_first=True)
    theirs.load_state_dict(unit.forward_unit.state_dict())
    assert_as_packed(unit, theirs)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_two_way_states_are_those_of_torch_whatever_pads_the_batch(kind):
    config = replace(CONFIG, encoder_mixing=f"{kind}_two_way")
    unit = Recurrence(config, Site("encoder", 0, "recurrent"))
    theirs = {"gru": nn.GRU, "lstm": nn.LSTM}[kind](16, 8, batch_first=True, bidirectional=True)
    forward = unit.forward_unit.state_dict()
    backward = {f"{n}_reverse": each for n, each in unit.backward_unit.state_dict().items()}
    theirs.load_state_dict({**forward, **backward})
    assert_as_packed(unit, theirs)


def assert_as_packed(unit, theirs):
    x_BSD, visible_B1S = torch.randn(3, 5, 16), padding_mask(SOURCE_BS)
    lengths = visible_B1S[:, 0].sum(dim=-1)
    packed = pack_padded_sequence(x_BSD, lengths, batch_first=True, enforce_sorted=False)
    expected_BSD = pad_packed_sequence(theirs(packed)[0], batch_first=True)[0]
    with torch.no_grad():
        found_BSD = unit.added(x_BSD, Seen(visible_B1S), None)
    words = visible_B1S[:, 0]
    torch.testing.assert_close(found_BSD[words], expected_BSD[words])
    with torch.no_grad():
        alone = unit.added(x_BSD[:1], Seen(visible_B1S[:1]), None)
    torch.testing.assert_close(alone, expected_BSD[:1])


def test_a_decoder_begins_with_the_last_states_of_its_encoder():
    config = replace(CONFIG, encoder_mixing="gru_two_way", decoder_mixing="gru", cross="none")
    unit = Recurrence(config, Site("decoder", 0, "recurrent"))
    memory_BSD, x_BTD = torch.randn(3, 5, 16), torch.randn(3, 4, 16)
    with torch.no_grad():
        found_BTD = unit.added(x_BTD, Seen(None, memory_BSD, padding_mask(SOURCE_BS)), None)
        for row, length in enumerate((5, 2, 4)):
            ends_D = torch.cat([memory_BSD[row, length - 1, :8], memory_BSD[row, 0, 8:]])
            first_D = unit.begin(ends_D).tanh()
            expected_TD = unit.forward_unit(x_BTD[row], first_D[None])[0]
            torch.testing.assert_close(found_BTD[row], expected_TD)


def test_its_parts_have_all_its_parameters(model, config):
    found = describe(config, 5, 6)
    learned = sum(parameter.numel() for parameter in model.parameters())
    assert learned == found.parameters == count_parameters(config)
    assert "recurrent" in {part.kind for part in found.parts}
    has_cross = Kind.CROSS in {site.attention for site in model.sites()}
    assert has_cross == (config.cross == "attention")


def test_it_keeps_the_rules_of_whatever_mixes(model, config):
    assert_pieces_get_the_logits_of_the_whole(model)
    assert_later_words_and_padding_change_nothing(model)
    assert_rows_go_on_as_their_sentences(model)
    assert_it_learns(config)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_a_one_way_reader_knows_nothing_of_what_comes_later(kind):
    """Two sentences that are alike up to a word have exactly the same states up to there."""
    tired_S, wide_S = SOURCE_BS[0].clone(), SOURCE_BS[0].clone()
    wide_S[3] = 11
    states = {}
    for setting in (kind, f"{kind}_two_way"):
        model = build(replace(CONFIG, encoder_mixing=setting), seed=2).eval()
        with torch.no_grad():
            both_BSD = model.encode(torch.stack([tired_S, wide_S]))
        states[setting] = (both_BSD[0] - both_BSD[1]).abs().amax(dim=-1)
    assert torch.equal(states[kind][:3], torch.zeros(3))
    assert states[kind][3] > 0
    assert (states[f"{kind}_two_way"][:3] > 0).all()


def test_a_probe_sees_the_state():
    model = build(replace(CONFIG, **KINDS["GRU with attention"]), seed=2).eval()
    record = Record(frozenset(Step))
    with torch.no_grad():
        watched = model(SOURCE_BS, TARGET_BT, record)
        torch.testing.assert_close(watched, model(SOURCE_BS, TARGET_BT), atol=2e-5, rtol=1e-5)
    site = Site("decoder", 1, "recurrent")
    assert torch.equal(record.tensors[site, Step.STATE], record.tensors[site, Step.ADDED])
    assert record.tensors[Site("decoder", 0, "cross"), Step.WEIGHTS].shape == (3, 1, 6, 5)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"cross": "none"}, "then the decoder must be recurrent"),
        ({"cross": "none", "decoder_mixing": "average"}, "then the decoder must be recurrent"),
        ({"encoder_mixing": "gru_two_way", "d_model": 15}, "two ways share it evenly"),
        ({"decoder_mixing": "gru_two_way"}, "decoder_mixing is 'gru_two_way'"),
        ({"decoder_mixing": "lstm", "n_encoder_layers": 0}, "it needs an encoder"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, said):
    with pytest.raises(ConfigError, match=said):
        replace(CONFIG, d_k=8, d_v=8, **settings)
