"""Every direct path from one head to another in two sentences: what each of them changes.

N heads, in NN senders × receivers; Q queries, K keys, E width of one head.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.effects.path_patching import (
    Fed,
    PathError,
    PathPatching,
    Read,
    is_direct,
    log_probability_of,
)
from core.batch import pad
from core.decoding.sentence import Translation, translate
from core.evaluate.exposure import first_difference
from core.heads import Head
from core.messages import Message
from core.model import Step, Transformer
from core.runs.run import Run
from core.tokenizer import Token
from core.vocabulary import EOS

_TOKENS_AT_ONCE = 512
"""So many tokens in a pass: large vocabularies have long rows of scores."""


@dataclass(frozen=True, slots=True, eq=False)
class PathEffects:
    """What every direct path from one head to another changes."""

    heads: tuple[Head, ...]
    """Senders and receivers, as the stream meets them."""
    direct_NN: NDArray[np.bool_]
    """Whether there is a direct path; all that follows is 0 where there is none."""
    moved_NN: NDArray[np.float64]
    """The share of its weight that the receiver's most changed query gives to other keys: half the
    sum of all changes of the row, 0 to 1."""
    query_NN: NDArray[np.int64]
    """That query."""
    key_NN: NDArray[np.int64]
    """The key whose weight changes most there."""
    before_NN: NDArray[np.float64]
    """Its weight in the clean sentence."""
    after_NN: NDArray[np.float64]
    """Its weight with the path patched."""
    log_p_NN: NDArray[np.float64]
    """By how much log p(token) changes when all after the receiver goes on with it, in nats."""
    clean_log_p: float
    """log p(token) in the clean sentence."""
    other_log_p: float
    """The same in the other one."""

    def strongest(
        self, change_NN: NDArray[np.float64], sender: Head | None = None
    ) -> tuple[int, int] | None:
        """Return the row and the column of the path with the largest change, up or down.

        Args:
            change_NN: One of the changes above.
            sender: Of whom; None for any.

        Returns:
            None where nothing changes.
        """
        size_NN = np.where(self.direct_NN, np.abs(change_NN), 0.0)
        if sender is not None:
            others = np.arange(len(self.heads)) != self.heads.index(sender)
            size_NN[others] = 0.0
        if not size_NN.any():
            return None
        row, column = divmod(int(size_NN.argmax()), len(self.heads))
        return row, column

    def median(self, change_NN: NDArray[np.float64]) -> float:
        """Return the size of a change in the middle of those of all direct paths; 0 without any."""
        found = np.abs(change_NN[self.direct_NN])
        return float(np.median(found)) if found.size else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class PathStudy:
    """All direct paths in two sentences that a run translates."""

    clean: Translation
    other: Translation
    fed_ids: tuple[int, ...]
    """What the decoder is fed for both: BOS, and the clean translation up to the step."""
    step: int
    """Of the targets: where they part, or else where the other sentence makes most difference."""
    token: Token
    """What is written there in the clean sentence."""
    part: bool
    """Whether the translations part there."""
    effects: PathEffects


def path_effects(model: Transformer, clean: Fed, other: Fed, read: Read, token: int) -> PathEffects:
    """Patch every direct path, one at a time.

    What receivers get takes one pass for many senders, each in a row of its own; what comes of it
    takes a pass for each receiver, again with a row for each sender. For N heads that is N²/2 rows
    of the model at most.

    Args:
        model: In evaluation mode; a decoder or an encoder alone, or both.
        clean: On which it runs.
        other: Whose values senders take; as many tokens.
        read: What receivers compute from the changed stream.
        token: Whose probability after the last position is measured.

    Raises:
        PathError: The lengths differ.
    """
    paths = PathPatching(model, clean, other)
    heads = paths.heads
    shape = (len(heads), len(heads))
    direct = [[is_direct(sender, receiver, read) for receiver in heads] for sender in heads]
    direct_NN = np.array(direct, np.bool_).reshape(shape)
    moved_NN, before_NN, after_NN, log_p_NN = (np.zeros(shape) for _each in range(4))
    query_NN, key_NN = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    clean_log_p = float(log_probability_of(token, paths.clean_logits_V))
    # Who writes the same in both sentences changes nothing; to compute it would only round.
    speaking = [at for at, head in enumerate(heads) if paths.writes_otherwise(head)]
    n_rows = max(1, _TOKENS_AT_ONCE // (len(clean.source_ids) + len(clean.target_ids)))
    for some in _parts(speaking, n_rows):
        record = paths.received([heads[at] for at in some], read)
        for to, receiver in enumerate(heads):
            rows = [row for row, at in enumerate(some) if direct_NN[at, to]]
            if not rows:
                continue
            at = [some[row] for row in rows]
            weights_NQK = record.weights(receiver.site)[rows, receiver.index].double()
            clean_QK = paths.clean_weights(receiver).double()
            change_NQK = weights_NQK - clean_QK
            changed_NQ = change_NQK.abs().sum(dim=-1) / 2
            row_N = torch.arange(len(rows))
            query_N = changed_NQ.argmax(dim=-1)
            key_N = change_NQK[row_N, query_N].abs().argmax(dim=-1)
            moved_NN[at, to] = changed_NQ[row_N, query_N].numpy()
            query_NN[at, to], key_NN[at, to] = query_N.numpy(), key_N.numpy()
            before_NN[at, to] = clean_QK[query_N, key_N].numpy()
            after_NN[at, to] = weights_NQK[row_N, query_N, key_N].numpy()
            mixed_NQE = record.tensors[receiver.site, Step.MIXED][rows, receiver.index]
            log_p_N = log_probability_of(token, paths.logits_of(receiver, mixed_NQE))
            log_p_NN[at, to] = log_p_N.numpy() - clean_log_p
    return PathEffects(
        heads=heads,
        direct_NN=direct_NN,
        moved_NN=moved_NN,
        query_NN=query_NN,
        key_NN=key_NN,
        before_NN=before_NN,
        after_NN=after_NN,
        log_p_NN=log_p_NN,
        clean_log_p=clean_log_p,
        other_log_p=float(log_probability_of(token, paths.other_logits_V)),
    )


def path_study(run: Run, clean: str, other: str, read: Read) -> PathStudy:
    """Patch every direct path from one head to another in a sentence that a run translates.

    The decoder is fed the clean translation in both, up to the step at which the translations
    part. Where they do not, it is the step at which the other sentence changes most what is
    thought of the clean one's token.

    Args:
        run: A loaded run of encoder and decoder.
        clean: On which the model runs.
        other: Whose values senders take.
        read: What receivers compute from the changed stream.

    Raises:
        SentenceError: There is no text.
        PathError: The sentences differ in length, or are the same to the model.
    """
    found, changed = translate(run, clean), translate(run, other)
    n_clean, n_other = len(found.source_ids), len(changed.source_ids)
    if n_clean != n_other:
        raise PathError(
            Message(
                "the sentences have {n_first} and {n_second} tokens, EOS counted: path patching "
                "puts each token's values in the place of another's, so both must have as many",
                n_first=n_clean,
                n_second=n_other,
            )
        )
    if found.source_ids == changed.source_ids:
        raise PathError(
            Message("both sentences are the same to the model: no head says anything else")
        )
    written = [(*each.target_ids, *([EOS] if each.finished else [])) for each in (found, changed)]
    parting = first_difference(*written)
    # Where one translation is the beginning of the other and was not finished, nothing parts.
    part = parting is not None and parting < len(written[0])
    step = parting if parting is not None and part else _most_changed(run.model, found, changed)
    token = written[0][step]
    fed_ids = found.fed_ids[: step + 1]
    effects = path_effects(
        run.model, Fed(found.source_ids, fed_ids), Fed(changed.source_ids, fed_ids), read, token
    )
    return PathStudy(
        clean=found,
        other=changed,
        fed_ids=fed_ids,
        step=step,
        token=run.tokenizer.describe([token])[0],
        part=part,
        effects=effects,
    )


@torch.inference_mode()
def _most_changed(model: Transformer, clean: Translation, other: Translation) -> int:
    """Return the step at which the other sentence changes log p(the clean one's token) most."""
    written = torch.tensor([*clean.target_ids, EOS])
    logits = (model(pad([each.source_ids]), pad([clean.fed_ids])) for each in (clean, other))
    log_p_T = [
        each_1TV[0].double().log_softmax(dim=-1).gather(-1, written[:, None])[:, 0]
        for each_1TV in logits
    ]
    change_T = (log_p_T[1] - log_p_T[0]).abs()
    return int(change_T[: len(written) - (not clean.finished)].argmax())


def _parts(items: Sequence[int], n: int) -> list[Sequence[int]]:
    return [items[start : start + n] for start in range(0, len(items), n)]
