"""Direct paths from one head to another in two sentences that a run translates.

N heads, in NN senders × receivers; Q queries, K keys.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.decoding.sentence import Translation
from core.heads import Head
from core.model import Transformer
from core.runs.run import Run
from core.studies.effects.paired import Paired, paired
from core.studies.effects.path_effects import (
    PathEffects,
    log_probability_changes,
    path_effects,
)
from core.studies.effects.path_patching import (
    PathError,
    PathPatching,
    Read,
    is_direct,
    log_probability_of,
)
from core.tokenizer import Token


@dataclass(frozen=True, slots=True, eq=False)
class PathStudy:
    """All direct paths in two sentences that a run translates."""

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
    effects: PathEffects


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


def path_study(run: Run, clean: str, other: str, read: Read) -> PathStudy:
    """Patch every direct path from one head to another in a sentence that a run translates.

    The decoder is fed the clean translation in both, up to the step at which the translations
    part. Where they do not, it is the step at which the other sentence changes most what is
    thought of the clean one's token.

    Args:
        run: A loaded run with a decoder; one without an encoder goes on from both as prompts.
        clean: On which the model runs.
        other: Whose values senders take; as many tokens.
        read: What receivers compute from the changed stream.

    Raises:
        SentenceError: There is no text.
        PathError: The sentences differ in length, or are the same to the model.
    """
    pair = path_pair(run, clean, other)
    paths = pair.paths
    return PathStudy(
        clean=pair.clean,
        other=pair.other,
        step=pair.step,
        token=run.target_tokenizer.describe([pair.token])[0],
        part=pair.part,
        clean_log_p=float(log_probability_of(pair.token, paths.clean_logits_V)),
        other_log_p=float(log_probability_of(pair.token, paths.other_logits_V)),
        effects=path_effects(paths, read),
    )


def path_probabilities(run: Run, clean: str, other: str, read: Read) -> NDArray[np.float64]:
    """Return change_NN of log p(the clean sentence's token) with each direct path patched, in nats.

    Args and errors are those of `path_study`; it takes longer, for all after a receiver is
    computed anew for each path.
    """
    pair = path_pair(run, clean, other)
    return log_probability_changes(pair.paths, read, pair.token)


def one_path(run: Run, clean: str, other: str, read: Read, sender: Head, receiver: Head) -> OnePath:
    """Patch one direct path.

    Args:
        run: As in `path_study`, as are the next three.
        clean: The same.
        other: The same.
        read: The same.
        sender: Whose output is taken from the other sentence.
        receiver: Who is given it.

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

    Args and errors are those of `path_study`.
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
