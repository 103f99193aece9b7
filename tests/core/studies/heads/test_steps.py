import math

import numpy as np
import torch

from core.decoding.sentence import translate
from core.heads import Head
from core.inspection import inspect_sentence
from core.model import Record, Step
from core.studies.heads.stages import Stage, panels
from core.studies.heads.steps import head_steps
from tests.core.studies.heads.conftest import PLAIN, SENTENCE


def double(tensor):
    return tensor.detach().double().numpy()


def reference(run, site, head):
    """Every step in float64, from the model's weights and from what it hands to the sublayer."""
    config = run.settings.model
    translation = translate(run, SENTENCE)
    ids = torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids])
    given = Step.AFTER_NORM if config.norm == "pre" else Step.STREAM_IN
    record = Record(frozenset({given, Step.ADDED}))
    with torch.no_grad():
        run.model(*ids, record)
        memory = double(run.model.encode(ids[0])[0])
    x = double(record.tensors[site, given][0])
    memory = memory if site.sublayer == "cross" else x
    stack = {"encoder": "encoder", "decoder": "decoder"}[site.stack]
    prefix = f"{stack}.{site.layer}.{site.sublayer}_attention"
    weights = {name: double(value) for name, value in run.model.state_dict().items()}
    ks = slice(head * config.d_k, (head + 1) * config.d_k)
    vs = slice(head * config.d_v, (head + 1) * config.d_v)

    def project(name, inputs, rows):
        weight, offset = weights[f"{prefix}.{name}.weight"], weights[f"{prefix}.{name}.bias"]
        return inputs @ weight[rows].T + offset[rows]

    q, k = project("query", x, ks), project("key", memory, ks)
    v = project("value", memory, vs)
    scores = q @ k.T / math.sqrt(config.d_k)
    visible = np.ones(scores.shape, bool)
    if site.attention == "decoder.self":
        visible = np.tril(visible)
    masked = np.where(visible, scores, -np.inf)
    shares = np.exp(masked - masked.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    term = shares @ v @ weights[f"{prefix}.output.weight"].T[vs]
    return {
        Stage.QUERIES: q,
        Stage.KEYS: k,
        Stage.VALUES: v,
        Stage.PRODUCTS: q @ k.T,
        Stage.SCALE: scores,
        Stage.MASK: masked,
        Stage.SOFTMAX: shares,
        Stage.MIX: shares @ v,
        Stage.CONCATENATE: shares @ v,
        "term": term,
        Stage.OUTPUT: double(record.tensors[site, Step.ADDED][0]),
    }


def test_every_stage_is_what_the_weights_make_of_what_goes_in(run, steps):
    wanted = reference(run, steps.head.site, steps.head.index)
    for stage in PLAIN:
        made = panels(steps, stage)[0].values
        if stage is Stage.CONCATENATE:
            made = made[:, steps.head.index * steps.d_v : (steps.head.index + 1) * steps.d_v]
        np.testing.assert_allclose(made, wanted[stage], rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(steps.term_QD, wanted["term"], rtol=2e-4, atol=2e-4)
    np.testing.assert_array_equal(steps.visible_QK, np.isfinite(wanted[Stage.MASK]))


def test_the_weights_are_those_of_the_maps_bit_by_bit(run):
    inspection = inspect_sentence(run, SENTENCE)
    for site in run.model.sites()[::5]:
        found = head_steps(run, SENTENCE, Head(site, 0))
        np.testing.assert_array_equal(found.weights_QK, inspection.attention[site].weights_HQK[0])
        np.testing.assert_array_equal(found.visible_QK, inspection.attention[site].visible_QK)
