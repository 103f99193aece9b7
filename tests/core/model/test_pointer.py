"""The pointer-generator against its formula in float64, and as a part of a model."""

from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.evaluate.loss import token_loss
from core.heads import Site
from core.model import Silence, build
from core.model.pointer import Pointer

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, max_positions=20, dropout=0.0, pointer=True)
LAST = Site("decoder", 1, "cross")
# A token twice in the first source; the others are padded.
SOURCE_BS = torch.tensor([[4, 5, 20, 5, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])


@pytest.fixture
def model():
    made = build(CONFIG, seed=3).eval()
    with torch.no_grad():
        made.pointer.gate.bias.fill_(-0.3)
    return made


def mixture(pointer, logits_TV, x_TD, weights_HTS, memory_SD, source_S):
    """See et al. 2017, equations 8 and 9, word by word."""
    n_heads, n_targets, n_source = weights_HTS.shape
    w = pointer.gate.weight[0].tolist()
    found = torch.zeros(logits_TV.shape, dtype=torch.float64)
    for t in range(n_targets):
        a = [sum(weights_HTS[h, t, i] for h in range(n_heads)) / n_heads for i in range(n_source)]
        context = sum(a[i] * memory_SD[i] for i in range(n_source))
        read = [*context.tolist(), *x_TD[t].tolist()]
        score = sum(one * other for one, other in zip(w, read, strict=True))
        p_gen = 1 / (1 + torch.exp(-(score + pointer.gate.bias[0])))
        exponentials = logits_TV[t].exp()
        found[t] = p_gen * exponentials / exponentials.sum()
        for i in range(n_source):
            found[t, source_S[i]] += (1 - p_gen) * a[i]
    return found


@torch.no_grad()
def test_the_mixture_is_that_of_the_paper_in_float64():
    generator = torch.Generator().manual_seed(5)

    def drawn(*sizes):
        return torch.randn(*sizes, dtype=torch.float64, generator=generator)

    pointer = Pointer(replace(CONFIG, d_model=6, n_heads=3)).double()
    logits_TV, x_TD, memory_SD = drawn(4, 23), drawn(4, 6), drawn(5, 6)
    weights_HTS = drawn(3, 4, 5).softmax(dim=-1)
    given = (logits_TV, x_TD, weights_HTS, memory_SD, SOURCE_BS[0])
    found_TV = pointer(*(each[None] for each in given))[0].exp()
    torch.testing.assert_close(found_TV, mixture(pointer, *given), atol=1e-12, rtol=1e-9)


@torch.inference_mode()
def test_what_a_silent_head_looks_at_is_not_copied(model):
    weights_BHTS = torch.zeros(1, 4, 1, 3)
    weights_BHTS[0, :3, 0, 0] = 1.0
    weights_BHTS[0, 3, 0, 1] = 1.0
    given = (torch.zeros(1, 1, 23), torch.zeros(1, 1, 16), weights_BHTS, torch.zeros(1, 3, 16))
    source_BS = torch.tensor([[7, 8, 2]])
    heads = LAST.heads(4)
    p_gen = float(torch.sigmoid(torch.tensor(-0.3)))

    def probability(silent, token):
        return float(model.pointer(*given, source_BS, Silence.of(silent))[0, 0, token].exp())

    assert probability((), 8) == pytest.approx((1 - p_gen) / 4 + p_gen / 23)
    assert probability(heads[3:], 8) == pytest.approx(p_gen / 23)
    assert probability(heads[3:], 7) == pytest.approx(1 - p_gen + p_gen / 23)
    # With nothing left to copy from, all is generated.
    assert probability(heads, 8) == pytest.approx(1 / 23)


def test_the_loss_stays_finite_where_a_word_can_neither_be_copied_nor_generated():
    pointer = Pointer(CONFIG)
    with torch.no_grad():
        pointer.gate.weight.zero_()
        pointer.gate.bias.fill_(-60.0)
    logits = torch.zeros(1, 1, 23, requires_grad=True)
    weights = torch.full((1, 4, 1, 5), 0.2)
    given = (torch.zeros(1, 1, 16), weights, torch.zeros(1, 5, 16), SOURCE_BS[:1])
    loss = token_loss(pointer(logits, *given), torch.tensor([[22]]))
    loss.backward()
    assert loss.item() == pytest.approx(60 + torch.log(torch.tensor(23.0)).item(), rel=1e-4)
    assert logits.grad.isfinite().all()
    assert pointer.gate.bias.grad.isfinite().all()
