import pytest

from core.config.training import TrainConfig
from core.training.schedule import learning_rate

PAPER = TrainConfig(steps=100_000)


@pytest.mark.parametrize("step", [1, 4000, 100_000])
@pytest.mark.parametrize("d_model", [64, 512])
def test_rate_is_the_papers_formula(step, d_model):
    expected = d_model**-0.5 * min(step**-0.5, step * 4000**-1.5)
    assert learning_rate(step, d_model, PAPER) == pytest.approx(expected, rel=1e-12)


def test_rate_of_the_papers_base_model_peaks_at_seven_ten_thousandths():
    # 512^-0.5 · 4000^-0.5 = 1 / sqrt(2048000) = 0.000698771…
    assert learning_rate(4000, 512, PAPER) == pytest.approx(6.98771243e-4)


def test_rate_is_highest_at_the_end_of_the_warmup():
    config = TrainConfig(steps=500, warmup=60)
    rates = [learning_rate(step, 64, config) for step in range(1, 501)]
    assert rates.index(max(rates)) + 1 == 60
    assert rates[:60] == sorted(rates[:60])
    assert rates[59:] == sorted(rates[59:], reverse=True)


def test_factor_multiplies_the_rate():
    config = TrainConfig(learning_rate_factor=1.5)
    assert learning_rate(7, 64, config) == pytest.approx(1.5 * learning_rate(7, 64, PAPER))


def test_cooldown_falls_evenly_to_nearly_nothing_in_the_last_steps():
    flat, cooled = TrainConfig(steps=200, warmup=20), TrainConfig(steps=200, warmup=20, cooldown=50)
    shares = [learning_rate(s, 64, cooled) / learning_rate(s, 64, flat) for s in range(1, 201)]
    assert shares[:151] == [1] * 151
    # Of 50 steps, so many are left: 49 at step 152, 1 at the last.
    assert shares[151:] == pytest.approx([left / 50 for left in range(49, 0, -1)])
    assert learning_rate(200, 64, cooled) < 0.01 * learning_rate(20, 64, cooled)


def test_cooldown_longer_than_the_training_is_still_above_zero():
    config = TrainConfig(steps=10, warmup=5, cooldown=40)
    assert learning_rate(1, 64, config) == pytest.approx(
        0.25 * learning_rate(1, 64, TrainConfig(steps=10, warmup=5))
    )
    assert learning_rate(10, 64, config) > 0
