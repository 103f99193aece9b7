import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import ModelConfig
from core.decoding.forced import forced_steps
from core.decoding.step import decode_steps, sayable
from core.model import Silence, build
from core.vocabulary import BOS, EOS


@given(st.lists(st.integers(3, 29), min_size=1, max_size=8), st.integers(0, 3), st.data())
@settings(max_examples=30, deadline=None)
def test_forced_and_free_agree_up_to_the_first_token_that_differs(words, seed, data):
    model = build(ModelConfig(30, 1, 2, 16, 32, 4, max_positions=24), seed=seed).eval()
    source_S = torch.tensor([*words, EOS])
    free = list(decode_steps(model, source_S))
    own = [one.chosen for one in free if one.chosen != EOS]
    cut = data.draw(st.integers(0, len(own)))
    target = [*own[:cut], *data.draw(st.lists(st.integers(3, 29), max_size=4))][:20]
    forced = list(forced_steps(model, source_S, target))
    same = next(
        (i for i, (a, b) in enumerate(zip(own, target, strict=False)) if a != b),
        min(len(own), len(target)),
    )
    for one, other in zip(free[: same + 1], forced[: same + 1], strict=False):
        assert one.prefix == other.prefix
        assert (one.logits_V[2:] - other.logits_V[2:]).abs().max() < 1e-5
        for site, rows_HK in one.attention.items():
            assert (rows_HK - other.attention[site]).abs().max() < 1e-5


def test_forced_steps_append_the_true_tokens_and_eos(model, source_S):
    forced = list(forced_steps(model, source_S, [7, 8]))
    assert [one.prefix for one in forced] == [(BOS,), (BOS, 7), (BOS, 7, 8)]
    assert [one.chosen for one in forced] == [7, 8, EOS]


def test_without_watching_the_steps_are_the_same_and_no_map_is_kept(model, source_S):
    watched = list(forced_steps(model, source_S, [7, 8]))
    unwatched = list(forced_steps(model, source_S, [7, 8], watch=False))
    for one, other in zip(watched, unwatched, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        torch.testing.assert_close(one.probabilities, other.probabilities)
        assert one.attention and not other.attention


def test_after_a_prompt_come_the_steps_of_the_target_alone(model, source_S):
    every = list(forced_steps(model, source_S, [7, 8, 3]))
    after = list(forced_steps(model, source_S, [8, 3], prompt=[BOS, 7]))
    assert [(one.prefix, one.chosen) for one in after] == [
        *(((BOS, 7), 8), ((BOS, 7, 8), 3), ((BOS, 7, 8, 3), EOS))
    ]
    for one, other in zip(after, every[1:], strict=True):
        assert torch.equal(one.logits_V, other.logits_V)


def test_forcing_an_empty_target_asks_for_eos_at_once(model, source_S):
    [only] = forced_steps(model, source_S, [])
    assert (only.prefix, only.chosen) == ((BOS,), EOS)


def test_every_step_is_what_the_model_computes_after_the_prefix_alone(model, source_S):
    for each in forced_steps(model, source_S, [7, 8, 3, 8]):
        with torch.inference_mode():
            alone_V = sayable(
                model(source_S[None], torch.tensor([each.prefix]))[0, -1], model.config
            )
        torch.testing.assert_close(each.logits_V, alone_V, rtol=1e-4, atol=1e-5)
        for site, weights_HK in each.attention.items():
            assert weights_HK.shape[1] == (
                len(each.prefix) if site.attention.is_self else len(source_S)
            )


def test_a_probe_sees_and_changes_the_one_pass(model, source_S):
    heads = [head for site in model.sites() if not site.in_encoder for head in site.heads(1)]
    plain = list(forced_steps(model, source_S, [7, 8]))
    changed = list(forced_steps(model, source_S, [7, 8], Silence(frozenset(heads))))
    for one, other in zip(plain, changed, strict=True):
        assert (one.prefix, one.chosen) == (other.prefix, other.chosen)
        assert not torch.allclose(one.logits_V, other.logits_V)
