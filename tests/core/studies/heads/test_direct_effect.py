"""A head's direct effects, held against a pass that is replayed in float64, statistics fixed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.batch import one_row
from core.heads import Head
from core.model import Record, Step, build
from core.model.norm import BatchNorm, RMSNorm
from core.studies.attribution.logit_terms import direct_effect, has_direct_path, has_terms, terms_of
from tests.core.studies.heads.conftest import random_run

SOURCE, FED, POSITION = (5, 6, 7, 2), (1, 8, 9, 5), 2
SIZES = {
    "pre-norm": {},
    "post-norm, d_v ≠ d_k": {"norm": "post", "n_heads": 3, "d_k": 5, "d_v": 7},
    "RMSNorm, scaled logits": {"norm_kind": "rms", "logit_scale": True, "tied": "all"},
    "BatchNorm after the sum": {"norm_kind": "batch", "norm": "post"},
    "no norm": {"norm_kind": "none", "logit_bias": True},
    "a decoder alone": {"n_encoder_layers": 0},
}


def normed(norm, x_D, whole_D):
    """What a norm makes of a vector with the statistics of another one."""
    gain, eps = (getattr(norm, name, None) for name in ("weight", "eps"))
    if gain is None:
        return x_D
    if isinstance(norm, RMSNorm):
        return x_D / np.sqrt((whole_D**2).mean() + eps) * gain.numpy()
    if isinstance(norm, BatchNorm):
        centred_D, variance = x_D - norm.running_mean.numpy(), norm.running_var.numpy()
    else:
        centred_D, variance = x_D - x_D.mean(), whole_D.var()
    return centred_D / np.sqrt(variance + eps) * gain.numpy() + norm.bias.numpy()


def replayed(model, without):
    """The logits at the position without some heads, each norm with the whole pass's statistics."""
    record = Record(frozenset(Step))
    model(one_row(SOURCE) if model.config.n_encoder_layers else None, one_row(FED), record)
    tensors = {key: each[0].numpy() for key, each in record.tensors.items() if each.dim() >= 2}

    def at(site, step):
        return tensors[site, step][POSITION]

    x_D = at(model.embedding("decoder").site, Step.STREAM_OUT)
    for sublayer, residual in (block for layer in model.decoder for block in layer.blocks()):
        site = residual.site
        x_D = x_D + at(site, Step.ADDED)
        for head in (each for each in without if each.site == site):
            columns = slice(head.index * sublayer.d_v, (head.index + 1) * sublayer.d_v)
            mixed_E = tensors[site, Step.MIXED][head.index, POSITION]
            x_D = x_D - sublayer.output.weight.numpy()[:, columns] @ mixed_E
        if not residual.pre_norm:
            x_D = normed(residual.norm, x_D, at(site, Step.BEFORE_NORM))
    x_D = normed(model.decoder_norm, x_D, at(site, Step.STREAM_OUT))
    scale = model.config.d_model**-0.5 if model.config.logit_scale else 1.0
    bias_V = 0 if model.output.bias is None else model.output.bias.numpy()
    return model.output.weight.numpy() @ (x_D * scale) + bias_V


@pytest.fixture(params=SIZES)
def model(request, copy_run):
    model = random_run(copy_run, SIZES[request.param]).model.double().requires_grad_(False)
    generator = torch.Generator().manual_seed(5)
    for name, each in model.state_dict().items():
        if "norm" in name and not name.endswith(("bias", "running_mean")):
            each.uniform_(0.5, 2.0, generator=generator)
        elif name.endswith("running_mean"):
            each.normal_(generator=generator)
    return model


def test_effects_of_all_heads_and_all_else_sum_to_the_logits(model):
    source = SOURCE if model.config.n_encoder_layers else ()
    sites = [site for site in model.sites() if not site.in_encoder]
    heads = [Head(site, index) for site in sites for index in range(model.config.n_heads)]
    effects = {head: direct_effect(model, head, source, FED, POSITION) for head in heads}
    logits_V = model(one_row(source), one_row(FED))[0, POSITION].numpy()
    assert replayed(model, heads) + sum(effects.values()) == pytest.approx(logits_V, abs=1e-11)
    for head in (heads[0], heads[-1]):
        without_V = replayed(model, [head])
        assert effects[head] == pytest.approx(logits_V - without_V, abs=1e-11)
        assert np.abs(effects[head]).max() > 1e-3


def test_what_all_parts_add_sums_to_every_logit(model):
    source = SOURCE if model.config.n_encoder_layers else ()
    terms, logits_V = terms_of(model, source, FED)
    output = model.output
    bias_V = 0 if output.bias is None else output.bias.numpy()
    added = {part: (output.weight @ term_D).numpy() for part, term_D in terms.items()}
    whole_V = sum(added_V for part, added_V in added.items() if not isinstance(part, Head))
    assert whole_V + bias_V == pytest.approx(logits_V.numpy(), abs=1e-11)
    heads = [part for part in terms if isinstance(part, Head)]
    assert len(heads) == model.config.n_heads * len({head.site for head in heads}) > 0


def test_only_a_decoder_whose_sums_reach_the_next_tokens_logits_has_a_direct_path(copy_run):
    model = copy_run.model
    assert has_direct_path(model, Head.parse("decoder.0.cross:0"))
    assert not has_direct_path(model, Head.parse("encoder.0.self:0"))
    bare = build(replace(copy_run.settings.model, residual=False))
    assert not has_direct_path(bare, Head.parse("decoder.0.cross:0"))
    assert (has_terms(model), has_terms(bare)) == (True, False)
