from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.decoding import plan as plans
from core.decoding.plan import plan_of
from core.model import Cache, build
from core.model.masks import padding_mask

CONFIG = ModelConfig(23, 2, 3, 16, 32, 4, d_k=5, d_v=3, max_positions=20)
GPT2 = replace(CONFIG, n_encoder_layers=0, norm="pre", activation="gelu_tanh", positions="learned")
PLANNED = {
    "the paper's": CONFIG,
    "pre-norm": replace(CONFIG, norm="pre", positions="learned", tied="none"),
    "Marian's": replace(CONFIG, positions="halves", activation="silu", logit_bias=True),
    "without biases": replace(CONFIG, attention_bias=False, ff_bias=False, positions="none"),
    "without feed-forward layers": replace(CONFIG, feed_forward=False, embedding_scale=False),
    "GPT-2's": GPT2,
}
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])


@pytest.fixture(autouse=True)
def _little_room(monkeypatch):
    """So that the buffers must grow."""
    monkeypatch.setattr(plans, "FIRST_POSITIONS", 2)


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


@pytest.fixture(params=PLANNED)
def model(request):
    made = build(PLANNED[request.param], seed=3).eval()
    # Biases and norms that are not 0 and 1, so that leaving one out would show.
    for parameter in made.parameters():
        if parameter.ndim == 1:
            parameter.add_(0.1 * torch.randn_like(parameter))
    return made


def read(model):
    """Return memory_BSD and visible_B1S; None of a decoder alone."""
    if not model.config.n_encoder_layers:
        return None, None
    return model.encode(SOURCE_BS), padding_mask(SOURCE_BS)


def test_rows_of_a_plan_go_on_as_their_sentences_and_leave_the_others_alone(model):
    index_B, seen = torch.tensor([2, 0, 0]), read(model)
    plan = plan_of(model, *seen, 3)
    expected_BTV = model.decode(TARGET_BT, *seen)
    for step in range(3):
        assert (plan.feed(TARGET_BT[:, step]) - expected_BTV[:, step]).abs().max() < 1e-5
    chosen = plan.rows(index_B)
    for step in range(3, 6):
        expected_BV = expected_BTV[:, step]
        assert (chosen.feed(TARGET_BT[index_B, step]) - expected_BV[index_B]).abs().max() < 1e-5
        assert (plan.feed(TARGET_BT[:, step]) - expected_BV).abs().max() < 1e-5


@pytest.mark.parametrize("n_before", [1, 5])
def test_a_plan_goes_on_after_a_prompt_that_the_modules_read(model, n_before):
    seen, cache = read(model), Cache()
    model.decode(TARGET_BT[:, :n_before], *seen, None, cache)
    plan = plan_of(model, *seen, 3)
    plan.take(cache)
    for token_B in TARGET_BT[:, n_before:].T:
        found_BV = plan.feed(token_B)
    assert (found_BV - model.decode(TARGET_BT, *seen)[:, -1]).abs().max() < 1e-5
