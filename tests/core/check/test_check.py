"""What `check` finds in models with a planted bug, and in sound ones."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel
from transformers.utils import ModelOutput

from core.check import CheckError, Kind, check
from core.config import ModelConfig
from core.model import build
from tests.core.check import planted
from tests.core.check.models import (
    D,
    V,
    decoder,
    encoder_decoder,
    ids,
    spread,
    torch_transformer,
)
from tests.core.library.random_models import drawn


def ours(**settings):
    sizes = {"n_encoder_layers": 2, "n_decoder_layers": 2, "d_model": 24, "d_ff": 40, "n_heads": 4}
    return spread(build(ModelConfig(**{"vocab_size": 61, "dropout": 0.1} | sizes | settings)))


def published(name):
    return lambda: (drawn(name), None, {})


MADE = {
    "decoder": decoder,
    "decoder, step by step": partial(decoder, fused=False),
    "encoder–decoder": encoder_decoder,
    "nn.Transformer": partial(torch_transformer, batch_first=False),
    "ours": lambda: (ours(), None, {}),
    "ours, recurrent": lambda: (ours(encoder_mixing="gru", decoder_mixing="gru"), None, {}),
    **{name: published(name) for name in ("gpt2", "llama", "bert", "t5")},
}
VISIBLE, WEIGHTS = planted.plant_visible, planted.plant_weights
BUGS = [
    ("gpt2", Kind.FUTURE, "transformer.h.1.attn", VISIBLE, planted.sees_all),
    ("decoder, step by step", Kind.FUTURE, "blocks.0.attention", WEIGHTS, planted.weakly_masked),
    ("llama", Kind.FUTURE, "model.layers.1.mlp", planted.plant_neighbour),
    ("llama", Kind.PADDING, "model.layers.0.self_attn", VISIBLE, planted.sees_padding),
    ("bert", Kind.PADDING, "bert.encoder.layer.1.attention.self", VISIBLE, planted.sees_all),
    ("encoder–decoder", Kind.SOURCE_PADDING, "decoder.0.crossing", VISIBLE, planted.sees_all),
    ("gpt2", Kind.CACHE, "transformer.wpe", planted.plant_position),
    ("ours", Kind.CACHE, "decoder.0.self_attention", VISIBLE, planted.forgets_the_first),
    ("decoder, step by step", Kind.ROWS, "blocks.1.attention", WEIGHTS, planted.scaled_weights),
    ("encoder–decoder", Kind.DROPOUT, "encoder.1.ff", planted.plant_dropout),
    ("decoder, step by step", Kind.BLIND, "blocks.0.attention", VISIBLE, planted.sees_only_before),
    ("decoder", Kind.BLIND, "blocks.1.attention", VISIBLE, planted.sees_only_before),
]
MORE_BUGS = [
    ("ours", Kind.FUTURE, "decoder.1.self_attention", VISIBLE, planted.sees_one_ahead),
    ("t5", Kind.ROWS, "encoder.block.0.layer.0.SelfAttention", WEIGHTS, planted.scaled_weights),
]
"""Like others, in larger models."""


@pytest.mark.parametrize("name", ["decoder", "nn.Transformer", "ours", "ours, recurrent", "bert"])
def test_a_sound_model_has_no_fault(name):
    model, batch, more = MADE[name]()
    report = check(model, batch, **more)
    assert report.ok, str(report)
    assert len(report.tried) >= 4


@pytest.mark.parametrize(
    "bug",
    [*BUGS, *(pytest.param(bug, marks=pytest.mark.slow) for bug in MORE_BUGS)],
    ids=lambda bug: f"{bug[1]} in {bug[0]}",
)
def test_a_planted_bug_is_found_in_its_module_and_nowhere_else(bug):
    name, kind, module, plant, *change = bug
    model, batch, more = MADE[name]()
    plant(model, module, *change)
    report = check(model, batch, **more)
    assert kind in {fault.kind for fault in report.faults}, str(report)
    assert {fault.module for fault in report.faults} == {module}, str(report)


@dataclass
class _Output(ModelOutput):
    logits: torch.Tensor | None = None
    cache: object = None


class _NamesOfNewerTransformers(GPT2LMHeadModel):
    def forward(self, input_ids, cache=None, use_cache=None):
        found = super().forward(input_ids, past_key_values=cache, use_cache=use_cache)
        return _Output(found.logits, found.past_key_values)


def test_a_cache_has_another_name_since_transformers_5_24():
    sizes = {"vocab_size": V, "n_embd": D, "n_layer": 2, "n_head": 2}
    model = spread(_NamesOfNewerTransformers(GPT2Config(**sizes)))
    planted.plant_position(model, "transformer.wpe")
    report = check(model, {"input_ids": ids(2, 9)})
    assert [fault.kind for fault in report.faults] == [Kind.CACHE], str(report)


@pytest.mark.parametrize(
    ("shift", "says"), [(0, "is the token that is fed there"), (-2, "the token after the next")]
)
def test_labels_that_are_not_the_next_tokens_are_a_fault(shift, says):
    model, batch, more = decoder()
    [fault] = check(model, batch | {"targets": batch["idx"].roll(shift, 1)}, **more).faults
    assert (fault.kind, fault.module, fault.position) == (Kind.LABELS, "Decoder", 0)
    assert says in fault.sentence


@pytest.mark.slow
def test_the_shift_within_a_models_loss_counts():
    """Labels that were shifted already are shifted once more by a model of Hugging Face."""
    text = ids(2, 10)
    assert check(drawn("gpt2"), {"input_ids": text, "labels": text}).ok
    [fault] = check(drawn("gpt2"), {"input_ids": text, "labels": text.roll(-1, 1)}).faults
    assert fault.kind is Kind.LABELS


def test_a_label_of_a_whole_text_is_no_next_token():
    sizes = {"vocab_size": V, "n_embd": D, "n_layer": 1, "n_head": 2, "pad_token_id": 0}
    model = GPT2ForSequenceClassification(GPT2Config(**sizes))
    report = check(model, {"input_ids": ids(2, 9), "labels": torch.tensor([0, 1])})
    assert report.ok and Kind.FUTURE in report.tried and Kind.LABELS in report.left_out


def test_a_fault_has_the_first_position_and_the_mask():
    model, batch, more = decoder()
    planted.plant_visible(model, "blocks.1.attention", planted.sees_one_ahead)
    report = check(model, batch, **more)
    [fault] = report.faults
    assert fault.position == 0
    n = len(fault.visible_QK)
    assert (fault.visible_QK == np.tri(n, k=1, dtype=bool)).all()
    assert "blocks.1.attention sees later tokens" in str(report)
    assert report._repr_html_().count("<rect") == n * n


class Convolution(nn.Module):
    """Reads two neighbours: those before a position, or one at each side."""

    def __init__(self, around):
        super().__init__()
        self.around, self.tokens = around, nn.Embedding(V, D)
        self.convolution, self.head = nn.Conv1d(D, D, 3), nn.Linear(D, V)

    def forward(self, tokens):
        x = functional.pad(self.tokens(tokens).transpose(1, 2), self.around)
        return self.head(self.convolution(x).transpose(1, 2))


@pytest.mark.parametrize("around", [(2, 0), (1, 1)])
def test_what_leaks_need_not_be_attention(around):
    report = check(spread(Convolution(around)), ids(2, 9), causal=True)
    assert [fault.module for fault in report.faults] == ["convolution"] * (around == (1, 1))


def test_an_encoder_may_look_ahead_unless_it_must_not():
    layer = nn.TransformerEncoderLayer(D, 2, D, batch_first=True)
    model, x = spread(nn.TransformerEncoder(layer, 2)), torch.randn(2, 9, D)
    report = check(model, x)
    assert report.ok and Kind.FUTURE in report.left_out
    faults = check(model, x, causal=True).faults
    assert [fault.module for fault in faults] == ["layers.0.self_attn", "layers.1.self_attn"]


def test_a_model_is_left_as_it_was():
    model, batch, more = encoder_decoder()
    model.train()
    model.decoder[0].eval()
    modes = [each.training for each in model.modules()]
    weights = {name: x.clone() for name, x in model.state_dict().items()}
    planted.plant_visible(model, "decoder.0.crossing", planted.sees_all)
    check(model, batch, **more)
    assert [each.training for each in model.modules()] == modes
    assert all(x.equal(weights[name]) for name, x in model.state_dict().items())
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in model.modules())


@pytest.mark.parametrize(
    "batch", [None, {"mask": torch.ones(2, 9)}, ids(2, 3), torch.full((2, 9), 5)]
)
def test_what_is_no_batch_of_texts_is_refused(batch):
    with pytest.raises(CheckError):
        check(Convolution((2, 0)), batch, causal=True)
