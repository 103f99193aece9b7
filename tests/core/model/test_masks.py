import torch
from hypothesis import given
from hypothesis import strategies as st

from core.model.masks import (
    decoder_mask,
)
from core.vocabulary import PAD


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=3))
def test_decoder_mask_combines_look_ahead_and_padding(rows):
    visible_BTT = decoder_mask(torch.tensor(rows))
    for b, row in enumerate(rows):
        for i in range(4):
            for j in range(4):
                assert visible_BTT[b, i, j] == (j <= i and (row[j] != PAD or j == 0))
