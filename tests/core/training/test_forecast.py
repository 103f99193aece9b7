from core.model import count_parameters
from core.training.forecast import (
    POINTS,
    forecast,
    learning_rates,
    share_of_base,
)
from core.training.loop import learning_rate
from core.training.presets import PRESETS

TINY = PRESETS["tiny"]


def test_learning_rates_go_from_the_first_step_to_the_last_and_name_the_peak():
    found = learning_rates(TINY.model, TINY.training)
    assert (min(found), max(found)) == (1, TINY.training.steps)
    assert max(found, key=found.get) == TINY.training.warmup
    assert len(found) <= POINTS + 1
    assert found[1] == learning_rate(1, TINY.model.d_model, TINY.training)


def test_a_forecast_holds_every_number_once():
    columns = forecast(TINY, 300).table()
    model = TINY.sized(300)
    rows = list(zip(*columns.values(), strict=True))
    assert list(columns) == ["what", "name", "value"]
    assert ("setting", "d_model", 64) in rows
    assert ("setting", "vocab_size", 300) in rows
    assert ("size", "parameters", count_parameters(model)) in rows
    assert ("size", "share of the base model", share_of_base(model)) in rows
    assert len({row[:2] for row in rows}) == len(rows)
