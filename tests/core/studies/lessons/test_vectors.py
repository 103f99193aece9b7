import numpy as np
import pytest

from core.config import ModelConfig
from core.model import build
from core.studies.lessons.vectors import nearest, token_vectors, usual_angle

SIZES = {"n_encoder_layers": 1, "n_decoder_layers": 1, "d_model": 16, "d_ff": 16, "n_heads": 2}


@pytest.fixture(scope="module")
def model():
    return build(ModelConfig(vocab_size=60, **SIZES), seed=3)


@pytest.fixture(scope="module")
def table_VD(model):
    return model.source_embedding.tokens.weight.detach().double().numpy()


def test_angles_and_dot_products_are_those_of_the_embedding(model, table_VD):
    found = token_vectors(model, "encoder", [7, 9, 7, 30])
    assert found.ids == (7, 9, 30)
    rows = table_VD[[7, 9, 30]]
    np.testing.assert_allclose(found.dot_NN, rows @ rows.T, rtol=1e-12)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(found.cosine_NN, unit @ unit.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(found.angle_NN), 0, atol=1e-5)
    np.testing.assert_allclose(
        found.angle_NN[0, 1], np.degrees(np.arccos(unit[0] @ unit[1])), rtol=1e-9
    )


def test_the_closest_two_are_never_one_token_with_itself(model, table_VD):
    ids = [5, 11, 23, 42, 17]
    found = token_vectors(model, "encoder", ids)
    unit = table_VD[ids] / np.linalg.norm(table_VD[ids], axis=1, keepdims=True)
    pairs = {(i, j): unit[i] @ unit[j] for i in range(5) for j in range(i + 1, 5)}
    assert found.closest() == max(pairs, key=pairs.get)
    assert token_vectors(model, "encoder", [5, 5]).closest() is None


def test_the_nearest_of_the_vocabulary_come_in_order_without_the_token_itself(model, table_VD):
    unit = table_VD / np.linalg.norm(table_VD, axis=1, keepdims=True)
    cosines = unit @ unit[12]
    cosines[12] = -2
    found = nearest(model, "encoder", 12, 4)
    assert [each.token for each in found] == np.argsort(-cosines)[:4].tolist()
    np.testing.assert_allclose(
        [each.cosine for each in found], np.sort(cosines)[::-1][:4], rtol=1e-5
    )
    assert len(nearest(model, "encoder", 12, 1000)) == 59


def test_random_directions_are_at_right_angles_on_average(model):
    assert usual_angle(model, "encoder") == pytest.approx(90, abs=2)


def test_a_vector_of_zeros_has_no_direction(model):
    weight = model.source_embedding.tokens.weight
    found = token_vectors(model, "decoder", [2, 3])
    assert np.isfinite(found.angle_NN).all()
    kept = weight.detach().clone()
    try:
        weight.data[2] = 0
        assert token_vectors(model, "encoder", [2, 3]).cosine_NN[0, 1] == 0
    finally:
        weight.data.copy_(kept)
