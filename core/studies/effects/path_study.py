"""Direct paths from one head to another in two sentences that a run goes on from.

N senders; Q queries, K keys.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.decoding.sentence import Translation
from core.heads import Head
from core.model import Record, Step, Transformer
from core.runs.run import Run
from core.studies.effects.patching import PatchingError, patching_study
from core.studies.effects.path_patching import (
    PathError,
    PathPatching,
    Read,
    heads_in_order,
    is_direct,
    log_probability_of,
)
from core.studies.effects.second_sentence import Paired, paired
from core.tokenizer.tokenizer import Token

Array = NDArray[np.float64]
_TOKENS_AT_ONCE = 512
"""So many tokens in a pass: large vocabularies have long rows of scores."""


@dataclass(frozen=True, slots=True, eq=False)
class OnePath:
    """What one direct path changes."""

    sender: Head
    receiver: Head
    before_QK: NDArray[np.float32]
    """Where the receiver looks in the clean sentence."""
    after_QK: NDArray[np.float32]
    """The same with the path patched."""
    query: int
    """The row that changes most."""
    key: int
    """The key whose weight changes most there."""
    sent_at: int
    """The position whose message changes that row: the query's own, or the key's."""
    sent_K: NDArray[np.float32]
    """Where the sender looks from there in the clean sentence."""
    sent_other_K: NDArray[np.float32]
    """The same in the other one."""
    before_log_p: float
    """log p of the clean sentence's token, in nats."""
    after_log_p: float
    """The same with the path patched, where all after the receiver goes on with it."""


def one_path(run: Run, clean: str, other: str, read: Read, sender: Head, receiver: Head) -> OnePath:
    """Patch one direct path.

    Args:
        run: A loaded run with a decoder.
        clean: On which the model runs.
        other: As many tokens.
        read: What the receiver computes from the changed stream.
        sender: The head whose output is taken from the other sentence.
        receiver: The head that reads it.

    Raises:
        SentenceError: There is no text.
        PathError: The sentences differ in length or are the same to the model, or there is no
            direct path.
    """
    pair = path_pair(run, clean, other)
    paths, token = pair.paths, pair.token
    after_QK = paths.weights(sender, receiver, read).numpy()
    before_QK = paths.clean_weights(receiver).numpy()
    before_log_p = float(log_probability_of(token, paths.clean_logits_V))
    after_log_p = paths.log_probability(sender, receiver, read, token)
    change_QK = np.abs(after_QK.astype(np.float64) - before_QK)
    first = paths.first_telling_query(receiver)
    query = first + int(change_QK[first:].sum(axis=-1).argmax())
    key = int(change_QK[query].argmax())
    # Where queries are read, too, the row's own message is what is told.
    by_query = is_direct(sender, receiver, Read.QUERY) and read in (Read.QUERY, Read.ALL)
    sent_at = query if by_query else key
    return OnePath(
        sender=sender,
        receiver=receiver,
        before_QK=before_QK,
        after_QK=after_QK,
        query=query,
        key=key,
        sent_at=sent_at,
        sent_K=paths.clean_weights(sender)[sent_at].numpy(),
        sent_other_K=paths.other_weights(sender)[sent_at].numpy(),
        before_log_p=before_log_p,
        after_log_p=after_log_p,
    )


@dataclass(frozen=True, slots=True)
class PathPair:
    """Two sentences with what the decoder is fed for both."""

    clean: Translation
    other: Translation
    step: int
    token: int
    part: bool
    paths: PathPatching


def path_pair(run: Run, clean: str, other: str) -> PathPair:
    """Let a run write after two sentences, and find the step that is measured.

    Args and errors are those of `path_senders`.
    """
    both = paired(run, clean, other, PathError)
    if both.fed(0)[0] == both.fed(0)[1]:
        raise PathError(
            "both sentences are the same to the model: every head writes the same in both"
        )
    parting = both.parting
    # Where one translation is the beginning of the other and was not finished, nothing parts.
    part = parting is not None and parting < len(both.written[0])
    step = parting if parting is not None and part else _most_changed(run.model, both)
    paths = PathPatching(run.model, *both.fed(step))
    return PathPair(both.clean, both.other, step, both.written[0][step], part, paths)


@torch.inference_mode()
def _most_changed(model: Transformer, both: Paired) -> int:
    """Return the step at which the other sentence changes log p(the clean one's token) most."""
    written = torch.tensor(both.written[0])
    n = len(written)
    logits = (model(*each.inputs)[0, -n:] for each in both.fed(n - 1))
    log_p_T = [
        each_TV.double().log_softmax(dim=-1).gather(-1, written[:, None])[:, 0]
        for each_TV in logits
    ]
    return int((log_p_T[1] - log_p_T[0]).abs().argmax())


