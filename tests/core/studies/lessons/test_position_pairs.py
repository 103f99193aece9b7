import numpy as np
import pytest

from core.config import ConfigError
from core.studies.lessons.position_pairs import dot_products, rotation
from core.studies.lessons.positions import Sinusoids
from tests.core.studies.lessons.test_positions import formula


def test_the_dot_product_is_a_sum_of_cosines_of_the_distance():
    found = dot_products(Sinusoids(32, 40).table(), 12)
    angular = 10_000.0 ** (-np.arange(0, 32, 2) / 32)
    for other in range(40):
        assert found.curve_P[other] == pytest.approx(
            np.cos((other - 12) * angular).sum(), abs=1e-12
        )
    assert found.products_PP[12, 12] == pytest.approx(16)


def test_left_and_right_look_alike_and_diagonals_are_constant():
    found = dot_products(Sinusoids(128, 50).table(), 20)
    assert found.asymmetry < 1e-12
    assert found.spread < 1e-12


def test_asymmetry_and_spread_are_measured_and_not_assumed():
    table_PD = np.array([[1.0, 0.0], [0.5, 0.0], [2.0, 0.0]])
    found = dot_products(table_PD, 1)
    # 0.5 · 2 against 0.5 · 1; the diagonal of squares goes from 0.25 to 4.
    assert found.asymmetry == pytest.approx(0.5)
    assert found.spread == pytest.approx(3.75)


@pytest.mark.parametrize("position", [0, 9])
def test_an_end_of_the_table_has_nothing_to_compare(position):
    assert dot_products(Sinusoids(8, 10).table(), position).asymmetry is None


@pytest.mark.parametrize("shift", [0, 1, 5, -5, 49, 60, -300, 100_000])
def test_one_matrix_takes_every_position_k_places_on(shift):
    found = rotation(Sinusoids(64, 50), 20, shift)
    assert found.error < 1e-9
    assert found.before_D == pytest.approx(formula(20, 64), abs=1e-12)
    assert found.wanted_D == pytest.approx(formula(20 + shift, 64), abs=1e-9)
    assert found.after_D == pytest.approx(found.matrix_DD @ found.before_D, abs=1e-12)
    assert np.abs(found.matrix_DD @ found.matrix_DD.T - np.eye(64)).max() < 1e-12
    assert found.outside == min(abs(shift), 50)


def test_the_rotation_is_block_diagonal_and_its_transpose_turns_back():
    matrix_DD = rotation(Sinusoids(8, 10), 0, 3).matrix_DD
    blocks = np.kron(np.eye(4), np.ones((2, 2))) > 0
    assert not matrix_DD[~blocks].any()
    assert np.array_equal(rotation(Sinusoids(8, 10), 0, -3).matrix_DD, matrix_DD.T)
    assert matrix_DD[0, 1] == pytest.approx(np.sin(3))
    assert matrix_DD[1, 0] == pytest.approx(-np.sin(3))


def test_a_shift_too_far_and_a_position_outside_are_refused():
    with pytest.raises(ConfigError, match="k is 1,000,001"):
        rotation(Sinusoids(8, 10), 0, 1_000_001)
    with pytest.raises(ConfigError, match="position is 10"):
        rotation(Sinusoids(8, 10), 10, 1)
