import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.model import build
from core.runs.run import load_run
from core.studies.lessons.embeddings import (
    N_NEAREST,
    nearest,
    nearest_words,
    principal_components,
    telling_word,
    token_vectors,
    vocabulary_map,
)
from tests.core.conftest import GALLERY


def test_a_vector_of_zeros_has_no_direction():
    model = build(ModelConfig(vocab_size=60, d_model=16, d_ff=16, n_heads=2))
    model.source_embedding.tokens.weight.data[2] = 0
    assert token_vectors(model, "encoder", [2, 3]).cosine_NN[0, 1] == 0


CAT = "The cat slept."


@pytest.fixture(scope="module")
def translating():
    return load_run(GALLERY / "translate")


@pytest.fixture(scope="module")
def source_VD(translating):
    return translating.model.source_embedding.tokens.weight.detach().double().numpy()


def test_components_are_the_eigenvectors_of_the_covariance():
    vectors_ND = np.random.default_rng(1).standard_normal((40, 6)) * [1, 5, 2, 0.1, 3, 1]
    points_N2, shares = principal_components(torch.from_numpy(vectors_ND))
    values, directions_DD = np.linalg.eigh(np.cov(vectors_ND.T))
    order = values.argsort()[::-1][:2]
    np.testing.assert_allclose(shares, values[order] / values.sum())
    directions_D2 = directions_DD[:, order]
    directions_D2 *= np.sign(directions_D2[np.abs(directions_D2).argmax(axis=0), range(2)])
    np.testing.assert_allclose(
        points_N2, (vectors_ND - vectors_ND.mean(axis=0)) @ directions_D2, atol=1e-9
    )


def test_the_map_places_the_vocabulary_and_names_the_nearest(translating, source_VD):
    cat, *_ = translating.tokenizer.encode("cat").ids
    found = vocabulary_map(translating, CAT, "encoder", cat)
    assert found.ids == tuple(range(len(source_VD)))
    np.testing.assert_allclose(
        found.points_N2, principal_components(torch.from_numpy(source_VD))[0], atol=1e-9
    )
    unit_VD = source_VD / np.linalg.norm(source_VD, axis=1, keepdims=True)
    cosine_V = unit_VD @ unit_VD[cat]
    nearest = cosine_V.argsort()[::-1][1 : N_NEAREST + 1]
    (near,) = found.near
    assert near.neighbours == tuple(found.texts[token] for token in nearest)
    np.testing.assert_allclose(near.cosines, cosine_V[nearest], atol=1e-6)
    by_distance = np.linalg.norm(found.points_N2 - found.points_N2[cat], axis=1).argsort()
    # The word itself is the nearest.
    tenth = by_distance[1 : 2 + len(by_distance) // 10]
    assert found.is_near == tuple(each in tenth for each in near.ids)
    assert any(found.is_near)


def test_the_same_word_in_other_capitals_is_no_neighbour(translating, source_VD):
    the, *_ = translating.tokenizer.encode("the").ids
    every = nearest(translating.model, "encoder", the, len(source_VD))
    found = nearest_words(translating, "encoder", the, 5)

    def word(at):
        return translating.tokenizer.describe([at])[0].text.casefold()

    assert "the" in map(word, (each.token for each in every))
    assert found == tuple(each for each in every if word(each.token) != "the")[:5]


def test_the_telling_word_is_no_function_word_and_its_neighbour_no_form_of_it(translating):
    sentence = "The animal did not cross the street because it was tired."
    place = telling_word(translating, sentence, "encoder")
    texts = [
        token.text
        for token in translating.tokenizer.describe(translating.tokenizer.encode(sentence).ids)
    ]
    # “cross” is nearest to “crossed”.
    assert texts[place] in ("animal", "street", "tired")
    assert telling_word(translating, "the a it was", "encoder") is None
