"""Drafted decoding writes what plain greedy decoding writes, whatever the draft."""

from dataclasses import replace

import pytest
import torch

from core.decoding.drafted import drafted_steps
from core.decoding.forced import forced_steps
from core.decoding.greedy import greedy_steps
from core.decoding.limit import length_limit
from core.decoding.step import DecodeOptions
from core.heads import Head
from core.model import Override, Silence, build
from tests.core.conftest import MINIATURE
from tests.core.families.both import opened
from tests.core.families.random_models import drawn

SOURCE = (7, 9, 11, 13, 2)
MIXINGS = ("attention", "ssru", "gru")


def of_both_stacks(mixing):
    config = replace(MINIATURE.model, decoder_mixing=mixing, max_positions=24, dropout=0.0)
    return build(config, seed=4).eval()


@pytest.fixture(scope="module", params=["gpt2", "llama3", *MIXINGS])
def case(request):
    """A model, its source and its prompt."""
    if request.param in MIXINGS:
        model = of_both_stacks(request.param)
        return model, torch.tensor(SOURCE), model.config.begins
    return opened(drawn(request.param)), None, (5, 9, 7)


def plain(model, source_S, probe, prompt):
    return list(greedy_steps(model, source_S, DecodeOptions(probe=probe, watch=False), prompt))


def drafted(model, source_S, draft, probe, prompt):
    first, *rest = prompt
    forced = forced_steps(model, source_S, (*rest, *draft), probe, first, watch=False)
    return drafted_steps(model, source_S, list(forced)[len(rest) :], probe, prompt)


def assert_same(found, expected):
    assert [step.chosen for step in found] == [step.chosen for step in expected]
    assert [step.prefix for step in found] == [step.prefix for step in expected]
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.probabilities, other.probabilities, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("silenced", [False, True])
@pytest.mark.parametrize("wrong_at", [None, 0, 3])
def test_a_draft_changes_nothing_of_what_is_written(case, silenced, wrong_at):
    model, source_S, prompt = case
    probe = Silence.of([Head(model.sites()[0], 1)]) if silenced else None
    expected = plain(model, source_S, probe, prompt)
    draft = [step.chosen for step in plain(model, source_S, None, prompt)]
    draft = draft[:-1] if draft[-1] in model.config.eos_ids else draft
    if wrong_at is not None and wrong_at < len(draft):
        draft[wrong_at] = 6 if draft[wrong_at] != 6 else 8
    assert_same(drafted(model, source_S, draft, probe, prompt), expected)


def test_a_draft_that_says_eos_too_late_is_cut_where_the_model_ends(case):
    model, source_S, prompt = case
    expected = plain(model, source_S, None, prompt)
    longer = [*(step.chosen for step in expected), 6, 6][: length_limit(model, 9, len(prompt))]
    assert_same(drafted(model, source_S, longer, None, prompt), expected)


def test_without_a_draft_all_is_written_token_by_token(case):
    model, source_S, prompt = case
    assert_same(
        drafted_steps(model, source_S, [], None, prompt), plain(model, source_S, None, prompt)
    )


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
@pytest.mark.parametrize("query", [1, 2, 4])
def test_a_row_of_the_prompt_or_of_what_is_written_is_overridden_all_the_same(kind, query):
    model, prompt = opened(drawn(kind)), (5, 9, 7)
    weights_K = torch.zeros(query + 1)
    weights_K[0] = 1.0
    probe = Override(Head(model.sites()[0], 0), query, weights_K)
    draft = [step.chosen for step in plain(model, None, None, prompt)]
    draft = draft[:-1] if draft[-1] in model.config.eos_ids else draft
    assert_same(drafted(model, None, draft, probe, prompt), plain(model, None, probe, prompt))
