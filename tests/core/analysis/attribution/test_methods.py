import copy
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from core.analysis.attribution import methods
from core.analysis.attribution import trust as trust_module
from core.analysis.attribution.gradients import (
    gradient_times_input,
    log_probability_of_vectors,
    token_vectors,
)
from core.analysis.attribution.integrated import integrated_gradients
from core.analysis.attribution.methods import Method, attribute, said_at
from core.analysis.attribution.trust import Trust, most_trusted, trust_steps, words_of
from core.batch import pad
from core.config import ModelConfig
from core.decoding.sentence import translate
from core.model import build
from core.runs.run import load_run
from core.vocabulary import EOS

GALLERY = Path(__file__).parents[4] / "gallery"
TIRED = "The animal didn't cross the street because it was too tired."
SOURCE, TARGET = (5, 9, 6, 7, 8, EOS), (11, 6, 13, 10, EOS)


def made(seed=0, norm="pre", **sizes):
    """A model that was never trained, with weights loud enough that words are far from equal."""
    sizes = dict(n_encoder_layers=2, n_decoder_layers=2, d_model=8, d_ff=16, n_heads=2) | sizes
    model = build(ModelConfig(vocab_size=20, norm=norm, **sizes), seed).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter *= 2
    return model


MODELS = [made(0), made(1, "post"), made(2, positions="learned", max_positions=8), made(3, d_v=3)]


@pytest.fixture(scope="module", params=range(len(MODELS)))
def model(request):
    return MODELS[request.param]


@pytest.fixture(scope="module")
def guided():
    return load_run(GALLERY / "translate-guided")


@pytest.fixture(scope="module")
def pronoun(guided):
    """What is said of "il" in the translation of TIRED, with the source's tokens."""
    translation = translate(guided, TIRED)
    texts = [token.text for token in guided.tokenizer.describe(translation.target_ids)]
    said = said_at(translation.source_ids, translation.target_ids, texts.index("il"))
    sources = [token.text for token in guided.tokenizer.describe(translation.source_ids)]
    return attribute(guided.model, said), sources


def log_probability(model, source, said):
    """In float64, over the words that can be said: neither PAD nor BOS."""
    logits = model(pad([source]), pad([said.fed_ids]))[0, -1].detach().double().numpy()[2:]
    return logits[said.token - 2] - math.log(np.exp(logits).sum())


# ---- what is asked about


def test_a_word_is_asked_about_after_what_comes_before_it():
    said = said_at(SOURCE, TARGET, 2)
    assert (said.source_ids, said.fed_ids, said.token) == (SOURCE, (1, 11, 6), 13)
    assert said_at(SOURCE, TARGET, 0).fed_ids == (1,)


@pytest.mark.parametrize("step", [-1, 5])
def test_a_step_that_writes_nothing_is_refused(step):
    with pytest.raises(IndexError, match="none of the 5"):
        said_at(SOURCE, TARGET, step)


# ---- leaving one out


def test_a_token_left_out_is_out_of_sight_while_others_keep_their_places(model):
    said = said_at(SOURCE, TARGET, 3)
    whole = log_probability(model, SOURCE, said)
    found = attribute(model, said)
    assert found.log_probability == pytest.approx(whole, abs=1e-5)
    for token in range(len(SOURCE)):
        without = [0 if at == token else each for at, each in enumerate(SOURCE)]
        drop = whole - log_probability(model, without, said)
        assert found.scores[Method.LEAVE_ONE_OUT][token] == pytest.approx(drop, abs=1e-5)


# ---- gradients


def test_vectors_of_the_tokens_themselves_change_nothing(model):
    said = said_at(SOURCE, TARGET, 2)
    vectors = token_vectors(model, said)
    found = log_probability_of_vectors(model, said)(vectors.repeat(3, 1, 1))
    assert found.tolist() == pytest.approx([log_probability(model, SOURCE, said)] * 3, abs=1e-5)


