import numpy as np
import pytest

from core.config import ConfigError
from core.studies.lessons.positions import (
    CHECK_POSITION,
    CHECK_PRINTED,
    CHECK_WIDTH,
    FARTHEST,
    Sinusoids,
    agreeing,
    agrees,
    chosen_dimensions,
    dimensions,
    require_length,
    require_position,
)


def formula(position, d_model, base=10000.0):
    """The paper's formula, number by number."""
    found = np.empty(d_model)
    for pair in range(d_model // 2):
        angle = position / base ** (2 * pair / d_model)
        found[2 * pair : 2 * pair + 2] = np.sin(angle), np.cos(angle)
    return found


@pytest.mark.parametrize("base", [1, 10, 10_000, 100_000])
def test_the_table_is_the_formula_to_the_last_digits(base):
    table_PD = Sinusoids(64, 512, base).table()
    assert table_PD.dtype == np.float64
    expected = np.stack([formula(position, 64, base) for position in range(512)])
    assert np.abs(table_PD - expected).max() < 1e-12


def test_positions_before_the_beginning_are_the_mirror():
    made = Sinusoids(8, 4)
    before, after = made.at(np.array([-3]))[0], made.at(np.array([3]))[0]
    assert np.array_equal(before[0::2], -after[0::2])
    assert np.array_equal(before[1::2], after[1::2])


def test_after_a_wavelength_a_dimension_comes_round_again():
    made = Sinusoids(8, 1)
    assert made.wavelengths()[0] == pytest.approx(2 * np.pi)
    assert made.wavelengths()[7] == pytest.approx(2 * np.pi * 10_000**0.75)
    for index, wavelength in enumerate(made.wavelengths()):
        for start in (0.0, 1.7):
            angle = (start + wavelength) / 10_000 ** (index // 2 * 2 / 8)
            again = (np.cos if index % 2 else np.sin)(angle)
            assert again == pytest.approx(
                (np.cos if index % 2 else np.sin)(start / 10_000 ** (index // 2 * 2 / 8)), abs=1e-9
            )


def test_the_check_value_comes_out():
    found = dimensions(Sinusoids(CHECK_WIDTH, 1), CHECK_POSITION)
    assert [one.value for one in found] == pytest.approx(formula(2, 8).tolist(), abs=1e-15)
    assert all(agrees(one.value, text) for one, text in zip(found, CHECK_PRINTED, strict=True))
    assert not agrees(found[0].value, "0.9094")


def test_values_that_agree_with_their_printed_digits_are_counted():
    found = dimensions(Sinusoids(CHECK_WIDTH, 1), CHECK_POSITION)
    assert agreeing(found, CHECK_PRINTED) == 8
    assert agreeing(found, ("0.9094", *CHECK_PRINTED[1:7], "1.000000")) == 6


def test_each_dimension_says_where_its_value_comes_from():
    for one in dimensions(Sinusoids(16, 1, 100), 37):
        assert one.angle == pytest.approx(37 / 100 ** (one.index // 2 * 2 / 16), abs=1e-12)
        assert one.value == pytest.approx(getattr(np, one.function)(one.angle), abs=1e-12)
        assert one.wavelength == pytest.approx(2 * np.pi * 100 ** (one.index // 2 * 2 / 16))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ((7, 50), "d_model is 7: sinusoids come in pairs"),
        ((0, 50), "d_model is 0: the smallest width is 2"),
        ((-4, 50), "d_model is -4"),
        ((2000, 50), "at most 1,024"),
        ((8, 0), "length is 0"),
        ((8, 513), "at most 512"),
        ((8, 50, 0.5), "base is 0.5"),
        ((8, 50, float("nan")), "base is nan"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(settings, complaint):
    with pytest.raises(ConfigError, match=complaint):
        Sinusoids(*settings)


@pytest.mark.parametrize("position", [-1, FARTHEST + 1])
def test_a_position_too_far_is_refused(position):
    with pytest.raises(ConfigError, match=f"position is {position:,}"):
        dimensions(Sinusoids(8, 1), position)


@pytest.mark.parametrize("length", [-1, 0, 513])
def test_a_length_must_be_one_of_a_table(length):
    with pytest.raises(ConfigError, match=f"length is {length}"):
        require_length(length)


@pytest.mark.parametrize("position", [-1, 50])
def test_a_position_must_stand_in_the_table(position):
    with pytest.raises(ConfigError, match="a table of length 50 has 0 to 49"):
        require_position(position, 50)


def test_dimensions_end_with_the_width():
    assert chosen_dimensions(128, 1, 2, 3) == [1, 3, 5]
    assert chosen_dimensions(8, 6, 1, 8) == [6, 7]


@pytest.mark.parametrize("asked", [(8, 0, 1), (-1, 1, 1), (0, 0, 1), (0, 1, 0), (0, 1, 9)])
def test_no_dimension_at_all_is_refused(asked):
    with pytest.raises(ConfigError):
        chosen_dimensions(8, *asked)
