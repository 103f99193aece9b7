import numpy as np
import pytest
from scipy.stats import spearmanr

from core.decoding.sentence import translate
from core.studies.attribution.methods import Method, attribute, prediction_at
from tests.core.studies.attribution.conftest import SOURCE, TARGET, log_probability

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def pronoun(guided):
    """What the methods find for "il" in the translation of TIRED, with the source's tokens."""
    translation = translate(guided, TIRED)
    texts = [token.text for token in guided.tokenizer.describe(translation.target_ids)]
    target = prediction_at(translation.source_ids, translation.target_ids, texts.index("il"))
    sources = [token.text for token in guided.tokenizer.describe(translation.source_ids)]
    return attribute(guided.model, target), sources


def test_agreement_is_the_rank_correlation_of_magnitudes_with_leaving_one_out(model):
    found = attribute(model, prediction_at(SOURCE, TARGET, 1))
    wanted = np.abs(found.scores[Method.LEAVE_ONE_OUT])
    assert set(found.agreement) == set(Method) - {Method.LEAVE_ONE_OUT}
    for method, correlation in found.agreement.items():
        expected = spearmanr(np.abs(found.scores[method]), wanted).statistic
        assert correlation == pytest.approx(expected)


def test_what_makes_il_of_it_are_the_pronoun_its_antecedent_and_what_tells_it(pronoun):
    found, sources = pronoun
    scores = dict(zip(sources, found.scores[Method.LEAVE_ONE_OUT], strict=True))
    assert set(sorted(scores, key=scores.get)[-3:]) == {"animal", "it", "tired"}
    assert scores["street"] < 0.1 < 1 < scores["animal"]
    assert max(zip(found.scores[Method.INTEGRATED], sources, strict=True))[1] == "it"


def test_between_words_scores_are_added_but_a_word_is_left_out_as_a_whole(model):
    target, words = prediction_at(SOURCE, TARGET, 3), (0, 1, 1, 1, 2, 3)
    tokens, found = attribute(model, target), attribute(model, target, words)
    assert list(found.scores) == list(Method)
    for method in set(Method) - {Method.LEAVE_ONE_OUT}:
        one, *rest = tokens.scores[method].tolist()
        expected = [one, sum(rest[:3]), *rest[3:]]
        assert found.scores[method] == pytest.approx(expected, abs=1e-9)
    without = [0 if 1 <= at <= 3 else each for at, each in enumerate(SOURCE)]
    drop = log_probability(model, SOURCE, target) - log_probability(model, without, target)
    assert found.scores[Method.LEAVE_ONE_OUT][1] == pytest.approx(drop, abs=1e-5)
