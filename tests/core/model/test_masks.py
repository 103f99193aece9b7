import torch
from hypothesis import given
from hypothesis import strategies as st

from core.model.masks import (
    decoder_mask,
    padding_mask,
)
from core.vocabulary import PAD


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=3))
def test_decoder_mask_combines_look_ahead_and_padding(rows):
    visible_BTT = decoder_mask(torch.tensor(rows))
    for b, row in enumerate(rows):
        for i in range(4):
            for j in range(4):
                assert visible_BTT[b, i, j] == (j <= i and (row[j] != PAD or j == 0))


def test_another_token_may_fill_up_or_none():
    ids = torch.tensor([[4, PAD, 9]])
    assert padding_mask(ids, 9).tolist() == [[[True, True, False]]]
    assert padding_mask(ids, -1).all()


def test_a_target_that_begins_with_padding_sees_its_beginning():
    assert decoder_mask(torch.tensor([[PAD, 4]])).tolist() == [[[True, False], [True, True]]]
