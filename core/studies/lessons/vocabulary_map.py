"""A vocabulary as points in space: the principal components of its embedding. N tokens, D width.

Most of the variance lies in other directions: two points that are near each other need not be near
in the embedding. So the nearest tokens are found by their cosines in all of its dimensions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.decoding.sentence import translate
from core.heads import Kind, Stack
from core.runs.run import Run
from core.studies.lessons.cells import Table, stacked
from core.studies.lessons.embeddings import nearest

MOST = 2000
"""Tokens that are drawn, beside those that are asked for: the first ones, in most vocabularies the
most frequent ones."""
N_COMPONENTS, N_NEAREST, SEED = 3, 6, 0
"""Directions, neighbours that are named, and the seed of the random vectors to compare with."""


@dataclass(frozen=True, slots=True)
class Near:
    """A token and the tokens of the whole vocabulary with the largest cosines."""

    token: str
    neighbours: tuple[str, ...]
    cosines: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class VocabularyMap:
    """Tokens of a vocabulary in the directions in which their vectors differ most."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    points_N3: NDArray[np.float64]
    shares: tuple[float, ...]
    """Of the variance, in each direction."""
    random_shares: tuple[float, ...]
    """The same of normally distributed vectors, as many and as wide."""
    sentence: frozenset[int]
    """Ids of the sentence's tokens."""
    near: tuple[Near, ...]
    """What is nearest to each chosen token."""

    def table(self) -> Table:
        """Return a row for each token, and below a row for each neighbour of a chosen one."""
        points: Table = {
            "token": list(self.texts),
            "id": list(self.ids),
            "in_sentence": [each in self.sentence for each in self.ids],
            **dict(zip("xyz", self.points_N3.T.tolist(), strict=True)),
        }
        neighbours: Table = {
            "token": [each.token for each in self.near for _ in each.neighbours],
            "neighbour": [name for each in self.near for name in each.neighbours],
            "cosine": [cosine for each in self.near for cosine in each.cosines],
        }
        return stacked(points, neighbours)


def vocabulary_map(
    run: Run, sentence: str, stack: Stack, chosen: Sequence[int] = ()
) -> VocabularyMap:
    """Place the tokens of a vocabulary by the principal components of their vectors.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    is_source = Kind.self_of(stack).query_side == "source"
    read = written.source_ids if is_source else written.fed_ids
    tokenizer = run.tokenizer if is_source else run.target_tokenizer

    def texts(tokens: Sequence[int]) -> tuple[str, ...]:
        # One by one: as a text, bytes of neighbours might make one character.
        return tuple(tokenizer.describe([token])[0].text for token in tokens)

    table_VD = run.model.embedding(stack).tokens.weight.detach().double().cpu()
    ids = tuple(sorted({*range(min(MOST, len(table_VD))), *read, *chosen}))
    points_N3, shares = principal_components(table_VD[list(ids)])
    noise_ND = torch.from_numpy(
        np.random.default_rng(SEED).standard_normal((len(ids), table_VD.shape[1]))
    )
    _, random_shares = principal_components(noise_ND)
    near = []
    for token in chosen:
        found = nearest(run.model, stack, token, N_NEAREST)
        name, *names = texts([token, *(each.token for each in found)])
        near.append(Near(name, tuple(names), tuple(each.cosine for each in found)))
    return VocabularyMap(
        ids=ids,
        texts=texts(ids),
        points_N3=points_N3,
        shares=shares,
        random_shares=random_shares,
        sentence=frozenset(read),
        near=tuple(near),
    )


def principal_components(
    vectors_ND: Tensor, n: int = N_COMPONENTS
) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    """Return the vectors in the n directions in which they differ most, and the variance in each.

    The sign of a direction is free; here its largest component is above 0.

    Returns:
        points, N × n, and the share of the variance in each direction. Vectors that differ in fewer
        directions are 0 in the others.
    """
    centred_ND = vectors_ND - vectors_ND.mean(dim=0)
    _, singular_M, directions_MD = torch.linalg.svd(centred_ND, full_matrices=False)
    directions_nD = directions_MD[:n]
    largest_n1 = directions_nD.gather(1, directions_nD.abs().argmax(dim=1, keepdim=True))
    points_Nn = (centred_ND @ (directions_nD * largest_n1.sign()).T).numpy()
    variance_M = singular_M**2
    shares = (variance_M / variance_M.sum().clamp(min=1e-30))[:n].tolist()
    missing = n - len(shares)
    return np.pad(points_Nn, ((0, 0), (0, missing))), (*shares, *[0.0] * missing)
