import math

import pytest

from core.studies.attribution.methods import Method
from core.studies.attribution.trust import Trust, held_out_trust


def test_trust_says_how_far_it_spreads():
    trust = Trust((0.0, 0.25, 0.5, 0.75, 1.0), undefined=2)
    assert (trust.n, trust.mean, trust.quartiles) == (5, 0.5, (0.25, 0.5, 0.75))
    assert trust.deviation == pytest.approx(math.sqrt(2 * (0.25 + 0.0625) / 4))


@pytest.mark.parametrize("whole_words", [False, True])
def test_trust_gathers_one_word_of_each_held_out_sentence(copy_run, whole_words):
    found = held_out_trust(copy_run, n=4, seed=2, whole_words=whole_words)
    assert set(found) == set(Method) - {Method.LEAVE_ONE_OUT}
    for each in found.values():
        assert each.n + each.undefined == 4
        assert all(-1 <= correlation <= 1 for correlation in each.correlations)
