"""What every direct path from one head to another changes: where receivers look, what is written.

N heads, in NN senders × receivers, n senders of a batch; Q queries, K keys, E width of one head,
V vocabulary.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.heads import Head
from core.model import Record, Step, Transformer
from core.studies.effects.path_patching import (
    PathPatching,
    Read,
    heads_in_order,
    is_direct,
    log_probability_of,
)

_TOKENS_AT_ONCE = 512
"""So many tokens in a pass: large vocabularies have long rows of scores."""


@dataclass(frozen=True, slots=True, eq=False)
class PathEffects:
    """Where receivers look with each direct path patched; 0 where there is no direct path."""

    heads: tuple[Head, ...]
    """Senders and receivers, as the stream meets them."""
    direct_NN: NDArray[np.bool_]
    """Whether there is a direct path."""
    differs_N: NDArray[np.bool_]
    """Whether a sender writes anything else in the other sentence; who does not changes nothing."""
    moved_NN: NDArray[np.float64]
    """The share of its weight that the receiver's most changed query gives to other keys: half the
    sum of all changes of the row, 0 to 1 (total variation distance). Of the queries from which
    something reaches the output."""
    query_NN: NDArray[np.int64]
    """That query."""
    key_NN: NDArray[np.int64]
    """The key whose weight changes most there."""
    before_NN: NDArray[np.float64]
    """Its weight in the clean sentence."""
    after_NN: NDArray[np.float64]
    """Its weight with the path patched."""

    def strongest(self, change_NN: NDArray[np.float64]) -> tuple[int, int] | None:
        """Return the row and the column of the path with the largest change, up or down.

        Args:
            change_NN: One for each path.

        Returns:
            None where nothing changes.
        """
        size_NN = np.where(self.direct_NN, np.abs(change_NN), 0.0)
        if not size_NN.any():
            return None
        row, column = divmod(int(size_NN.argmax()), len(self.heads))
        return row, column

    @property
    def n_differing(self) -> int:
        """How many direct paths begin at a sender that writes anything else."""
        return int(self.direct_NN[self.differs_N].sum())

    def median(self, change_NN: NDArray[np.float64]) -> float:
        """Return the middle of the sizes of those changes that `n_differing` counts, or else 0."""
        found = np.abs(change_NN[self.direct_NN & self.differs_N[:, None]])
        return float(np.median(found)) if found.size else 0.0


def direct_paths(model: Transformer, read: Read) -> int:
    """Return how many direct paths lead from one head to another."""
    return int(_direct_NN(heads_in_order(model), read).sum())


def path_effects(paths: PathPatching, read: Read) -> PathEffects:
    """Patch every direct path, one at a time, and see where its receiver looks.

    It takes one pass for many senders, each in a row of its own.

    Args:
        paths: The model and both sentences.
        read: What receivers compute from the changed stream.
    """
    heads, shape = paths.heads, (len(paths.heads), len(paths.heads))
    direct_NN = _direct_NN(heads, read)
    moved_NN, before_NN, after_NN = (np.zeros(shape) for _figure in range(3))
    query_NN, key_NN = np.zeros(shape, int), np.zeros(shape, int)
    for senders, record in _received(paths, read):
        for receiver, head in enumerate(heads):
            from_n = direct_NN[senders, receiver]
            weights_nQK = record.weights(head.site)[from_n, head.index].double().numpy()
            clean_QK = paths.clean_weights(head).double().numpy()
            change_nQK = np.abs(weights_nQK - clean_QK)
            moved_nQ = change_nQK.sum(axis=-1) / 2
            first = paths.first_telling_query(head)
            query_n = first + moved_nQ[:, first:].argmax(axis=-1)
            row_n = np.arange(len(query_n))
            key_n = change_nQK[row_n, query_n].argmax(axis=-1)
            at = senders[from_n], receiver
            moved_NN[at], query_NN[at], key_NN[at] = moved_nQ[row_n, query_n], query_n, key_n
            before_NN[at] = clean_QK[query_n, key_n]
            after_NN[at] = weights_nQK[row_n, query_n, key_n]
    differs_N = np.array([paths.writes_otherwise(head) for head in heads])
    return PathEffects(heads, direct_NN, differs_N, moved_NN, query_NN, key_NN, before_NN, after_NN)


def log_probability_changes(paths: PathPatching, read: Read, token: int) -> NDArray[np.float64]:
    """Return change_NN, by how much log p(token) changes with each direct path patched, in nats.

    All after a receiver goes on with what it mixes then. That takes a pass for each receiver, with
    a row for each sender: N²/2 rows of the model at most. Where there is no direct path it is 0.

    Args:
        paths: The model and both sentences.
        read: What receivers compute from the changed stream.
        token: Whose probability after the last position is measured.
    """
    change_NN = np.zeros((len(paths.heads), len(paths.heads)))
    clean_log_p = log_probability_of(token, paths.clean_logits_V)
    for senders, receiver, logits_nV in written_through(paths, read):
        log_p_n = log_probability_of(token, logits_nV)
        change_NN[senders, receiver] = (log_p_n - clean_log_p).numpy()
    return change_NN


def written_through(
    paths: PathPatching, read: Read
) -> Iterator[tuple[NDArray[np.int64], int, Tensor]]:
    """Yield the places of n senders, that of one receiver, and logits_nV with each path patched.

    Paths that change nothing are left out.
    """
    direct_NN = _direct_NN(paths.heads, read)
    for senders, record in _received(paths, read):
        for receiver, head in enumerate(paths.heads):
            from_n = direct_NN[senders, receiver]
            if from_n.any():
                mixed_nQE = record.tensors[head.site, Step.MIXED][from_n, head.index]
                yield senders[from_n], receiver, paths.logits_of(head, mixed_nQE)


def _received(paths: PathPatching, read: Read) -> Iterator[tuple[NDArray[np.int64], Record]]:
    """Yield places of senders with what all receivers make of each of them."""
    # Who writes the same in both sentences changes nothing; to compute it would only round.
    differing = [at for at, head in enumerate(paths.heads) if paths.writes_otherwise(head)]
    n_rows = max(1, _TOKENS_AT_ONCE // paths.n_tokens)
    for start in range(0, len(differing), n_rows):
        senders = np.array(differing[start : start + n_rows])
        yield senders, paths.received([paths.heads[at] for at in senders], read)


def _direct_NN(heads: tuple[Head, ...], read: Read) -> NDArray[np.bool_]:
    direct = [[is_direct(sender, receiver, read) for receiver in heads] for sender in heads]
    return np.array(direct, np.bool_)
