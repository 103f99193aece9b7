from core.model import build, count_parameters
from core.training.loop import learning_rate
from core.training.presets import PRESETS
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


def test_the_line_names_size_largest_part_and_steps():
    preset = PRESETS["tiny"]
    model, training = preset.model, preset.training
    n = sum(each.numel() for each in build(model).parameters())
    seen = costs.seen(model, training)
    assert f"A model of **{n:,}** parameters, most of them (" in seen
    assert f"for **{training.steps:,}** steps of {training.batch_size} pairs" in seen
