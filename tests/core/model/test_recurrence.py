from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.config import ConfigError, ModelConfig
from core.decoding.step import Stepper
from core.heads import Kind, Site
from core.model import Cache, Record, Step, build
from core.model.description import describe
from core.model.masks import padding_mask
from core.model.recurrence import Recurrence
from core.model.sublayers import Seen
from core.model.transformer import count_parameters

CONFIG = ModelConfig(
    **{"vocab_size": 23, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 16, "d_ff": 32},
    **{"n_heads": 1, "max_positions": 20, "positions": "none"},
)
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])
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
        alone = unit.added(x_BSD[:1], Seen(None), None)
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


def test_a_target_in_pieces_gets_the_logits_of_the_whole(model):
    with torch.no_grad():
        encoded = model.encode(SOURCE_BS), padding_mask(SOURCE_BS)
        whole_BTV = model.decode(TARGET_BT, *encoded)
        for cuts in ((1, 2, 3, 4, 5), (3,), (2, 5)):
            cache = Cache()
            pieces = torch.tensor_split(TARGET_BT, cuts, dim=1)
            parts = [model.decode(piece_BT, *encoded, cache=cache) for piece_BT in pieces]
            assert (torch.cat(parts, dim=1) - whole_BTV).abs().max() < 2e-5


def test_later_words_and_padding_change_nothing(model):
    with torch.no_grad():
        whole_BTV = model(SOURCE_BS, TARGET_BT)
        torch.testing.assert_close(
            model(SOURCE_BS, TARGET_BT[:, :4]), whole_BTV[:, :4], atol=1e-5, rtol=1e-5
        )
        torch.testing.assert_close(
            model(SOURCE_BS[1:2, :2], TARGET_BT[1:2]), whole_BTV[1:2], atol=1e-5, rtol=1e-5
        )


def test_it_decodes_and_rows_go_on_as_their_sentences(model):
    stepper, index_B = Stepper(model, SOURCE_BS), torch.tensor([2, 0, 0])
    for step in range(3):
        stepper.feed(TARGET_BT[:, step])
    chosen = stepper.rows(index_B)
    found_BV = [chosen.feed(TARGET_BT[index_B, step])[0] for step in range(3, 6)][-1]
    with torch.no_grad():
        expected_BV = model(SOURCE_BS, TARGET_BT)[index_B, -1]
    seen = torch.isfinite(found_BV)
    assert (found_BV - expected_BV)[seen].abs().max() < 2e-5


def test_it_learns(config):
    model = build(config, seed=1).train()
    optimizer = torch.optim.Adam(model.parameters(), 5e-3)
    losses = []
    for _ in range(60):
        logits_BTV = model(SOURCE_BS, TARGET_BT[:, :-1])
        loss = F.cross_entropy(logits_BTV.flatten(0, 1), TARGET_BT[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        assert all(each.grad is not None for each in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]


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
        ({"cross": "none", "decoder_mixing": "ssru"}, "then the decoder must be recurrent"),
        ({"encoder_mixing": "gru_two_way", "d_model": 15}, "two ways share it evenly"),
        ({"decoder_mixing": "gru_two_way"}, "decoder_mixing is 'gru_two_way'"),
        ({"decoder_mixing": "lstm", "n_encoder_layers": 0}, "it needs an encoder"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, said):
    with pytest.raises(ConfigError, match=said):
        replace(CONFIG, d_k=8, d_v=8, **settings)
