from html import unescape

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


def test_it_is_said_where_a_training_differs_from_the_papers():
    said = costs.unlike_paper(TINY)
    assert "**Norm** pre (the paper: post)" in said
    assert "**Dropout** 0 (the paper: 0.1)" in unescape(said)
    assert "**Label smoothing** 0 (the paper: 0.1)" in unescape(said)
    assert f"**Cooldown steps** {TINY.training.cooldown} (the paper: 0)" in said
    assert "layers" not in said
    assert "d_k" not in said