def test_gradient_is_that_of_finite_differences(model):
    said = said_at(SOURCE, TARGET, 2)
    exact = copy.deepcopy(model).double()
    of_vectors, vectors = log_probability_of_vectors(exact, said), token_vectors(exact, said)
    for token, score in enumerate(gradient_times_input(model, said)):
        step = torch.zeros_like(vectors)
        step[0, token] = 1e-5 * vectors[0, token]
        with torch.no_grad():
            slope = float(of_vectors(vectors + step) - of_vectors(vectors - step)) / 2e-5
        assert score == pytest.approx(slope, abs=1e-4, rel=1e-3)


@pytest.mark.parametrize("step", [0, 3])
def test_integrated_gradients_sum_to_the_difference_within_a_hundredth(model, step):
    said = said_at(SOURCE, TARGET, step)
    found = integrated_gradients(model, said)
    of_vectors, vectors = log_probability_of_vectors(model, said), token_vectors(model, said)
    with torch.no_grad():
        difference = float(of_vectors(vectors) - of_vectors(torch.zeros_like(vectors)))
    assert found.difference == pytest.approx(difference, abs=1e-5)
    missed = abs(found.scores_S.sum() - difference)
    assert missed <= 0.01 * max(abs(difference), 0.1)
    assert found.gap == pytest.approx(missed / max(abs(difference), 0.1), abs=1e-4)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3]], ids=["0", "3"])
def test_integrated_gradients_are_those_of_many_even_steps(model):
    said = said_at(SOURCE, TARGET, 2)
    exact = copy.deepcopy(model).double()
    of_vectors, vectors = log_probability_of_vectors(exact, said), token_vectors(exact, said)
    ways = ((torch.arange(2000).double() + 0.5) / 2000)[:, None, None] * vectors
    ways.requires_grad_()
    [gradients] = torch.autograd.grad(of_vectors(ways).sum(), ways)
    expected = (gradients.mean(dim=0) * vectors[0]).sum(dim=-1).numpy()
    found = integrated_gradients(model, said)
    assert found.scores_S == pytest.approx(expected, abs=0.02 * np.abs(expected).max())


# ---- all of them


def test_every_method_gives_every_source_token_a_number(model):
    found = attribute(model, said_at(SOURCE, TARGET, 4))
    assert list(found.scores) == list(Method)
    for scores in found.scores.values():
        assert scores.shape == (len(SOURCE),)
        assert np.isfinite(scores).all()
    for method in (Method.ATTENTION, Method.ROLLOUT):
        assert found.scores[method].sum() == pytest.approx(1, abs=1e-5)


def test_agreement_is_the_rank_correlation_of_magnitudes_with_leaving_one_out(model):
    found = attribute(model, said_at(SOURCE, TARGET, 1))
    wanted = np.abs(found.scores[Method.LEAVE_ONE_OUT])
    assert set(found.agreement) == set(Method) - {Method.LEAVE_ONE_OUT}
    for method, correlation in found.agreement.items():
        expected = spearmanr(np.abs(found.scores[method]), wanted).statistic
        assert correlation == pytest.approx(expected)


def test_asking_changes_neither_the_model_nor_the_random_state(model):
    before = {name: each.clone() for name, each in model.named_parameters()}
    state = torch.get_rng_state()
    attribute(model, said_at(SOURCE, TARGET, 2))
    assert torch.equal(torch.get_rng_state(), state)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name])
        assert parameter.grad is None


def test_asking_works_where_gradients_are_switched_off():
    said = said_at(SOURCE, TARGET, 2)
    with torch.no_grad():
        found = attribute(MODELS[0], said)
    assert found.scores[Method.GRADIENT].any()


def test_what_makes_il_of_it_are_the_pronoun_its_antecedent_and_what_tells_it(pronoun):
    found, sources = pronoun
    scores = dict(zip(sources, found.scores[Method.LEAVE_ONE_OUT], strict=True))
    assert set(sorted(scores, key=scores.get)[-3:]) == {"animal", "it", "tired"}
    assert scores["street"] < 0.1 < 1 < scores["animal"]
    assert max(zip(found.scores[Method.INTEGRATED], sources, strict=True))[1] == "it"
    assert found.integrated.gap <= 0.01


# ---- over many sentences


