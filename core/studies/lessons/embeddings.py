"""Tokens and sentences as vectors: the angles between them. N tokens, V vocabulary, D width.

One-hot vectors of two different tokens are at right angles, whichever they are. Learned ones are
not: training decides their angles. Rows of the embedding matrix are compared, before √d_model and
positions; a sentence's vector is the mean of the encoder's outputs (Reimers and Gurevych 2019,
"Sentence-BERT", train encoders for that; of another encoder it says little).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.batch import encode_source
from core.heads import Stack
from core.model import Transformer
from core.runs.run import Run
from core.studies.lessons.cells import Table, cells
from core.tasks import TASKS

N_PAIRS, N_OTHERS, SEED = 2000, 20, 0
"""Pairs of tokens and sentences of the grammar that the baselines are measured on; the seed draws
both."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """Some tokens of a vocabulary, each once."""

    ids: tuple[int, ...]
    dot_NN: NDArray[np.float64]
    """Dot products of their vectors."""

    @property
    def cosine_NN(self) -> NDArray[np.float64]:
        """Cosines, −1 to 1; 0 where a vector is zero."""
        norm_N = np.sqrt(np.diag(self.dot_NN))
        norms_NN = np.outer(norm_N, norm_N)
        cosine_NN = np.divide(
            self.dot_NN, norms_NN, out=np.zeros_like(self.dot_NN), where=norms_NN > 0
        )
        return np.clip(cosine_NN, -1, 1)

    @property
    def angle_NN(self) -> NDArray[np.float64]:
        """Angles in degrees, 0 to 180."""
        return np.degrees(np.arccos(self.cosine_NN))

    def table(self) -> Table:
        """Return a row for each two tokens."""
        found = {"angle": self.angle_NN, "cosine": self.cosine_NN, "dot": self.dot_NN}
        return cells("row", "column", found)

    def closest(self) -> tuple[int, int] | None:
        """Return the places of the two whose angle is smallest; None where there is one token."""
        if len(self.ids) < 2:
            return None
        between_NN = self.cosine_NN - 3 * np.eye(len(self.ids))
        row, column = divmod(int(between_NN.argmax()), len(self.ids))
        return min(row, column), max(row, column)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A token of the vocabulary whose vector is near that of another."""

    token: int
    cosine: float


def token_vectors(model: Transformer, stack: Stack, ids: Sequence[int]) -> TokenVectors:
    """Return the vectors of tokens beside each other, each token once, in their order."""
    once = tuple(dict.fromkeys(ids))
    rows_ND = _table(model, stack)[list(once)].double().cpu().numpy()
    return TokenVectors(once, rows_ND @ rows_ND.T)


def nearest(model: Transformer, stack: Stack, token: int, n: int) -> tuple[Neighbour, ...]:
    """Return the n other tokens of the vocabulary with the largest cosines, the largest first."""
    table_VD = _table(model, stack)
    cosine_V = torch.nn.functional.cosine_similarity(table_VD, table_VD[token][None], dim=-1)
    cosine_V[token] = -torch.inf
    found = cosine_V.topk(min(n, len(cosine_V) - 1))
    pairs = zip(found.indices.tolist(), found.values.tolist(), strict=True)
    return tuple(Neighbour(at, cosine) for at, cosine in pairs)


def usual_angle(model: Transformer, stack: Stack) -> float:
    """Return the mean angle in degrees of `N_PAIRS` pairs of different tokens drawn at random.

    Two random directions are at 90° on average, the closer to it the more dimensions there are.
    """
    table_VD = _table(model, stack)
    rng = np.random.default_rng(SEED)
    one_N = rng.integers(len(table_VD), size=N_PAIRS)
    other_N = (one_N + rng.integers(1, len(table_VD), size=N_PAIRS)) % len(table_VD)
    cosine_N = torch.nn.functional.cosine_similarity(
        table_VD[torch.from_numpy(one_N)].double(), table_VD[torch.from_numpy(other_N)].double()
    )
    return float(torch.rad2deg(torch.arccos(cosine_N.clamp(-1, 1))).mean())


def _table(model: Transformer, stack: Stack) -> Tensor:
    return model.embedding(stack).tokens.weight.detach()


@torch.inference_mode()
def sentence_vector(run: Run, sentence: str) -> NDArray[np.float64]:
    """Return vector_D: the mean of what the encoder makes of all tokens, special ones too."""
    source = encode_source(run.tokenizer, sentence)
    ids_1P = torch.tensor([source[: run.model.config.max_positions]], device=run.model.device)
    found: NDArray[np.float64] = run.model.encode(ids_1P)[0].double().mean(dim=0).cpu().numpy()
    return found


def sentence_cosine(run: Run, one: str, other: str) -> float:
    """Return the cosine of the vectors of two sentences, −1 to 1."""
    return _cosine(sentence_vector(run, one), sentence_vector(run, other))


def usual_cosine(run: Run) -> tuple[float, int]:
    """Return the mean cosine of all pairs of `N_OTHERS` sentences of the grammar, and their number.

    It is the baseline: in many encoders all sentences point much the same way.
    """
    samples = TASKS["translate"].held_out_samples(N_OTHERS, SEED)
    vectors = [sentence_vector(run, sample.source) for sample in samples]
    found = [_cosine(*pair) for pair in combinations(vectors, 2)]
    return float(np.mean(found)), len(found)


def _cosine(one_D: NDArray[np.float64], other_D: NDArray[np.float64]) -> float:
    lengths = np.linalg.norm(one_D) * np.linalg.norm(other_D)
    return float(one_D @ other_D / lengths) if lengths else 0.0
