import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.model.positional import Rotary, frequencies

E = 10


def config(pairs="halves", **more):
    sizes = {"vocab_size": 9, "d_model": 20, "n_heads": 2, "positions": "rotary"}
    return ModelConfig(**sizes, rotary_pairs=pairs, **more)


def drawn(n, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, 2, n, E, generator=generator, dtype=torch.float64)


def turned(vectors_KE, start, pairs):
    """The same by multiplication of complex numbers, in float64."""
    one, other = (
        (vectors_KE[:, : E // 2], vectors_KE[:, E // 2 :])
        if pairs == "halves"
        else (vectors_KE[:, 0::2], vectors_KE[:, 1::2])
    )
    places = np.arange(start, start + len(vectors_KE))
    angles = np.outer(places, 10000.0 ** (-np.arange(0, E, 2) / E))
    found = (one + 1j * other) * np.exp(1j * angles)
    made = np.empty_like(vectors_KE)
    if pairs == "halves":
        made[:, : E // 2], made[:, E // 2 :] = found.real, found.imag
    else:
        made[:, 0::2], made[:, 1::2] = found.real, found.imag
    return made


@pytest.mark.parametrize("pairs", ["halves", "neighbours"])
@pytest.mark.parametrize("start", [0, 7])
def test_turning_is_multiplication_with_a_complex_number(pairs, start):
    vectors = drawn(5, 1)
    found = Rotary(config(pairs))(vectors, start)
    for head in range(2):
        wanted = turned(vectors[0, head].numpy(), start, pairs)
        np.testing.assert_allclose(found[0, head].numpy(), wanted, atol=1e-12)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 200))
def test_a_dot_product_of_turned_vectors_knows_the_distance_alone(query, key, further):
    rotary, both = Rotary(config()), drawn(2, 3)

    def product(first, second):
        one, other = both[:, :, :1], both[:, :, 1:]
        return (rotary(one, first) * rotary(other, second)).sum(dim=-1)

    torch.testing.assert_close(
        product(query, key), product(query + further, key + further), atol=1e-10, rtol=0
    )


def test_slow_angles_are_slowed_down_and_fast_ones_stay():
    plain, scaled = frequencies(config()), frequencies(config(rotary_scaling=(8.0, 1.0, 4.0, 64.0)))
    wavelength = 2 * np.pi / plain.numpy()
    assert torch.equal(scaled[wavelength < 64 / 4], plain[wavelength < 64 / 4])
    far = wavelength > 64
    torch.testing.assert_close(scaled[far], plain[far] / 8)
    between = ~far & (wavelength >= 64 / 4)
    assert between.any() and (scaled[between] < plain[between]).all()
    assert (scaled[between] > plain[between] / 8).all()