def test_trust_gathers_one_word_of_each_held_out_sentence(copy_run):
    progress = list(trust_steps(copy_run, n=4, seed=2))
    assert [(each.done, each.n) for each in progress] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    last = progress[-1].trust
    assert set(last) == set(Method) - {Method.LEAVE_ONE_OUT}
    for method, found in last.items():
        assert found.n + found.undefined == 4
        assert all(-1 <= each <= 1 for each in found.correlations)
        first = progress[0].trust[method].correlations
        assert found.correlations[: len(first)] == first
    *_, again = trust_steps(copy_run, n=4, seed=2)
    assert again.trust == last


def test_trust_says_how_far_it_spreads():
    trust = Trust((0.0, 0.25, 0.5, 0.75, 1.0), undefined=2)
    assert (trust.n, trust.mean, trust.quartiles) == (5, 0.5, (0.25, 0.5, 0.75))
    assert trust.deviation == pytest.approx(math.sqrt(2 * (0.25 + 0.0625) / 4))


def test_without_any_correlation_there_is_nothing_to_say():
    nothing = Trust((), undefined=3)
    assert (nothing.n, nothing.mean, nothing.deviation, nothing.quartiles) == (0, 0, 0, (0, 0, 0))
    assert Trust((0.5,), 0).deviation == 0


def test_flow_is_not_asked_of_a_source_that_is_too_long(copy_run, monkeypatch):
    said = said_at((5, 6, 7, 2), (5, 6, 7), 1)
    monkeypatch.setattr(methods, "MOST_TOKENS", 4)
    assert set(attribute(copy_run.model, said).scores) == set(Method)
    monkeypatch.setattr(methods, "MOST_TOKENS", 3)
    found = attribute(copy_run.model, said)
    assert set(found.scores) == set(Method) - {Method.FLOW}
    assert set(found.agreement) == set(found.scores) - {Method.LEAVE_ONE_OUT}


# ---- between words


def test_between_words_scores_are_added_but_a_word_is_left_out_as_a_whole(model):
    said, words = said_at(SOURCE, TARGET, 3), (0, 1, 1, 1, 2, 3)
    tokens, found = attribute(model, said), attribute(model, said, words)
    assert list(found.scores) == list(Method)
    for method in set(Method) - {Method.LEAVE_ONE_OUT, Method.FLOW}:
        one, *rest = tokens.scores[method].tolist()
        expected = [one, sum(rest[:3]), *rest[3:]]
        assert found.scores[method] == pytest.approx(expected, abs=1e-9)
    without = [0 if 1 <= at <= 3 else each for at, each in enumerate(SOURCE)]
    drop = log_probability(model, SOURCE, said) - log_probability(model, without, said)
    assert found.scores[Method.LEAVE_ONE_OUT][1] == pytest.approx(drop, abs=1e-5)
    one, *rest = tokens.scores[Method.FLOW].tolist()
    flow = found.scores[Method.FLOW].tolist()
    assert [flow[0], *flow[2:]] == pytest.approx([one, *rest[3:]], abs=1e-7)
    assert max(rest[:3]) - 1e-7 <= flow[1] <= min(1, sum(rest[:3])) + 1e-7
    assert found.integrated.gap == tokens.integrated.gap


def test_trust_can_be_between_words(copy_run, monkeypatch):
    monkeypatch.setattr(trust_module, "words_of", lambda _run, ids: [0] * len(ids))
    *_, last = trust_steps(copy_run, n=2, whole_words=True)
    # A single word has no order.
    assert {(each.n, each.undefined) for each in last.trust.values()} == {(0, 2)}


def test_a_token_belongs_to_the_word_that_it_is_shown_in(guided):
    ids = guided.tokenizer.encode("The zorbik").ids
    assert len(ids) > 2
    assert words_of(guided, (*ids, EOS)) == (0, *[1] * (len(ids) - 1), 2)


def test_the_largest_part_is_found_whatever_its_sign():
    found = attribute(made(), said_at(SOURCE, TARGET, 1))
    for method, scores_S in found.scores.items():
        assert abs(scores_S[found.largest_part(method)]) == np.abs(scores_S).max()


def test_the_method_is_trusted_most_whose_mean_correlation_is_largest():
    trust = {Method.FLOW: Trust((0.1, 0.9), 0), Method.ATTENTION: Trust((0.6,), 4)}
    assert most_trusted(trust) is Method.ATTENTION
