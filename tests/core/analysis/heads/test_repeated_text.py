import itertools

import numpy as np
import pytest
import torch

from core.analysis.heads.repeated_text import (
    Role,
    cost_of_silencing,
    measure_roles,
    repeated_tokens,
)
from core.config import ModelConfig
from core.heads import Head
from core.model import Record, Silence, build

SIZES = {"vocab_size": 40, "d_model": 16, "d_ff": 24, "n_heads": 2, "max_positions": 64}
KINDS = {
    "both": ModelConfig(**SIZES, n_encoder_layers=2, n_decoder_layers=1),
    "encoder": ModelConfig(**SIZES, n_encoder_layers=2, n_decoder_layers=0, bos_id=-1),
    "decoder": ModelConfig(**SIZES, n_encoder_layers=0, n_decoder_layers=2, bos_id=-1),
    "decoder with BOS": ModelConfig(**SIZES, n_encoder_layers=0, n_decoder_layers=2),
}
N, HALF = 5, 7


@pytest.fixture(params=KINDS)
def model(request):
    return build(KINDS[request.param], seed=1).eval()


def test_each_sequence_is_said_twice_and_has_no_special_token(model):
    ids = repeated_tokens(model, N, HALF, without=[9]).tolist()
    begins = [1] if model.config.begins and model.config.stacks == ("decoder",) else []
    for row in ids:
        assert row[: len(begins)] == begins
        random = row[len(begins) :]
        assert random[:HALF] == random[HALF:]
        assert len(set(random)) == HALF
        config = model.config
        assert not {config.pad_id, config.bos_id, *config.eos_ids, 9} & set(random)
    assert len({tuple(row) for row in ids}) == N


def by_hand(model, ids, head, role):
    """Return the mean share and the even one, from all maps."""
    record = Record()
    with torch.inference_mode():
        if model.config.stacks == ("decoder",):
            model(None, ids, record)
        else:
            model.encode(ids, record)
    weights_NQK = record.weights(head.site)[:, head.index].double().numpy()
    length, start = ids.shape[1], ids.shape[1] - 2 * HALF
    shares, even = [], []
    for sequence, query in itertools.product(range(len(ids)), range(start + HALF, length)):
        tokens = ids[sequence].tolist()
        earlier = tokens.index(tokens[query], start)
        key = {
            Role.PREVIOUS: query - 1,
            Role.FIRST: 0,
            Role.ITSELF: query,
            Role.DUPLICATE: earlier,
            Role.INDUCTION: earlier + 1,
        }[role]
        shares.append(weights_NQK[sequence, query, key])
        even.append(1 / (length if head.site.in_encoder else query + 1))
    return np.mean(shares), np.mean(even)


@pytest.mark.parametrize("role", Role)
def test_shares_are_those_of_the_maps_beside_the_even_row(model, role):
    found = measure_roles(model, N, HALF)
    ids = repeated_tokens(model, N, HALF)
    heads = [head for site in model.sites() if site.is_self for head in site.heads(2)]
    asked = [h for h in heads if h.site.in_encoder] or heads
    assert set(found.shares[role]) == set(asked)
    assert found.n_rows == N * HALF
    for head in asked:
        share, even = by_hand(model, ids, head, role)
        assert found.shares[role][head].share == pytest.approx(share, abs=1e-6)
        assert found.shares[role][head].baseline == pytest.approx(even)
        assert found.shares[role][head].low <= share <= found.shares[role][head].high
    best = found.best(role, len(asked))
    assert [found.shares[role][head].share for head in best] == sorted(
        (found.shares[role][head].share for head in asked), reverse=True
    )


def test_what_silencing_costs_is_the_rise_of_the_surprise():
    model = build(KINDS["decoder"], seed=2).eval()
    heads = [Head.parse("decoder.1.self:0")]
    found = cost_of_silencing(model, heads, N, HALF)
    ids = repeated_tokens(model, N, HALF)

    def surprise(probe):
        with torch.inference_mode():
            log = model(None, ids, probe).double().log_softmax(-1)
        return -torch.stack(
            [log[:, at, :].gather(1, ids[:, at + 1, None])[:, 0] for at in range(2 * HALF - 1)], 1
        )

    plain, silent = surprise(None), surprise(Silence.of(heads))
    rise = (silent - plain).numpy()
    assert found.before == pytest.approx(float(plain[:, HALF:].mean()))
    assert found.second_half == pytest.approx(rise[:, HALF:].mean(), abs=1e-9)
    assert found.first_half == pytest.approx(rise[:, : HALF - 1].mean(), abs=1e-9)
    assert found.low <= found.second_half <= found.high
    assert abs(found.second_half) > 1e-4


def test_silencing_nothing_costs_nothing():
    found = cost_of_silencing(build(KINDS["decoder"], seed=2).eval(), [], N, HALF)
    assert (found.first_half, found.second_half, found.low, found.high) == (0, 0, 0, 0)


def test_what_is_too_small_or_writes_nothing_is_refused():
    with pytest.raises(ValueError, match="64 positions"):
        measure_roles(build(KINDS["decoder"], seed=2), N, 33)
    with pytest.raises(ValueError, match="only a decoder alone"):
        cost_of_silencing(build(KINDS["encoder"], seed=2), [])
