import pytest

from core.tasks import TASKS
from core.training.estimate import costs, lengths_of
from core.training.presets import PRESETS
from core.training.settings import with_settings


def test_lengths_are_the_means_of_samples():
    found = lengths_of(TASKS["copy"], 320)
    # 4 to 16 letters, and each of them is a token.
    assert found.source == found.target == pytest.approx(10, abs=0.6)
    assert found.vocab_size < 320


def test_scheduled_sampling_costs_a_third_more():
    lengths = lengths_of(TASKS["copy"], 320)
    plain, sampled = (
        costs(with_settings(PRESETS["tiny"], {"scheduled_sampling": share}), lengths).seconds
        for share in (0.0, 0.5)
    )
    assert sampled == pytest.approx(4 / 3 * plain)
