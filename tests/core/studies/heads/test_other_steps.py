"""The steps of heads that the paper has not: turned by positions, biased by distance, shared."""

import math

import numpy as np
import pytest

from core.describe.formulas import Stage
from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.stages import cell_at, cell_of, panels, terms
from core.studies.heads.steps import head_steps

TEXT = "a b c d e"
SHARING = "llama whose heads share keys"
ONLY = {
    "llama": {Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.SCALE},
    SHARING: {Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.SCALE},
    "t5": {Stage.POSITION_BIAS},
    "gpt2": {Stage.SCALE},
}
"""Kind → which of the stages that not all have it has in self-attention."""
OPTIONAL = {Stage.TURNED_QUERIES, Stage.TURNED_KEYS, Stage.SCALE, Stage.POSITION_BIAS}


@pytest.fixture(scope="module", params=ONLY)
def made(request, one_stack_folder):
    more = {"n_kv_heads": 1} if request.param == SHARING else {}
    return request.param, load_run(one_stack_folder(request.param.split()[0], **more))


@pytest.fixture
def steps(made):
    """The last head of the last layer of self-attention."""
    _, run = made
    site = [site for site in run.model.sites() if site.is_self][-1]
    return head_steps(run, TEXT, Head(site, run.settings.model.n_heads - 1))


def rotated(made_KE, base):
    """Turn pairs as complex numbers, in float64."""
    n_positions, width = made_KE.shape
    pair_N = np.arange(width // 2)
    angle_KN = np.arange(n_positions)[:, None] * base ** (-2 * pair_N / width)
    one, other = made_KE[:, : width // 2], made_KE[:, width // 2 :]
    turned = (one + 1j * other) * np.exp(1j * angle_KN)
    return np.concatenate([turned.real, turned.imag], axis=1)


def test_a_head_has_the_stages_of_its_kind(made, steps):
    assert set(steps.formulas) & OPTIONAL == ONLY[made[0]]


def projected(attention, layer, given, number, n_sets):
    """Return what a layer makes for one of several sets, in float64."""
    weight = layer.weight.detach().double().numpy().reshape(n_sets, -1, given.shape[1])[number]
    offset = 0.0
    if layer.bias is not None:
        offset = layer.bias.detach().double().numpy().reshape(n_sets, -1)[number]
    return given @ weight.T + offset


def compared(config, q, k):
    """Return queries and keys as they meet: turned, where positions turn them."""
    if config.positions != "rotary":
        return q, k
    return (rotated(each, config.rotary_base) for each in (q, k))


def test_every_stage_is_what_the_weights_make_of_what_goes_in(made, steps):
    _, run = made
    config, index = run.settings.model, steps.head.index
    attention = run.model.block(steps.head.site)[0]
    given = steps.query.given_KD.astype(np.float64)
    n_sets = config.n_key_value_sets
    shared = index * n_sets // config.n_heads
    q = projected(attention, attention.query, given, index, config.n_heads)
    k, v = (
        projected(attention, layer, given, shared, n_sets)
        for layer in (attention.key, attention.value)
    )
    wanted = {Stage.QUERIES: q, Stage.KEYS: k, Stage.VALUES: v}
    q, k = compared(config, q, k)
    if Stage.TURNED_QUERIES in steps.formulas:
        wanted |= {Stage.TURNED_QUERIES: q, Stage.TURNED_KEYS: k}
    scores = wanted[Stage.PRODUCTS] = q @ k.T
    if Stage.SCALE in steps.formulas:
        scores = wanted[Stage.SCALE] = scores / math.sqrt(config.d_k)
    if Stage.POSITION_BIAS in steps.formulas:
        # The bias of the distance is that of the first layer, for every layer.
        relative = run.model.decoder[0].self_attention.relative
        added = relative(*scores.shape)[0, index].detach().double().numpy()
        scores = wanted[Stage.POSITION_BIAS] = scores + added
    masked = np.where(steps.visible_QK, scores, -np.inf)
    shares = np.exp(masked - masked.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    wanted |= {Stage.MASK: masked, Stage.SOFTMAX: shares, Stage.MIX: shares @ v}
    for stage, values in wanted.items():
        np.testing.assert_allclose(
            panels(steps, stage)[0].values, values, rtol=2e-4, atol=2e-4, err_msg=stage
        )
    rows_ED = attention.output.weight.detach().double().numpy().T
    term = shares @ v @ rows_ED[index * config.d_v : (index + 1) * config.d_v]
    np.testing.assert_allclose(steps.term_QD, term, rtol=2e-3, atol=2e-4)


def test_every_number_comes_about_as_it_is_told(steps):
    for stage in steps.formulas:
        cell = cell_at(steps, stage, len(steps.weights_QK) - 1, 1)
        found = terms(steps, stage, *cell)
        assert found.recorded == panels(steps, stage)[0].values[cell]
        assert found.total == pytest.approx(found.recorded, rel=2e-4, abs=2e-4)
        assert len(found.terms_N) == len(found.places)
        assert cell_of(steps, stage, 0, *cell) == cell