@dataclass(frozen=True, slots=True, eq=False)
class PathSenders:
    """What each direct path to one receiver changes, in two sentences that a run goes on from."""

    clean: Translation
    other: Translation
    step: int
    """Of the targets: where they part, or else where the other sentence makes most difference."""
    token: Token
    """What is written there in the clean sentence."""
    part: bool
    """Whether the translations part there."""
    clean_log_p: float
    """log p(token) in the clean sentence, in nats."""
    other_log_p: float
    """The same in the other one, after the same words."""
    receiver: Head
    senders: tuple[Head, ...]
    """As the stream meets them; N in number."""
    differs_N: NDArray[np.bool_]
    """Whether a sender writes anything else in the other sentence; if not, it changes nothing."""
    moved_N: NDArray[np.float64]
    """The share of its weight that the receiver's most changed query gives to other keys: half the
    sum of all changes of the row, 0 to 1 (total variation distance). Of the queries from which
    something reaches the output."""
    query_N: NDArray[np.int64]
    """That query."""
    key_N: NDArray[np.int64]
    """The key whose weight changes most there."""
    before_N: NDArray[np.float64]
    """Its weight in the clean sentence."""
    after_N: NDArray[np.float64]
    """Its weight with the path patched."""
    log_p_change_N: NDArray[np.float64]
    """By how much log p(token) changes, in nats, where all after the receiver goes on with it."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each sender."""
        return {
            "sender": [str(sender) for sender in self.senders],
            "receiver": [str(self.receiver)] * len(self.senders),
            "moved": self.moved_N.tolist(),
            "query": self.query_N.tolist(),
            "key": self.key_N.tolist(),
            "before": self.before_N.tolist(),
            "after": self.after_N.tolist(),
            "log_p_change": self.log_p_change_N.tolist(),
        }


