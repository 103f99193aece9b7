import base64
import json
import math
import re

import numpy as np
import pytest

from pages.frame.language import number
from tests.core.studies.lessons.test_positions import formula
from tests.pages.conftest import said
from tests.pages.views.lessons.conftest import charts, panels, set_number


@pytest.fixture
def open_positions(open_lesson):
    return lambda shown="waves", **query: open_lesson("positions", positions_shown=shown, **query)


def table(n_positions, d_model, base=10_000.0):
    return np.stack([formula(position, d_model, base) for position in range(n_positions)])


def complaint(at):
    [error] = at.error
    text = error.value
    for code, sign in {f"&#{ord(sign)};": sign for sign in "()_.,=:|-+;"}.items():
        text = text.replace(code, sign)
    return text


@pytest.mark.parametrize("shown", ["waves", "table", "dots", "shift"])
def test_a_table_that_cannot_be_is_refused_and_nothing_is_lost(open_positions, shown):
    at, _shown = open_positions(shown, pe_base="100")
    for width, reason in ((7, "sinusoids come in pairs"), (0, "the smallest width is 2")):
        assert reason in complaint(set_number(at, "pe_d_model", width))
        assert at.number_input(key="pe_d_model").value == width
    set_number(at, "pe_d_model", 8)
    assert at.selectbox(key="pe_base").value == 100
    assert f"length is {number(513)}" in complaint(set_number(at, "pe_length", 513))


def test_the_width_follows_the_model_and_the_length_stays(open_positions):
    at, _shown = open_positions("table", model="translate")
    assert at.number_input(key="pe_d_model").value == 128
    set_number(at, "pe_length", 33)
    at.selectbox(key="model").set_value("copy").run()
    assert at.number_input(key="pe_d_model").value == 64
    at.segmented_control(key="positions_shown").set_value("dots").run()
    assert panels(at)[0].values.shape == (33, 33)


def test_waves_are_the_formula_with_their_wavelengths(open_positions):
    at, shown = open_positions(model="translate")
    [found] = charts(at)
    # λ = 2π 10000^(d / 128)
    names = {0: "6.28", 10: "12.9", 20: "26.5", 30: "54.4"}
    assert list(found) == [f"dimension {d}, λ {length}" for d, length in names.items()]
    for values, dimension in zip(found.values(), names, strict=True):
        assert values == pytest.approx(table(50, 128)[:, dimension].tolist(), abs=1e-12)
    assert "every **6.28** positions, dimension 30 every **54.4**: 8.66 times" in shown.seen
    # Sine and cosine of one pair are as slow as each other.
    at, shown = open_positions(pe_d_model="2", pe_every="1", pe_length="5", pe_base="10")
    assert "times as long" not in shown.seen
    values = list(charts(at)[0].values())
    assert values == [pytest.approx(column.tolist()) for column in table(5, 2, 10).T]


def test_the_table_is_whole_and_the_closest_rows_are_named(open_positions):
    at, shown = open_positions("table", pe_d_model="8", pe_length="20")
    sines, cosines = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    rows = table(20, 8)
    for surface, columns in ((sines, rows[:, ::2]), (cosines, rows[:, 1::2])):
        heights = np.frombuffer(base64.b64decode(surface["z"]["bdata"]), surface["z"]["dtype"])
        assert np.abs(heights.reshape(columns.shape) - columns).max() < 1e-6
    far = np.linalg.norm(rows[:, None] - rows, axis=-1) + 99 * np.eye(20)
    p, q = map(int, re.search(r"positions \*\*(\d+)\*\* and \*\*(\d+)\*\*", shown.seen).groups())
    assert far[p, q] == pytest.approx(far.min())
    assert f"are **{far[p, q]:.3g}** apart" in shown.seen
    assert "There is one position only" in open_positions("table", pe_length="1")[1].seen


def test_dot_products_are_symmetric_and_their_diagonals_constant(open_positions):
    at, shown = open_positions("dots", pe_d_model="32", pe_length="40", pe_pos="12")
    expected = table(40, 32) @ table(40, 32).T
    [values] = charts(at)[0].values()
    assert values == pytest.approx(expected[12].tolist(), abs=1e-10)
    [panel] = panels(at)
    assert np.abs(panel.values - expected).max() < 1e-4
    assert "differs by less than **0.00001**: it does not tell left from right" in shown.seen
    assert "The same distance gives the same everywhere, within 0.00001." in shown.seen
    assert "position is 50" in complaint(set_number(at, "pe_pos", 50))
    assert "neighbours on one side only" in said(set_number(at, "pe_pos", 0))


@pytest.mark.parametrize("shift", [5, -5, 0, 15])
def test_a_shift_takes_a_position_k_places_on(open_positions, shift):
    query = {"pe_d_model": "8", "pe_k": str(shift), "pe_pos": "40", "pe_base": "100"}
    at, shown = open_positions("shift", **query)
    matrix, vectors = panels(at)
    before, after, wanted = vectors.values.astype(np.float64).T
    there = pytest.approx(formula(40 + shift, 8, 100), abs=1e-6)
    assert before == pytest.approx(formula(40, 8, 100), abs=1e-6)
    for moved in (after, wanted, matrix.values @ formula(40, 8, 100)):
        assert moved == there
    error = said(at).split("positions up to ")[1].split()[0].rstrip(".")
    assert float(error.replace("−", "-")) < 1e-10
    degrees = [math.degrees(shift / 100 ** (pair / 4)) for pair in range(4)]
    text = shown.seen.replace("−", "-")
    assert f"dimensions turns by **{number(degrees[0], padded=False)}°**".replace("−", "-") in text
    turned = shown.columns()["degrees"]
    assert turned[::2] == turned[1::2] == pytest.approx(degrees)


def test_a_shift_too_far_is_refused(open_positions):
    at, _shown = open_positions("shift")
    assert "k is 1,000,000,000: at most" in complaint(set_number(at, "pe_k", 10**9))
