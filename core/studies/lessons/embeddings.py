"""Tokens as vectors: the angles between them. N tokens, V vocabulary, D width.

One-hot vectors of two different tokens are at right angles, whichever they are. Learned ones are
not: training decides their angles. Rows of the embedding matrix are compared, before √d_model and
positions.

As points, tokens stand in the principal components of the embedding. Most of the variance lies in
other directions: two points that are near each other need not be near in the embedding. So the
nearest tokens are found by their cosines in all of its dimensions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...decoding.sentence import translate
from ...heads import Kind, Stack
from ...model import Transformer
from ...runs.run import Run
from ...tasks.translation.names import FUNCTION_WORDS
from ..cells import Table, cells, stacked
from .of_sentence import OfSentence, described, ids_of, texts_of

STEM = 3
"""Letters that two forms of a word have in common at least."""
N_NEAREST = 8
"""Tokens of the vocabulary that are named beside one."""
MOST_SPELLINGS = 6
"""Tokens that may be the same word in other capitals, or with another space before it."""
N_PAIRS, SEED = 2000, 0
"""Pairs of tokens that the baseline is measured on; the seed draws them, and random vectors."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A token of the vocabulary whose vector is near that of another."""

    token: int
    cosine: float


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """Some tokens of a vocabulary, each once."""

    ids: tuple[int, ...]
    cosine_NN: NDArray[np.float64]
    """Cosines of their vectors, −1 to 1; 0 where a vector is zero."""
    nearest: tuple[Neighbour, ...] = ()
    """The tokens of the whole vocabulary that are most similar to one of them, if one is asked
    for."""

    def table(self) -> Table:
        """Return a row for each two tokens, and one for each neighbour."""
        neighbours: Table = {
            "neighbour": [each.token for each in self.nearest],
            "neighbour_cosine": [each.cosine for each in self.nearest],
        }
        return stacked(cells("row", "column", {"cosine": self.cosine_NN}), neighbours)


def token_vectors(model: Transformer, stack: Stack, ids: Sequence[int]) -> TokenVectors:
    """Return the vectors of tokens beside each other, each token once, in their order."""
    once = tuple(dict.fromkeys(ids))
    unit_ND = torch.nn.functional.normalize(_table(model, stack)[list(once)].double())
    return TokenVectors(once, (unit_ND @ unit_ND.T).clamp(-1, 1).cpu().numpy())


def nearest(model: Transformer, stack: Stack, token: int, n: int) -> tuple[Neighbour, ...]:
    """Return the n other tokens of the vocabulary with the largest cosines, the largest first."""
    table_VD = _table(model, stack)
    cosine_V = torch.nn.functional.cosine_similarity(table_VD, table_VD[token][None], dim=-1)
    cosine_V[token] = -torch.inf
    found = cosine_V.topk(min(n, len(cosine_V) - 1))
    pairs = zip(found.indices.tolist(), found.values.tolist(), strict=True)
    return tuple(Neighbour(at, cosine) for at, cosine in pairs)


def nearest_words(run: Run, stack: Stack, token: int, n: int) -> tuple[Neighbour, ...]:
    """As `nearest`, without the same word in other capitals."""

    def word(at: int) -> str:
        return described(run, Kind.self_of(stack).query_side, [at])[0].casefold()

    own = word(token)
    found = nearest(run.model, stack, token, n + MOST_SPELLINGS)
    return tuple(each for each in found if word(each.token) != own)[:n]


def random_pair_cosine(model: Transformer, stack: Stack) -> float:
    """Return the mean cosine of `N_PAIRS` pairs of different tokens drawn at random.

    That of random directions is 0 on average.
    """
    table_VD = _table(model, stack)
    rng = np.random.default_rng(SEED)
    one_N = rng.integers(len(table_VD), size=N_PAIRS)
    other_N = (one_N + rng.integers(1, len(table_VD), size=N_PAIRS)) % len(table_VD)
    cosine_N = torch.nn.functional.cosine_similarity(
        table_VD[torch.from_numpy(one_N)].double(), table_VD[torch.from_numpy(other_N)].double()
    )
    return float(cosine_N.mean())


def _table(model: Transformer, stack: Stack) -> Tensor:
    return model.embedding(stack).tokens.weight.detach()


# ---- the vocabulary as points

MOST = 2000
"""Tokens that are drawn, beside those that are asked for: the first ones, in most vocabularies the
most frequent ones."""
N_COMPONENTS = 2
"""Directions in which the vocabulary is drawn."""
NEAR = 0.1
"""A point is near another where at most this share of all points is nearer."""


