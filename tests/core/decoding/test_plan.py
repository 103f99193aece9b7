from dataclasses import replace

import pytest
import torch

from core.config import ModelConfig
from core.decoding import planned as sublayers
from core.decoding.maps import PlanError
from core.decoding.plan import DecoderPlan
from core.decoding.step import Stepper
from core.model import Transformer, build
from core.model.masks import padding_mask

CONFIG = ModelConfig(23, 2, 3, 16, 32, 4, d_k=5, d_v=3, max_positions=20)
SOURCE_BS = torch.tensor([[4, 5, 6, 7, 2], [8, 2, 0, 0, 0], [9, 10, 11, 2, 0]])
TARGET_BT = torch.tensor([[1, 5, 6, 7, 8, 9], [1, 9, 3, 4, 5, 6], [1, 4, 5, 6, 7, 3]])


def planned(config, source_BS=SOURCE_BS):
    model = build(config, seed=3).eval()
    with torch.no_grad():
        # Biases and norms that are not 0 and 1, so that leaving one out would show.
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
        memory_BSD = model.encode(source_BS)
    visible_B1S = padding_mask(source_BS)
    hidden = None if visible_B1S.all() else visible_B1S
    return model, DecoderPlan(model, memory_BSD, hidden), memory_BSD, visible_B1S


@pytest.fixture(autouse=True)
def _little_room(monkeypatch):
    """So that the buffers must grow."""
    monkeypatch.setattr(sublayers, "FIRST_POSITIONS", 2)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("tied", [True, False])
def test_the_plan_gives_the_models_logits_for_ragged_batches(norm, positions, tied):
    config = replace(CONFIG, norm=norm, positions=positions, tied=tied)
    with torch.inference_mode():
        model, made, memory_BSD, visible_B1S = planned(config)
        found_BTV = torch.stack([made.feed(token_B) for token_B in TARGET_BT.T], dim=1)
        expected_BTV = model.decode(TARGET_BT, memory_BSD, visible_B1S)
    assert (found_BTV - expected_BTV).abs().max() < 1e-5


def test_without_padding_nothing_is_hidden():
    source_BS = torch.tensor([[4, 5, 6, 2]])
    with torch.inference_mode():
        model, made, memory_BSD, visible_B1S = planned(CONFIG, source_BS)
        found_BTV = torch.stack([made.feed(token_B) for token_B in TARGET_BT[:1].T], dim=1)
        expected_BTV = model.decode(TARGET_BT[:1], memory_BSD, visible_B1S)
    assert (found_BTV - expected_BTV).abs().max() < 1e-5


def test_rows_of_a_plan_go_on_as_their_sentences_and_leave_the_others_alone():
    index_B = torch.tensor([2, 0, 0])
    with torch.inference_mode():
        model, made, memory_BSD, visible_B1S = planned(CONFIG)
        for step in range(3):
            made.feed(TARGET_BT[:, step])
        chosen = made.rows(index_B)
        found_BV = [chosen.feed(TARGET_BT[index_B, step]) for step in range(3, 6)][-1]
        untouched_BV = [made.feed(TARGET_BT[:, step]) for step in range(3, 6)][-1]
        expected_BV = model.decode(TARGET_BT, memory_BSD, visible_B1S)[:, -1]
    assert (found_BV - expected_BV[index_B]).abs().max() < 1e-5
    assert (untouched_BV - expected_BV).abs().max() < 1e-5


class Doubled(torch.nn.Module):
    """A norm that the plan does not know."""

    def forward(self, x_BKD):
        return 2 * x_BKD


class Halved(torch.nn.Linear):
    """A linear layer that computes something else."""

    def forward(self, x_BKD):
        return super().forward(x_BKD) / 2


class Negated(torch.nn.Embedding):
    """A table of tokens that is looked up in another way."""

    def forward(self, ids_BK):
        return -super().forward(ids_BK)


@pytest.mark.parametrize(
    ("place", "module", "named"),
    [
        ("decoder.1.residuals.2.norm", Doubled(), r"decoder\.1\.feed_forward\.norm.* Doubled"),
        ("decoder_norm", Doubled(), r"decoder\.norm.* Doubled"),
        ("output", Halved(16, 23), "output.* Halved"),
        ("target_embedding.tokens", Negated(23, 16), r"decoder\.embedding.* Negated"),
        ("decoder.0.feed_forward.expand", Halved(16, 32), r"decoder\.0\.feed_forward.* Halved"),
        ("decoder.0.self_attention.key", Halved(16, 20), r"decoder\.0\.self.* Halved"),
    ],
)
def test_what_the_plan_does_not_know_is_refused_by_name_and_decoded_by_the_modules(
    place, module, named
):
    model = build(CONFIG, seed=3).eval()
    model.set_submodule(place, module)
    assert_refused_and_decoded_by_the_modules(model, named)


class Rescaled(Transformer):
    """A model that makes its scores in another way."""

    def logits(self, x_BTD, *others):
        return super().logits(x_BTD, *others) / 2


class Echoing(Transformer):
    """A model that decodes in another way."""

    def decode(self, target_BT, *others, **named):
        return super().decode(target_BT, *others, **named) + 1


@pytest.mark.parametrize(
    ("kind", "named"), [(Rescaled, "logits.* Rescaled"), (Echoing, "decode.* Echoing")]
)
def test_a_model_that_computes_a_step_of_its_own_is_refused_by_name(kind, named):
    torch.manual_seed(3)
    model = kind(CONFIG).eval()
    assert_refused_and_decoded_by_the_modules(model, named)


def assert_refused_and_decoded_by_the_modules(model, named):
    with torch.inference_mode():
        memory_BSD = model.encode(SOURCE_BS)
        with pytest.raises(PlanError, match=named):
            DecoderPlan(model, memory_BSD, padding_mask(SOURCE_BS))
        stepper = Stepper(model, SOURCE_BS)
        found_BTV = torch.stack([stepper.feed(token_B)[0] for token_B in TARGET_BT.T], dim=1)
        expected_BTV = model.decode(TARGET_BT, memory_BSD, padding_mask(SOURCE_BS))
    torch.testing.assert_close(found_BTV[..., 2:], expected_BTV[..., 2:], atol=1e-5, rtol=1e-5)


def test_a_plan_reads_names_as_one_vector_as_the_model_does():
    config = ModelConfig(23, 2, 2, 16, 32, 4, shared_names=5)
    model = build(config, seed=1).eval()
    with torch.inference_mode():
        memory_BSD = model.encode(torch.tensor([[20, 5, 2]]))
        plan = DecoderPlan(model, memory_BSD, None)
        for at, token in enumerate(fed := [1, 21, 19, 5]):
            together = model.decode(torch.tensor([fed[: at + 1]]), memory_BSD, None)[:, -1]
            torch.testing.assert_close(plan.feed(torch.tensor([token])), together)