def path_senders(run: Run, clean: str, other: str, read: Read, receiver: Head) -> PathSenders:
    """Patch every direct path to one receiver, one at a time, many senders in one pass.

    The decoder is fed the clean translation in both, up to the step at which the translations
    part. Where they do not, it is the step at which the other sentence changes most what is
    thought of the clean one's token.

    Args:
        run: A loaded run with a decoder; one without an encoder goes on from both as prompts.
        clean: On which the model runs.
        other: Whose values senders take; as many tokens.
        read: What the receiver computes from the changed stream.
        receiver: The head that reads.

    Raises:
        SentenceError: There is no text.
        PathError: The sentences differ in length, or are the same to the model.
    """
    pair = path_pair(run, clean, other)
    paths = pair.paths
    senders = tuple(head for head in paths.heads if is_direct(head, receiver, read))
    differs_N = np.array([paths.writes_otherwise(head) for head in senders], np.bool_)
    moved_N, before_N, after_N, log_p_change_N = np.zeros((4, len(senders)))
    query_N, key_N = np.zeros((2, len(senders)), int)
    clean_log_p = log_probability_of(pair.token, paths.clean_logits_V)
    n_rows = max(1, _TOKENS_AT_ONCE // paths.n_tokens)
    # Who writes the same in both sentences changes nothing; to compute it would only round.
    [differing] = differs_N.nonzero()
    for start in range(0, len(differing), n_rows):
        at = differing[start : start + n_rows]
        record = paths.received([senders[each] for each in at], read)
        figures = _looks(paths, receiver, record)
        query_N[at], key_N[at], moved_N[at], before_N[at], after_N[at] = figures
        mixed_NQE = record.tensors[receiver.site, Step.MIXED][:, receiver.index]
        log_p_N = log_probability_of(pair.token, paths.logits_of(receiver, mixed_NQE))
        log_p_change_N[at] = (log_p_N - clean_log_p).numpy()
    return PathSenders(
        clean=pair.clean,
        other=pair.other,
        step=pair.step,
        token=run.target_tokenizer.describe([pair.token])[0],
        part=pair.part,
        clean_log_p=float(clean_log_p),
        other_log_p=float(log_probability_of(pair.token, paths.other_logits_V)),
        receiver=receiver,
        senders=senders,
        differs_N=differs_N,
        moved_N=moved_N,
        query_N=query_N,
        key_N=key_N,
        before_N=before_N,
        after_N=after_N,
        log_p_change_N=log_p_change_N,
    )


def _looks(
    paths: PathPatching, receiver: Head, record: Record
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array, Array]:
    """Return query_N, key_N, moved_N, before_N and after_N of `PathSenders` from a pass."""
    clean_QK = paths.clean_weights(receiver).double().numpy()
    weights_NQK = record.weights(receiver.site)[:, receiver.index].double().numpy()
    change_NQK = np.abs(weights_NQK - clean_QK)
    moved_NQ = change_NQK.sum(axis=-1) / 2
    first, row_N = paths.first_telling_query(receiver), np.arange(len(weights_NQK))
    query_N = first + moved_NQ[:, first:].argmax(axis=-1)
    key_N = change_NQK[row_N, query_N].argmax(axis=-1)
    before_N, after_N = clean_QK[query_N, key_N], weights_NQK[row_N, query_N, key_N]
    return query_N, key_N, moved_NQ[row_N, query_N], before_N, after_N


@dataclass(frozen=True, slots=True)
class NextToken:
    """What a model thinks of the next token."""

    chance: float
    """Of what it writes in the clean sentence, 0 to 1."""
    chosen: Token
    """What it writes instead, or the same."""
    stays: bool
    """Whether that is the same."""


@dataclass(frozen=True, slots=True)
class PathOutcomes:
    """What is written at the measured step, the more the later is changed."""

    clean: NextToken
    path: NextToken
    """The receiver alone is given what the sender writes in the other sentence."""
    exchanged: NextToken
    """All that come after the sender are given it."""
    other: NextToken
    """In the other sentence, after the same words."""


def path_outcomes(
    run: Run, clean: str, other: str, read: Read, sender: Head, receiver: Head
) -> PathOutcomes:
    """Patch one direct path, then its sender as a whole.

    Args and errors are those of `one_path`.
    """
    pair = path_pair(run, clean, other)
    paths = pair.paths
    return PathOutcomes(
        clean=_outcome(run, pair, paths.clean_logits_V),
        path=_outcome(run, pair, paths.path_logits_V(sender, receiver, read)),
        exchanged=_outcome(run, pair, paths.exchanged_logits_V(sender)),
        other=_outcome(run, pair, paths.other_logits_V),
    )


def _outcome(run: Run, pair: PathPair, logits_V: Tensor) -> NextToken:
    chosen = int(logits_V.argmax())
    return NextToken(
        chance=float(log_probability_of(pair.token, logits_V).exp()),
        chosen=run.target_tokenizer.describe([chosen])[0],
        stays=chosen == pair.token,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PathStudy:
    """All direct paths to one receiver, and what one of them does to the output."""

    senders: PathSenders
    path: OnePath
    outcomes: PathOutcomes

    def table(self) -> dict[str, list[object]]:
        """Return a row for each sender, and one for each chance of the clean sentence's token."""
        senders, outcomes = self.senders.table(), self.outcomes
        chances = {
            "clean": outcomes.clean,
            "path": outcomes.path,
            "sender": outcomes.exchanged,
            "other": outcomes.other,
        }
        n = len(self.senders.senders)
        return {
            "exchanged": [*["path"] * n, *chances],
            **{name: [*values, *[None] * len(chances)] for name, values in senders.items()},
            "chance": [*[None] * n, *(each.chance for each in chances.values())],
            "written": [*[None] * n, *(each.chosen.text for each in chances.values())],
        }


def path_study(
    run: Run, clean: str, other: str, read: Read, receiver: Head, sender: Head | None = None
) -> PathStudy:
    """Patch every direct path to one receiver, and one of them together with its sender.

    Args:
        run: A loaded run with a decoder.
        clean: On which the model runs.
        other: As many tokens.
        read: What the receiver computes from the changed stream.
        receiver: The head that reads.
        sender: Of the one path; without it the one that changes log p most, up or down.

    Raises:
        SentenceError: There is no text.
        PathError: As in `path_senders`, or no direct path leads from the sender to the receiver.
    """
    found = path_senders(run, clean, other, read, receiver)
    if sender is None:
        sender = found.senders[int(np.abs(found.log_p_change_N).argmax())]
    ends = read, sender, receiver
    return PathStudy(
        found, one_path(run, clean, other, *ends), path_outcomes(run, clean, other, *ends)
    )


def usual_receiver(run: Run, clean: str, other: str, read: Read) -> Head | None:
    """Return the head that carries most of the difference between two sentences.

    Only heads to which another one writes directly can read; None where there is none.
    """
    heads = heads_in_order(run.model)
    readers = [each for each in heads if any(is_direct(one, each, read) for one in heads)]
    try:
        restored = patching_study(run, other, clean).heads
    except PatchingError:
        # The same is written after both: no head carries a difference.
        return readers[-1] if readers else None
    return max(readers, key=restored.__getitem__, default=None)
