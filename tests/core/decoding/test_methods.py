import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import ModelConfig
from core.decoding.beam import Beam, beam_steps, beam_tree
from core.decoding.choosing import Greedy, Sampling
from core.decoding.limit import length_limit
from core.decoding.methods import Forced, decode
from core.decoding.step import DecodeOptions, decode_steps
from core.model import build
from core.vocabulary import EOS
from tests.core.families.both import opened
from tests.core.families.random_models import drawn


def chosen(steps):
    return [step.chosen for step in steps]


@pytest.fixture
def source(source_S):
    return tuple(source_S.tolist())


@pytest.mark.parametrize("method", [Greedy(), Sampling(seed=2), Beam(3), Forced((7, 8, 9))])
def test_every_method_gives_steps_that_follow_each_other(model, source, method):
    steps = decode(model, source, method)
    for before, after in zip(steps, steps[1:], strict=False):
        assert after.prefix == (*before.prefix, before.chosen)
    assert all(step.attention for step in steps)


@given(
    st.integers(0, 9),
    st.sampled_from([Greedy(), Sampling(temperature=2.0, seed=1)]),
    st.dictionaries(st.integers(0, 5), st.integers(3, 29), max_size=2),
)
@settings(max_examples=20, deadline=None)
def test_one_pass_over_what_was_written_gives_the_steps_that_wrote_it(seed, method, overrides):
    model = build(ModelConfig(30, 1, 2, 16, 32, 4, max_positions=24), seed=seed).eval()
    source_S, options = torch.tensor([5, 9, 7, EOS]), DecodeOptions(overrides=overrides)
    step_by_step = decode_steps(model, source_S, options, strategy=method)
    found = decode(model, tuple(source_S.tolist()), method, overrides)
    for one, other in zip(found, step_by_step, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.logits_V, other.logits_V, rtol=0, atol=1e-5)
        assert one.attention.keys() == other.attention.keys()
        for site, weights_HK in other.attention.items():
            torch.testing.assert_close(one.attention[site], weights_HK, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_what_is_forced_after_a_prompt_is_what_the_model_finds_fed_each_beginning(kind):
    alone = opened(drawn(kind))
    prompt, target = (5, 9, 7), (8, 4, 6, 11)
    steps = decode(alone, (), Forced(target), prompt=prompt)
    assert chosen(steps) == list(target)
    for at, step in enumerate(steps):
        assert step.prefix == (*prompt, *target[:at])
        with torch.no_grad():
            logits_V = alone(None, torch.tensor([step.prefix]))[0, -1]
        torch.testing.assert_close(step.probabilities, logits_V.softmax(0), atol=1e-5, rtol=0)
        rows = list(step.attention.values())
        assert all(row_HK.shape[1] == len(step.prefix) for row_HK in rows)


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_its_own_words_forced_after_a_prompt_give_its_own_steps(kind):
    alone, prompt = opened(drawn(kind)), (5, 9, 7)
    free = decode(alone, (), Greedy(), prompt=prompt)
    forced = decode(alone, (), Forced(tuple(chosen(free))), prompt=prompt)
    for one, other in zip(free, forced, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.probabilities, other.probabilities, atol=1e-5, rtol=0)
        for site, row_HK in one.attention.items():
            torch.testing.assert_close(row_HK, other.attention[site], atol=1e-5, rtol=0)


def test_steps_of_a_beam_are_those_of_its_best_hypothesis(model, source, source_S):
    *_, final = beam_steps(model, source_S, Beam(3))
    assert tuple(chosen(decode(model, source, Beam(3)))) == final.best.tokens


@pytest.mark.parametrize("method", [Greedy(), Sampling(seed=2), Beam(3)])
def test_an_override_is_followed_and_nothing_before_it_changes(model, source, method):
    plain = chosen(decode(model, source, method))
    other = chosen(decode(model, source, method, {1: 17}))
    assert other[:2] == [plain[0], 17]


@pytest.mark.parametrize("method", [Greedy(), Beam(3)])
def test_eos_as_an_override_ends_the_decoding(model, source, method):
    assert chosen(decode(model, source, method, {1: EOS}))[1:] == [EOS]


@pytest.mark.parametrize("method", [Greedy(), Sampling(seed=2), Beam(3)])
def test_a_model_with_one_position_decodes_in_no_steps(method):
    narrow = build(ModelConfig(30, 1, 1, 16, 32, 4, max_positions=1), seed=0).eval()
    assert decode(narrow, (EOS,), method) == []


@pytest.mark.parametrize("method", [Greedy(), Beam(3)])
def test_the_last_step_before_the_limit_can_be_overridden(model, source, method):
    with torch.no_grad():
        model.output = torch.nn.Linear(16, 30)
        model.output.bias[7] = 100.0
        model.output.bias[EOS] = -100.0
    last = length_limit(model, len(source)) - 1
    assert chosen(decode(model, source, method, {last: 9})) == [*[7] * last, 9]


def test_a_beam_with_a_prefix_scores_the_whole(model, source_S):
    whole = next(beam_steps(model, source_S, Beam(1))).best
    *_, plain = beam_steps(model, source_S, Beam(1))
    *_, begun = beam_steps(model, source_S, Beam(1), prefix=whole.tokens)
    assert begun.best.tokens == plain.best.tokens
    assert begun.best.score == pytest.approx(plain.best.score, abs=1e-5)


def test_tree_has_every_prefix_once_behind_the_one_it_continues(model, source_S):
    steps = list(beam_steps(model, source_S, Beam(3)))
    nodes = beam_tree(steps)
    tokens = [node.hypothesis.tokens for node in nodes]
    assert len(set(tokens)) == len(tokens)
    for index, node in enumerate(nodes):
        assert node.step == len(node.hypothesis.tokens) - 1
        if node.parent is None:
            assert node.step == 0
        else:
            assert node.parent < index
            assert nodes[node.parent].hypothesis.tokens == node.hypothesis.tokens[:-1]
            assert nodes[node.parent].kept
    kept = {each.tokens for step in steps for each in (*step.live, *step.finished)}
    assert kept == {node.hypothesis.tokens for node in nodes if node.kept}
