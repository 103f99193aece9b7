from core.model import count_parameters
from core.training.presets import PRESETS
from core.training.schedule import learning_rate
from pages.views.training import costs

TINY = PRESETS["tiny"]


def test_the_charts_show_the_learning_rate_and_the_parameters():
    rates, parameters = (each.to_dict() for each in costs.charts(TINY.model, TINY.training))
    [drawn] = rates["datasets"].values()
    peak = max(drawn, key=lambda row: row["y"])
    assert peak["y"] == learning_rate(TINY.training.warmup, TINY.model.d_model, TINY.training)
    values = [
        value
        for rows in parameters["datasets"].values()
        for row in rows
        for value in row.values()
        if type(value) is int
    ]
    assert sum(values) >= count_parameters(TINY.model)
