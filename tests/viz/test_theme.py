import numpy as np
import pytest

from viz import theme


def luminance(rgb):
    linear = np.where(rgb <= 10.3, rgb / 3294.6, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def test_the_scale_has_256_colours_that_grow_lighter():
    table = theme.scale_table()
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    assert (np.diff(luminance(table.astype(float))) > 0).all()


def test_the_two_directions_of_a_difference_are_equally_strong():
    table = luminance(theme.scale_table(theme.DIVERGING).astype(float))
    assert table[0] == pytest.approx(table[-1], abs=0.05)


# What is left of red, green and blue for eyes without the long or the middle wavelengths
# (Viénot et al. 1999).
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array([[0.11, 0.89, 0.0], [0.11, 0.89, 0.0], [0.004, -0.004, 1.0]]),
    "deuteranopia": np.array([[0.29, 0.71, 0.0], [0.29, 0.71, 0.0], [-0.02, 0.02, 1.0]]),
}


@pytest.mark.parametrize("kind", BLINDNESS)
def test_the_first_eight_heads_differ_for_everyone(kind):
    seen = (np.array(theme.HEADS[:8]) / 255) ** 2.2 @ BLINDNESS[kind].T
    seen = np.clip(seen, 0, 1) ** (1 / 2.2)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1) + np.eye(8)
    assert apart.min() > 0.12
