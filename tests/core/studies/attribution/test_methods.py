import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from core.decoding.sentence import translate
from core.studies.attribution.methods import Method, attribute, said_at
from tests.core.studies.attribution.conftest import MODELS, SOURCE, TARGET, log_probability, made

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def pronoun(guided):
    """What is said of "il" in the translation of TIRED, with the source's tokens."""
    translation = translate(guided, TIRED)
    texts = [token.text for token in guided.tokenizer.describe(translation.target_ids)]
    said = said_at(translation.source_ids, translation.target_ids, texts.index("il"))
    sources = [token.text for token in guided.tokenizer.describe(translation.source_ids)]
    return attribute(guided.model, said), sources


def test_a_word_is_asked_about_after_what_comes_before_it():
    said = said_at(SOURCE, TARGET, 2)
    assert (said.source_ids, said.fed_ids, said.token) == (SOURCE, (1, 11, 6), 13)
    assert said_at(SOURCE, TARGET, 0).fed_ids == (1,)


@pytest.mark.parametrize("step", [-1, 5])
def test_a_step_that_writes_nothing_is_refused(step):
    with pytest.raises(IndexError, match="none of the 5"):
        said_at(SOURCE, TARGET, step)


def test_a_token_left_out_is_out_of_sight_while_others_keep_their_places(model):
    said = said_at(SOURCE, TARGET, 3)
    whole = log_probability(model, SOURCE, said)
    found = attribute(model, said)
    assert found.log_probability == pytest.approx(whole, abs=1e-5)
    for token in range(len(SOURCE)):
        without = [0 if at == token else each for at, each in enumerate(SOURCE)]
        drop = whole - log_probability(model, without, said)
        assert found.scores[Method.LEAVE_ONE_OUT][token] == pytest.approx(drop, abs=1e-5)


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
    attribute(model, said_at(SOURCE, TARGET, 3))
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


def test_between_words_scores_are_added_but_a_word_is_left_out_as_a_whole(model):
    said, words = said_at(SOURCE, TARGET, 3), (0, 1, 1, 1, 2, 3)
    tokens, found = attribute(model, said), attribute(model, said, words)
    assert list(found.scores) == list(Method)
    for method in set(Method) - {Method.LEAVE_ONE_OUT}:
        one, *rest = tokens.scores[method].tolist()
        expected = [one, sum(rest[:3]), *rest[3:]]
        assert found.scores[method] == pytest.approx(expected, abs=1e-9)
    without = [0 if 1 <= at <= 3 else each for at, each in enumerate(SOURCE)]
    drop = log_probability(model, SOURCE, said) - log_probability(model, without, said)
    assert found.scores[Method.LEAVE_ONE_OUT][1] == pytest.approx(drop, abs=1e-5)
    assert found.integrated.gap == tokens.integrated.gap


def test_the_largest_part_is_found_whatever_its_sign():
    found = attribute(made(), said_at(SOURCE, TARGET, 1))
    for method, scores_S in found.scores.items():
        assert abs(scores_S[found.largest_part(method)]) == np.abs(scores_S).max()
