from pathlib import Path

import numpy as np
import pytest
import torch

from core.decoding.sentence import translate
from core.runs.run import load_run
from core.studies.lessons.vocabulary_map import principal_components, vocabulary_map

ROOT = Path(__file__).parents[4]
CAT = "The cat slept."


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate")


@pytest.fixture(scope="module")
def table_VD(run):
    return run.model.source_embedding.tokens.weight.detach().double().numpy()


def test_components_are_the_eigenvectors_of_the_covariance():
    vectors_ND = np.random.default_rng(1).standard_normal((40, 6)) * [1, 5, 2, 0.1, 3, 1]
    points_N3, shares = principal_components(torch.from_numpy(vectors_ND))
    values, directions_DD = np.linalg.eigh(np.cov(vectors_ND.T))
    order = values.argsort()[::-1][:3]
    np.testing.assert_allclose(shares, values[order] / values.sum())
    directions_D3 = directions_DD[:, order]
    directions_D3 *= np.sign(directions_D3[np.abs(directions_D3).argmax(axis=0), range(3)])
    np.testing.assert_allclose(
        points_N3, (vectors_ND - vectors_ND.mean(axis=0)) @ directions_D3, atol=1e-9
    )


def test_the_map_places_the_vocabulary_and_names_the_nearest_of_all_dimensions(run, table_VD):
    cat, *_ = run.tokenizer.encode("cat").ids
    found = vocabulary_map(run, CAT, "encoder", (cat,))
    assert found.ids == tuple(range(len(table_VD)))
    np.testing.assert_allclose(
        found.points_N3, principal_components(torch.from_numpy(table_VD))[0], atol=1e-9
    )
    unit_VD = table_VD / np.linalg.norm(table_VD, axis=1, keepdims=True)
    cosine_V = unit_VD @ unit_VD[cat]
    nearest = cosine_V.argsort()[::-1][1:7]
    (near,) = found.near
    assert near.neighbours == tuple(found.texts[token] for token in nearest)
    np.testing.assert_allclose(near.cosines, cosine_V[nearest], atol=1e-6)
    assert sum(found.shares) > sum(found.random_shares)


def test_the_table_has_a_row_for_each_token_and_each_neighbour(run):
    found = vocabulary_map(run, CAT, "decoder", (5, 9))
    table = found.table()
    n = len(found.ids)
    assert table["x"][:n] == found.points_N3[:, 0].tolist()
    inside = {token for token, yes in zip(table["id"], table["in_sentence"], strict=True) if yes}
    assert inside == set(translate(run, CAT).fed_ids)
    assert table["neighbour"][n:] == [name for near in found.near for name in near.neighbours]
