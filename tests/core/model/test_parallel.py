"""A decoder without the look-ahead mask."""

from dataclasses import replace

import pytest
import torch

from core.config import ConfigError, ModelConfig
from core.heads import Kind
from core.model import Record, Step, build
from core.model.masks import decoder_mask
from core.vocabulary import EOS, PAD

CAUSAL = ModelConfig(23, 2, 2, d_model=32, d_ff=64, n_heads=4, max_positions=20)
CONFIG = replace(CAUSAL, decoder="parallel")
SOURCE_BS = torch.tensor([[5, 6, 7, EOS], [9, EOS, PAD, PAD]])
TARGET_BT = torch.tensor([[1, 5, 22, 7, 8], [1, 22, 9, PAD, PAD]])


def test_every_place_sees_all_others_and_no_padding():
    record = Record()
    build(CONFIG, seed=1).eval()(SOURCE_BS, TARGET_BT, record)
    for site in build(CONFIG).sites():
        if site.attention is Kind.DECODER_SELF:
            visible_BQK = record.tensors[site, Step.VISIBLE].expand(2, 5, 5)
            assert visible_BQK[0].all()
            assert visible_BQK[1].tolist() == [[True, True, True, False, False]] * 5
    assert decoder_mask(TARGET_BT).shape == (2, 5, 5)
    assert decoder_mask(TARGET_BT, causal=False).shape == (2, 1, 5)


def test_a_later_token_changes_an_earlier_prediction_as_it_may_not_in_a_causal_decoder():
    other_BT = TARGET_BT.clone()
    other_BT[0, 4] = 11
    for config, changes in ((CONFIG, True), (CAUSAL, False)):
        model = build(config, seed=2).eval()
        with torch.no_grad():
            before, after = model(SOURCE_BS, TARGET_BT), model(SOURCE_BS, other_BT)
        assert (not torch.equal(before[0, 1], after[0, 1])) == changes


def test_it_needs_a_place_beside_bos_and_is_given_more_than_a_target_needs():
    with pytest.raises(ConfigError, match="no place beside BOS"):
        replace(CONFIG, max_positions=1)
    assert [CONFIG.n_places(n) for n in (1, 2, 8, 100)] == [5, 7, 16, 19]


def test_what_it_never_writes_are_padding_bos_and_masks():
    assert CONFIG.mask_id == 22
    assert CONFIG.never_said == (PAD, 1, 22)
    assert CAUSAL.never_said == (PAD, 1)
