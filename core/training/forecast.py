"""What a training will be like, in numbers, before it has begun."""

from typing import Any

import numpy as np

from core.config import ModelConfig, TrainConfig
from core.model.description import describe
from core.training.estimate import Costs
from core.training.presets import Preset
from core.training.schedule import learning_rate

POINTS = 200
"""At so many steps, evenly spread, the learning rate is told; and at its peak."""


def learning_rates(model: ModelConfig, training: TrainConfig) -> dict[int, float]:
    """Return steps, from the first to the last, and the learning rate of each."""
    spread = np.linspace(1, training.steps, min(POINTS, training.steps))
    # The peak itself is never left out.
    peak = [training.warmup] if training.warmup <= training.steps else []
    steps = sorted({*spread.round().astype(int).tolist(), *peak})
    return {step: learning_rate(step, model.d_model, training) for step in steps}


def parameters_of(model: ModelConfig) -> dict[str, int]:
    """Return how many parameters each group of parts has."""
    # Parameters do not depend on the lengths.
    return describe(model, 1, 1).by_group()


def forecast(preset: Preset, costs: Costs) -> dict[str, list[Any]]:
    """Return settings, costs, learning rates and parameters, one number in each row.

    Args:
        preset: How it will be trained.
        costs: Of this preset.

    Returns:
        what: "setting", "cost", "learning rate" or "parameters"; the number's name; and the value.
        Of a learning rate the name is the step.
    """
    settings = costs.model.to_dict() | preset.training.to_dict()
    found: dict[str, dict[Any, Any]] = {
        "setting": {name: value for name, value in settings.items() if name != "adam_betas"},
        "cost": {
            "parameters": costs.n_parameters,
            "share of the base model": costs.share_of_base,
            "seconds of all steps": costs.seconds,
        },
        "learning rate": learning_rates(costs.model, preset.training),
        "parameters": parameters_of(costs.model),
    }
    rows = [(what, name, value) for what, each in found.items() for name, value in each.items()]
    return {
        column: [row[place] for row in rows]
        for place, column in enumerate(("what", "name", "value"))
    }
