import pytest
import torch

from core.model import Cache, Record
from core.model.masks import padding_mask


@pytest.fixture
def encoded(model):
    """Three sources of different lengths, and targets of one length."""
    source_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
    target_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])
    with torch.no_grad():
        return target_BT, model.encode(source_BS), padding_mask(source_BS)


@pytest.mark.parametrize("cuts", [(1, 2, 3, 4, 5), (3,), (2, 5)])
def test_cached_logits_equal_recomputed_ones_for_ragged_batches(model, encoded, cuts):
    target_BT, memory_BSD, visible_B1S = encoded
    cache, parts = Cache(), []
    with torch.no_grad():
        for piece_BT in torch.tensor_split(target_BT, cuts, dim=1):
            parts.append(model.decode(piece_BT, memory_BSD, visible_B1S, cache=cache))
        expected_BTV = model.decode(target_BT, memory_BSD, visible_B1S)
    assert (torch.cat(parts, dim=1) - expected_BTV).abs().max() < 1e-5
    assert cache.length == 6


def test_cached_maps_equal_recomputed_ones(model, encoded):
    target_BT, memory_BSD, visible_B1S = encoded
    whole, cache = Record(), Cache()
    with torch.no_grad():
        model.decode(target_BT, memory_BSD, visible_B1S, whole)
        for step in range(6):
            record = Record()
            piece_BT = target_BT[:, step : step + 1]
            model.decode(piece_BT, memory_BSD, visible_B1S, record, cache)
            for site, _ in record.tensors:
                row_BHK = record.weights(site)[:, :, 0]
                expected_BHK = whole.weights(site)[:, :, step, : row_BHK.shape[-1]]
                assert (row_BHK - expected_BHK).abs().max() < 1e-5


def test_rows_of_a_cache_go_on_as_their_sentences(model, encoded):
    target_BT, memory_BSD, visible_B1S = encoded
    index_B = torch.tensor([2, 0, 0])
    cache = Cache()
    with torch.no_grad():
        model.decode(target_BT[:, :3], memory_BSD, visible_B1S, cache=cache)
        chosen = cache.rows(index_B)
        rest_BT = target_BT[index_B, 3:]
        memory_BSD, visible_B1S = memory_BSD[index_B], visible_B1S[index_B]
        found_BTV = model.decode(rest_BT, memory_BSD, visible_B1S, cache=chosen)
        expected_BTV = model.decode(target_BT[index_B], memory_BSD, visible_B1S)[:, 3:]
    assert (found_BTV - expected_BTV).abs().max() < 1e-5


def test_cross_attention_is_projected_once(model, encoded):
    target_BT, memory_BSD, visible_B1S = encoded
    cache = Cache()
    with torch.no_grad():
        model.decode(target_BT[:, :1], memory_BSD, visible_B1S, cache=cache)
        before = {site: kept for site, kept in cache.kept.items() if site.sublayer == "cross"}
        model.decode(target_BT[:, 1:2], memory_BSD, visible_B1S, cache=cache)
    assert len(before) == model.config.n_decoder_layers
    assert all(cache.kept[site] is kept for site, kept in before.items())
