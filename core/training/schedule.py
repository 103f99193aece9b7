"""The learning rate over the steps."""

from core.config.training import TrainConfig


def learning_rate(step: int, d_model: int, config: TrainConfig) -> float:
    """Return the learning rate of a step, the first being 1.

    factor · d_model^−0.5 · min(step^−0.5, step · warmup^−1.5): it rises evenly for `warmup` steps
    and then falls with the square root of the step (Vaswani et al. 2017, eq. 3). In the last
    `cooldown` steps it is also multiplied by what is left of them.

    >>> config = TrainConfig(steps=1000, warmup=100)
    >>> [learning_rate(step, 64, config) for step in (50, 100, 400)]
    [0.00625, 0.0125, 0.00625]
    """
    paper = (
        config.learning_rate_factor * d_model**-0.5 * min(step**-0.5, step * config.warmup**-1.5)
    )
    left = (config.steps + 1 - step) / max(config.cooldown, 1)
    return float(paper * min(1.0, left) if config.cooldown else paper)
