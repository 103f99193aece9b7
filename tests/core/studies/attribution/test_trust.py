import math

import pytest

from core.studies.attribution import trust as trust_module
from core.studies.attribution.methods import Method
from core.studies.attribution.trust import Trust, most_trusted, trust_steps, words_of
from core.vocabulary import EOS


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


def test_trust_can_be_between_words(copy_run, monkeypatch):
    monkeypatch.setattr(trust_module, "words_of", lambda _run, ids: [0] * len(ids))
    *_, last = trust_steps(copy_run, n=2, whole_words=True)
    # A single word has no order.
    assert {(each.n, each.undefined) for each in last.trust.values()} == {(0, 2)}


def test_without_any_correlation_there_is_nothing_to_say():
    nothing = Trust((), undefined=3)
    assert (nothing.n, nothing.mean, nothing.deviation, nothing.quartiles) == (0, 0, 0, (0, 0, 0))
    assert Trust((0.5,), 0).deviation == 0


def test_a_token_belongs_to_the_word_that_it_is_shown_in(guided):
    ids = guided.tokenizer.encode("The zorbik").ids
    assert len(ids) > 2
    assert words_of(guided, (*ids, EOS)) == (0, *[1] * (len(ids) - 1), 2)


def test_the_method_is_trusted_most_whose_mean_correlation_is_largest():
    trust = {Method.ROLLOUT: Trust((0.1, 0.9), 0), Method.ATTENTION: Trust((0.6,), 4)}
    assert most_trusted(trust) is Method.ATTENTION
