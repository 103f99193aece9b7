"""What holds for whatever stands in the place of self-attention."""

import torch
from torch.nn import functional as F

from core.decoding.step import Stepper
from core.model import Cache, build
from core.model.masks import padding_mask

SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])


def assert_pieces_get_the_logits_of_the_whole(model):
    with torch.no_grad():
        encoded = model.encode(SOURCE_BS), padding_mask(SOURCE_BS)
        whole_BTV = model.decode(TARGET_BT, *encoded)
        for cuts in ((1, 2, 3, 4, 5), (3,), (2, 5)):
            cache = Cache()
            pieces = torch.tensor_split(TARGET_BT, cuts, dim=1)
            parts = [model.decode(piece_BT, *encoded, cache=cache) for piece_BT in pieces]
            assert (torch.cat(parts, dim=1) - whole_BTV).abs().max() < 2e-5


def assert_later_words_and_padding_change_nothing(model):
    close = {"atol": 1e-5, "rtol": 1e-5}
    with torch.no_grad():
        whole_BTV = model(SOURCE_BS, TARGET_BT)
        begun_BTV = model(SOURCE_BS, TARGET_BT[:, :4])
        torch.testing.assert_close(begun_BTV, whole_BTV[:, :4], **close)
        alone_BTV = model(SOURCE_BS[1:2, :2], TARGET_BT[1:2])
        torch.testing.assert_close(alone_BTV, whole_BTV[1:2], **close)
        padded_BT = F.pad(TARGET_BT[:, :4], (0, 2))
        torch.testing.assert_close(model(SOURCE_BS, padded_BT)[:, :4], begun_BTV, **close)


def assert_rows_go_on_as_their_sentences(model):
    stepper, index_B = Stepper(model, SOURCE_BS), torch.tensor([2, 0, 0])
    for step in range(3):
        stepper.feed(TARGET_BT[:, step : step + 1])
    chosen = stepper.rows(index_B)
    rest_BT = TARGET_BT[index_B, 3:]
    found_BV = [chosen.feed(token_B[:, None]) for token_B in rest_BT.T][-1]
    with torch.no_grad():
        expected_BV = model(SOURCE_BS, TARGET_BT)[index_B, -1]
    # PAD and BOS are never said.
    said = torch.isfinite(found_BV)
    assert (found_BV - expected_BV)[said].abs().max() < 2e-5


def assert_it_learns(config):
    model = build(config, seed=1).train()
    optimizer = torch.optim.Adam(model.parameters(), 5e-3)
    losses = []
    for _ in range(25):
        logits_BTV = model(SOURCE_BS, TARGET_BT[:, :-1])
        loss = F.cross_entropy(logits_BTV.flatten(0, 1), TARGET_BT[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        assert all(each.grad is not None for each in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]