@dataclass(frozen=True, slots=True)
class Near:
    """A token and the tokens of the whole vocabulary with the largest cosines."""

    token: str
    neighbours: tuple[str, ...]
    ids: tuple[int, ...]
    """Of the neighbours."""
    cosines: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class VocabularyMap:
    """Tokens of a vocabulary in the directions in which their vectors differ most."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    points_N2: NDArray[np.float64]
    shares: tuple[float, ...]
    """Of the variance, in each direction."""
    sentence: frozenset[int]
    """Ids of the sentence's tokens."""
    near: tuple[Near, ...]
    """What is nearest to the word, and to each chosen token."""
    is_near: tuple[bool, ...]
    """Whether each of the word's neighbours lies near it among the points; see `NEAR`."""

    def table(self) -> Table:
        """Return a row for each token, and below a row for each neighbour of a chosen one."""
        points: Table = {
            "token": list(self.texts),
            "id": list(self.ids),
            "in_sentence": [each in self.sentence for each in self.ids],
            **dict(zip("xy", self.points_N2.T.tolist(), strict=True)),
        }
        neighbours: Table = {
            "token": [each.token for each in self.near for _ in each.neighbours],
            "neighbour": [name for each in self.near for name in each.neighbours],
            "cosine": [cosine for each in self.near for cosine in each.cosines],
        }
        return stacked(points, neighbours)


def vocabulary_map(
    run: Run, sentence: str, stack: Stack, word: int, chosen: Sequence[int] = ()
) -> VocabularyMap:
    """Place the tokens of a vocabulary by the principal components of their vectors.

    Args:
        run: The run.
        sentence: Its tokens are placed, too.
        stack: That reads the vocabulary.
        word: Id of a token, which is placed with its nearest neighbours.
        chosen: Ids of other tokens whose neighbours are named.
    """
    read, side = ids_of(translate(run, sentence), stack), Kind.self_of(stack).query_side

    def texts(tokens: Sequence[int]) -> tuple[str, ...]:
        # One by one: as a text, bytes of neighbours might make one character.
        return tuple(described(run, side, [token])[0] for token in tokens)

    table_VD = _table(run.model, stack).double().cpu()
    near = []
    for token in (word, *chosen):
        found = nearest_words(run, stack, token, N_NEAREST)
        near_ids = tuple(each.token for each in found)
        name, *names = texts([token, *near_ids])
        near.append(Near(name, tuple(names), near_ids, tuple(each.cosine for each in found)))
    first = range(min(MOST, len(table_VD)))
    ids = tuple(sorted({*first, *read, word, *near[0].ids, *chosen}))
    points_N2, shares = principal_components(table_VD[list(ids)])
    return VocabularyMap(
        ids=ids,
        texts=texts(ids),
        points_N2=points_N2,
        shares=shares,
        sentence=frozenset(read),
        near=tuple(near),
        is_near=near_among(points_N2, ids.index(word), [ids.index(each) for each in near[0].ids]),
    )


def near_among(points_N2: NDArray[np.float64], at: int, others: Sequence[int]) -> tuple[bool, ...]:
    """Return whether each of some points lies near the one at a place; see `NEAR`.

    >>> line_N2 = np.stack([np.arange(21.0), np.zeros(21)], axis=1)
    >>> near_among(line_N2, 0, [1, 2, 3, 20])
    (True, True, True, False)
    """
    distance_N = np.linalg.norm(points_N2 - points_N2[at], axis=1)
    # The point itself is not counted among those that are nearer.
    nearer = [int((distance_N < distance_N[each]).sum()) - 1 for each in others]
    return tuple(n <= NEAR * len(points_N2) for n in nearer)


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


def sentence_vectors(
    run: Run, sentence: str, stack: Stack, position: int | None = None
) -> OfSentence[TokenVectors]:
    """Return the embeddings of a sentence's tokens beside each other, each token once.

    Args:
        run: A loaded run.
        sentence: As typed.
        stack: By which the tokens are read.
        position: Of the token whose nearest ones of the vocabulary are named; None for no token.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    ids, texts = ids_of(written, stack), texts_of(run, written, stack)
    found = token_vectors(run.model, stack, ids)
    once = tuple(texts[ids.index(token)] for token in found.ids)
    if position is not None:
        near = nearest_words(run, stack, ids[position], N_NEAREST)
        found = replace(found, nearest=near)
    side = Kind.self_of(stack).query_side
    named = {each.token: described(run, side, [each.token])[0] for each in found.nearest}
    return OfSentence(found, {"row": once, "column": once, "neighbour": named})


def telling_word(run: Run, sentence: str, stack: Stack) -> int | None:
    """Return the position of the content word with the largest cosine to another one.

    A form of the same word is no other one. None where the sentence has no such word.

    Raises:
        SentenceError: There is no text.
    """
    written = translate(run, sentence)
    texts, side = texts_of(run, written, stack), Kind.self_of(stack).query_side
    likest: dict[int, float] = {}
    for place, (token, text) in enumerate(zip(ids_of(written, stack), texts, strict=True)):
        if not _is_content(text):
            continue
        best = nearest_words(run, stack, token, 1)
        [other] = described(run, side, [each.token for each in best]) or ("",)
        if _is_content(other) and other.casefold()[:STEM] != text.casefold()[:STEM]:
            likest[place] = best[0].cosine
    return max(likest, key=lambda place: likest[place], default=None)


def _is_content(text: str) -> bool:
    """Return whether a token seems to be a noun, verb or adjective: long, and no function word."""
    return len(text) > STEM and text.isalpha() and text.casefold() not in FUNCTION_WORDS
