"""What holds for every kind of Transformer, whatever its settings."""

from dataclasses import replace
from typing import get_args

import pytest
import torch
from torch.nn import functional as F

from core.config import ModelConfig
from core.config.choices import Positions
from core.decoding import plan
from core.decoding.step import Stepper
from core.describe import describe
from core.model import Cache, Record, Step, build
from core.model.building import count_parameters
from core.model.masks import padding_mask
from core.model.mixing import MIXINGS
from core.model.norm import NORM_KINDS
from core.runs.checkpoint import load_model, save_weights

SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])
CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20)
GRU = {"encoder_mixing": "gru", "decoder_mixing": "gru"}
BARE = {"norm_kind": "none", "residual": False, "feed_forward": False}
KINDS = {
    "post-norm": {},
    "pre-norm": {"norm": "pre", "positions": "learned", "tied": "none", "d_k": 5, "d_v": 3},
    "Marian's": {"positions": "halves", "activation": "silu", "logit_bias": True},
    "no biases": {"attention_bias": False, "ff_bias": False, "embedding_scale": False},
    **{f"{name} norm": {"norm_kind": name} for name in (*NORM_KINDS, "none")},
    **{f"{name} positions": {"positions": name} for name in get_args(Positions)},
    **{name: {"shared": name} for name in ("qk", "kv")},
    "two sets of keys": {"n_kv_heads": 2, "gated": True, "attention_bias": False},
    "no projections": {"projections": False, "output_projection": False},
    "all left out": BARE | {"shared": "qkv", "norm": "pre", "positions": "rotary"},
    "additive": {"scores": "additive"},
    "linear, two sets": {"scores": "linear", "n_kv_heads": 2},
    **{name: {"encoder_mixing": name, "decoder_mixing": name} for name in (*MIXINGS, "none")},
    "GRU, additive": GRU | {"encoder_mixing": "gru_two_way", "scores": "additive"},
    "LSTM, fixed vector": {
        **{"encoder_mixing": "lstm_two_way", "decoder_mixing": "lstm", "cross": "none"},
    },
    "tagger": {"cross": "own"},
    "first layer read": {"memory": "first"},
    "own layer read": {"memory": "same", "norm": "pre"},
    "mixture read": {"memory": "mixed"},
    "pointer": {"pointer": True},
    "names share a vector": {"shared_names": 5},
    "scores undivided": {"score_scale": "none", "logit_scale": True},
    "more around the output": {"head_transform": True, "embedding_norm": True},
}
# Some words are the default, and so the first kind once more.
KINDS = {
    name: settings
    for name, settings in KINDS.items()
    if not settings or replace(CONFIG, **settings) != CONFIG
}


@pytest.fixture(autouse=True)
def little_room(monkeypatch):
    """Let the buffers of a plan begin so small that they must grow."""
    monkeypatch.setattr(plan, "FIRST_POSITIONS", 2)


@pytest.fixture(scope="module", params=KINDS)
def config(request):
    return replace(CONFIG, **KINDS[request.param])


@pytest.fixture(scope="module")
def model(config):
    made = build(config, seed=3).eval()
    with torch.no_grad():
        # Biases and norms that are not 0 and 1, so that leaving one out would show.
        for parameter in made.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    return made


def close(found, expected):
    torch.testing.assert_close(found, expected, atol=3e-5, rtol=1e-4)


@torch.no_grad()
def test_positions_in_pieces_get_the_logits_of_the_whole(model):
    encoded = model.encode(SOURCE_BS), padding_mask(SOURCE_BS)
    whole_BTV = model(SOURCE_BS, TARGET_BT)
    for cuts in ((1, 2, 3, 4, 5), (2, 5)):
        cache, pieces = Cache(), torch.tensor_split(TARGET_BT, cuts, dim=1)
        parts = [model.decode(each, *encoded, None, cache, SOURCE_BS) for each in pieces]
        close(torch.cat(parts, dim=1), whole_BTV)


@torch.no_grad()
def test_later_words_padding_and_other_sentences_change_nothing(model):
    whole_BTV, begun_BTV = model(SOURCE_BS, TARGET_BT), model(SOURCE_BS, TARGET_BT[:, :4])
    close(begun_BTV, whole_BTV[:, :4])
    close(model(SOURCE_BS[1:2, :2], TARGET_BT[1:2]), whole_BTV[1:2])
    close(model(SOURCE_BS, F.pad(TARGET_BT[:, :4], (0, 2)))[:, :4], begun_BTV)


@torch.no_grad()
def test_chosen_rows_go_on_as_their_sentences(model):
    stepper, index_B = Stepper(model, SOURCE_BS), torch.tensor([2, 0, 0])
    stepper.feed(TARGET_BT[:, :2])
    stepper.feed(TARGET_BT[:, 2:3])
    chosen, whole_BV = stepper.rows(index_B), model(SOURCE_BS, TARGET_BT)[:, -1]
    for token_B in TARGET_BT[:, 3:].T:
        found_BV = chosen.feed(token_B[index_B, None])
        of_all_BV = stepper.feed(token_B[:, None])
    # PAD and BOS are never written.
    close(found_BV[:, 2:], whole_BV[index_B, 2:])
    close(of_all_BV[:, 2:], whole_BV[:, 2:])


@torch.no_grad()
def test_a_probe_changes_nothing_and_rows_of_weights_sum_to_one_over_what_is_visible(model):
    record = Record(frozenset(Step))
    close(model(SOURCE_BS, TARGET_BT, record), model(SOURCE_BS, TARGET_BT))
    for site in model.sites():
        weights_BHQK = record.weights(site)
        close(weights_BHQK.sum(-1), torch.ones_like(weights_BHQK.sum(-1)))
        hidden_BQK = ~record.tensors[site, Step.VISIBLE][:, None].expand_as(weights_BHQK)
        assert not weights_BHQK[hidden_BQK].any()


@pytest.mark.slow
def test_all_that_can_be_learned_is_learned(config):
    model = build(config, seed=1).train()
    optimizer, losses = torch.optim.Adam(model.parameters(), 1e-2), []
    for _ in range(10):
        logits_BTV = model(SOURCE_BS, TARGET_BT[:, :-1])
        loss = F.cross_entropy(logits_BTV.flatten(0, 1), TARGET_BT[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]
    # Layers above the one that is read learn nothing.
    read = config.memory != "first"
    assert all(each.grad is not None for each in model.parameters()) == read


def test_its_parts_have_all_its_parameters(model, config):
    found = describe(config)
    learned = sum(each.numel() for each in model.parameters())
    assert found.parameters == learned == count_parameters(config) == sum(found.by_group().values())
    kinds = {part.id.rpartition(".")[2] for part in found.parts}
    assert ("norm" in kinds) == (config.norm_kind != "none")
    assert ("feed_forward" in kinds) == config.feed_forward
    assert all(("x_l +" in part.step) == config.residual for part in found.sublayers)
    assert ("cross" in kinds) == (config.cross == "attention")


def test_a_file_gives_the_same_logits_and_holds_what_is_shared_once(model, config, tmp_path):
    save_weights(model, tmp_path / "weights")
    state = torch.get_rng_state()
    again = load_model(tmp_path / "weights", config)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.inference_mode():
        assert torch.equal(again(SOURCE_BS, TARGET_BT), model(SOURCE_BS, TARGET_BT))
    assert len(set(map(id, again.parameters()))) <= len(model.saved())
